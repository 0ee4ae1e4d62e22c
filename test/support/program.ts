/** The whole program in this process, its world a real one whose clock runs faster; everything it says is kept. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Context } from '../../src/cli/context.ts'
import { runCli } from '../../src/cli/program.ts'
import { readSettings } from '../../src/cli/settings.ts'
import type { System } from '../../src/system.ts'
import { projectRoot } from './dcalab.ts'
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
 * stdout of a command that speaks a protocol over them.
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
    readonly signal?: AbortSignal
    readonly streams?: Context['streams']
  } = {},
): Program {
  const fast = shiftedSystem([])
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
