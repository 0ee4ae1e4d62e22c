/** A real run over a real store on virtual time, in a folder of its own, whose disk or whose neighbours misbehave. The judge reads the service's book. */
import { cpSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { STOP_EXIT_CODES } from '../../../src/cli/commands/run.ts'
import { Failure } from '../../../src/errors.ts'
import type { RunEvent } from '../../../src/workbench/run/run.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { plainService } from '../../crash/small-world.ts'
import { createWire, type Fate } from '../../sim/network.ts'
import { judge } from '../../sim/oracle.ts'
import { type Machine, startProgram } from '../../sim/program.ts'
import { createRandom } from '../../sim/random.ts'
import type { ServiceTraits, SimService } from '../../sim/service.ts'
import { createTime, type VirtualTime } from '../../sim/time.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { testSystem } from '../../support/system.ts'
import { hour, makeStudy, makeTrials, minute } from '../run/setup.ts'

const start = Date.UTC(2026, 0, 1)

export interface RunWorldOptions {
  readonly trials: number
  /** Makes replies longer by so many bytes. */
  readonly padding?: number
  readonly pageSize?: number
  /** What happens to the n-th POST, counted from 1. */
  readonly fate?: (post: number) => Fate
  readonly traits?: Partial<ServiceTraits>
}

export interface Lived {
  readonly stoppedBy: string | null
  readonly exitCode: number
  /** What the user was told last, hint included. */
  readonly words: string
  readonly warnings: readonly string[]
}

export interface RunWorld {
  readonly time: VirtualTime
  readonly service: SimService
  readonly storePath: string
  /** When each POST left, ms. */
  readonly posts: number[]
  /** One life of the program. `onStep` is told every commit, look, wait and byte of it. */
  live(troubles?: {
    readonly prepare?: (store: Store) => void
    readonly onStep?: (where: string) => void
  }): Promise<Lived>
  /** What is wrong with the outcome, in words. */
  judge(): readonly string[]
}

/** `clear` removes every world that was made. */
export function runWorlds(): { make: (options: RunWorldOptions) => RunWorld; clear: () => void } {
  const folder = folderInMemory()
  const templates = new Map<number, string>()
  let worlds = 0

  function templateOf(pageSize: number): string {
    const known = templates.get(pageSize)
    if (known !== undefined) return known
    const path = join(folder, `empty-${pageSize}.sqlite`)
    openStore(path, { system: testSystem() }).close()
    const db = new Database(path)
    db.pragma('journal_mode = DELETE')
    db.pragma(`page_size = ${pageSize}`)
    db.exec('vacuum')
    db.pragma('journal_mode = WAL')
    db.close()
    templates.set(pageSize, path)
    return path
  }
  return {
    make: (options) => {
      const storePath = join(folder, String(++worlds), 'workbench.sqlite')
      mkdirSync(dirname(storePath))
      cpSync(templateOf(options.pageSize ?? 4096), storePath)
      return makeWorld(storePath, options)
    },
    clear: () => removeFolder(folder),
  }
}

function makeWorld(storePath: string, options: RunWorldOptions): RunWorld {
  const time = createTime(start)
  const plain = plainService(options.traits)
  const padding = `"notes":"${incompressible(options.padding ?? 0)}","request":{`
  const service: SimService = {
    ...plain,
    handle: (request, at) => {
      const answer = plain.handle(request, at)
      return options.padding === undefined
        ? answer
        : { ...answer, body: answer.body.replaceAll('"request":{', padding) }
    },
  }
  const posts: number[] = []
  const wire = createWire({
    time,
    service,
    random: createRandom(1),
    fate: (method) => (method === 'POST' ? (options.fate?.(posts.push(time.now)) ?? 'ok') : 'ok'),
    latency: () => 40,
    latestMs: 10 * minute,
    note: () => {},
  })
  const random = createRandom(2)
  const machine: Machine = { time, wire, random, storePath, wallOffset: 0, bootedAt: start - hour, clockRate: 1 }
  const trials = makeTrials(options.trials)

  return {
    time,
    service,
    storePath,
    posts,
    live: async ({ prepare, onStep } = {}) => {
      const events: RunEvent[] = []
      const program = startProgram(machine, (where) => {
        onStep?.(where)
        return false
      })
      try {
        prepare?.(program.store)
        const { system, store, client } = program
        const tell = { onProgress: (event: RunEvent) => events.push(event) }
        const summary = await time.until(runStudy({ system, store, client, study: makeStudy(), trials, options: tell }))
        const words = events.flatMap((event) => (event.kind === 'stopped' ? [event.message] : [])).at(-1) ?? ''
        return {
          stoppedBy: summary.stoppedBy,
          exitCode: summary.stoppedBy === null ? 0 : STOP_EXIT_CODES[summary.stoppedBy],
          words,
          warnings: events.flatMap((event) => (event.kind === 'warning' ? [event.code] : [])),
        }
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        return {
          stoppedBy: 'failure',
          exitCode: error.exitCode,
          words: `${error.message}; ${error.hint}`,
          warnings: [],
        }
      } finally {
        program.close()
      }
    },
    judge: () => judgeWorld(storePath, service, time.now, options.trials),
  }
}

function judgeWorld(storePath: string, { book }: SimService, now: number, trials: number): readonly string[] {
  const { paidTwice, lost } = judge(storePath, book, now)
  const db = new Database(storePath, { readonly: true })
  try {
    const names = new Set(db.prepare<[], string>('select name from attempt').pluck().all())
    const missing = trials - new Set(book.map(({ config }) => config)).size
    return [
      ...paidTwice.map((config) => `paid twice ${config.slice(-40)}`),
      ...lost.map((id) => `lost ${id}`),
      ...(missing > 0 ? [`${missing} never submitted`] : []),
      ...book.flatMap(({ name }) => (name === null || names.has(name) ? [] : [`${name} was sent without an intent`])),
      ...(db.pragma('integrity_check', { simple: true }) === 'ok' ? [] : ['the store is damaged']),
    ]
  } finally {
    db.close()
  }
}

/** Text that a compressed reply is not shorter for. */
function incompressible(length: number): string {
  const random = createRandom(length)
  return Array.from({ length }, () => random.below(36).toString(36)).join('')
}
