/** The whole program in this process, its world a real one whose clock runs faster; everything it says is kept. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Context } from '../../src/cli/context.ts'
import { runCli } from '../../src/cli/program.ts'
import { readSettings } from '../../src/cli/settings.ts'
import { realSystem, type System } from '../../src/system.ts'
import { type Desk, desk, type Ended, program as entryFile, projectRoot } from './dcalab.ts'
import { temporaryFolder } from './folder.ts'
import { shiftedSystem } from './shifted-system.ts'

export interface Answer {
  readonly code: number
  readonly out: string
  readonly err: string
}

export interface Program {
  (args: readonly string[]): Promise<Answer>
  /** Everything printed so far, by all calls. */
  said(): string
  /** Moves the clock. */
  advance(ms: number): void
}

/**
 * `environment` beside the paths, which lie in `folder`; `onTerminal`: stdout is a terminal that people read; `talkOnTerminal`: stderr is; `answers`: stdin is, and these are
 * typed there; `columns`, `rows`, `redraws` and `colours`: what the terminal is like; `page`: its reader's pager; `aheadOfUtcMs`: their zone, default UTC; `signal`: what Ctrl-C would abort; `world`: another one than the fast one, which `advance` does not move; `streams`: stdin and
 * stdout of a command that speaks a protocol over them; `now`: the day on which the fast clock begins, default today (a service of before 2025 is refused). A bot makes synthetic candles
 * until then: years of minutes where its market has stored candles of long ago.
 */
export function program(
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  {
    onTerminal = false,
    talkOnTerminal = false,
    answers,
    columns,
    rows,
    redraws,
    colours,
    page,
    aheadOfUtcMs = () => 0,
    world,
    now,
    signal = new AbortController().signal,
    streams = () => {
      throw new Error('no command reads stdin here')
    },
  }: {
    readonly onTerminal?: boolean
    readonly talkOnTerminal?: boolean
    readonly answers?: readonly string[]
    readonly columns?: number
    readonly rows?: number
    readonly page?: (text: string) => Promise<boolean>
    readonly aheadOfUtcMs?: (at: number) => number
    readonly redraws?: boolean
    readonly colours?: boolean
    readonly world?: System
    readonly now?: string
    readonly signal?: AbortSignal
    readonly streams?: Context['streams']
  } = {},
): Program {
  const fast = shiftedSystem([], now === undefined ? undefined : Date.parse(now))
  const system = world ?? fast.system
  let said = ''
  const typed = [...(answers ?? [])]
  const call = async (args: readonly string[]): Promise<Answer> => {
    const printed = { out: '', err: '' }
    const code = await runCli(args, {
      system: {
        ...system,
        terminal: {
          ...system.terminal,
          out: async (text) => {
            printed.out += text
          },
          err: (text) => {
            printed.err += text
          },
          ask: async (question) => {
            const answer = typed.shift() ?? ''
            printed.err += `${question}${answer}\n`
            return answer
          },
          inIsTerminal: answers !== undefined,
          ...(columns === undefined ? {} : { columns }),
          rows: rows ?? 0,
          page,
          aheadOfUtcMs,
          ...(redraws === undefined ? {} : { redraws }),
          ...(colours === undefined ? {} : { colours }),
          errIsTerminal: talkOnTerminal,
          outIsTerminal: onTerminal,
        },
      },
      settings: (defaults) =>
        readSettings(
          {
            DCALAB_STORE: join(folder, 'workbench.sqlite'),
            DCALAB_SERVICE_STORE: join(folder, 'service.sqlite'),
            DCALAB_CANDLES: join(folder, 'candles'),
            ...environment,
          },
          undefined,
          defaults,
        ),
      signal,
      entryFile: pathToFileURL(join(projectRoot, 'dist/main.js')),
      workerFile: pathToFileURL(join(projectRoot, 'dist/engine-worker.js')),
      studiesFolder: pathToFileURL(join(projectRoot, 'studies/')),
      tlsUnverified: false,
      environment: { PATH: process.env.PATH, ...environment },
      streams,
    })
    said += printed.out + printed.err
    return { code, ...printed }
  }
  return Object.assign(call, { said: () => said, advance: fast.advance })
}

/**
 * A folder to work in whose commands run to their end in this process, as `main.ts` runs them but for signals: for tests of what a command
 * does and says. A process takes a quarter of a second to start. Whatever is started (`start`) is one still.
 */
export function deskInProcess(): Desk {
  const at = desk(temporaryFolder())
  const home = process.cwd()
  let running = 0
  const dcalab: Desk['dcalab'] = async (args, environment = {}) => {
    const mask = process.umask(0o077)
    process.chdir(at.folder) // paths are given and said relative to it
    running += 1
    try {
      return await runHere(args, { PATH: process.env.PATH ?? '', HOME: at.folder, ...environment })
    } finally {
      running -= 1
      process.umask(mask)
      if (running === 0) process.chdir(home)
    }
  }
  return { ...at, dcalab }
}

async function runHere(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Ended> {
  const real = realSystem(environment)
  const dotEnv = existsSync('.env') ? { text: readFileSync('.env', 'utf8'), mode: statSync('.env').mode } : undefined
  let stdout = ''
  let stderr = ''
  const code = await runCli(args, {
    system: {
      ...real,
      terminal: {
        ...real.terminal,
        out: async (text) => {
          stdout += text
        },
        err: (text) => {
          stderr += text
        },
        ask: async () => '',
        outIsTerminal: false,
        errIsTerminal: false,
        inIsTerminal: false,
        columns: 100,
        rows: 0,
      },
    },
    settings: (defaults) => readSettings(environment, dotEnv, defaults),
    signal: new AbortController().signal,
    entryFile: pathToFileURL(entryFile),
    workerFile: pathToFileURL(join(projectRoot, 'dist/engine-worker.js')),
    studiesFolder: pathToFileURL(join(projectRoot, 'studies/')),
    tlsUnverified: false,
    environment,
    streams: () => {
      throw new Error('no command reads stdin here')
    },
  })
  return { code, stdout, stderr }
}
