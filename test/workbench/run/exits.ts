/**
 * Whether every state of a submission has an exit. A service in memory gives the first submission one of the fates, and its list shows more
 * or less of a job; the program itself, whose every hint about a submission is followed literally, up to six one after the other. What can
 * be reached is walked through by copies of the store and of the service's book; the book says what was paid twice, and what was lost.
 */
import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { putEmptyStore } from '../../support/empty-store.ts'
import { folderInMemory, removeFolder } from '../../support/folder.ts'
import { program } from '../../support/program.ts'
import { testSystem } from '../../support/system.ts'
import { hour, minute } from './setup.ts'

interface Fate {
  /** Jobs that the service makes of it. */
  readonly jobs: 0 | 1 | 2
  /** What is answered; null = the connection is reset; 'job' = the job itself. */
  readonly answer: 'job' | { readonly status: number; readonly body: unknown } | null
  /** The request arrives so much later, ms. */
  readonly late?: number
}

/** What may become of the first submission. */
export const FATES = {
  understood: { jobs: 1, answer: 'job' },
  'without an id': { jobs: 1, answer: { status: 202, body: { accepted: true } } },
  'answer lost': { jobs: 1, answer: null },
  'never arrived': { jobs: 0, answer: null },
  'arrives late': { jobs: 1, answer: null, late: 5 * minute },
  'refused in a 2xx': { jobs: 0, answer: { status: 200, body: { error: { code: 'ApiKeyRateLimit' } } } },
  'failed in a 2xx': { jobs: 0, answer: { status: 200, body: { success: false, message: 'try later' } } },
  'failed, and was made': { jobs: 1, answer: { status: 500, body: { message: 'internal' } } },
  'rejected, and was made': { jobs: 1, answer: { status: 400, body: { message: 'no' } } },
  'answer lost, delivered twice': { jobs: 2, answer: null },
} as const satisfies Record<string, Fate>

/** What the list shows of a job beside its id and state. `hidden`: it is in no list, and read by its id; `deleted`: it is gone after the first run. */
export const SHOWS = ['name', 'request', 'nothing', 'hidden', 'deleted'] as const

/** What the dialect of the first run leaves out; it is complete afterwards. */
export const DIALECTS = {
  complete: null,
  'id and state': 'export const dialect = { job: ({ name, request, ...rest }) => rest }\n',
  'no job': 'export const dialect = { job: () => ({}) }\n',
} as const

export interface Case {
  readonly fate: keyof typeof FATES
  readonly shows: (typeof SHOWS)[number]
  readonly dialect: keyof typeof DIALECTS
}

export const CASES: readonly Case[] = (Object.keys(FATES) as (keyof typeof FATES)[]).flatMap((fate) =>
  SHOWS.flatMap((shows) =>
    (Object.keys(DIALECTS) as (keyof typeof DIALECTS)[]).map((dialect) => ({ fate, shows, dialect })),
  ),
)

interface Job {
  readonly id: string
  /** null = another client's. */
  readonly name: string | null
  readonly request: Readonly<Record<string, unknown>>
  readonly createdAt: number
  /** Of the first submission. */
  readonly isFirst: boolean
  readonly deleted: boolean
}

/** Everything that a next command starts from. */
interface State {
  readonly folder: string
  readonly book: readonly Job[]
  readonly late: readonly Job[]
  readonly posts: number
  readonly wall: number
  readonly isComplete: boolean
  /** A person said what is not so. */
  readonly isUntrue: boolean
  readonly path: readonly string[]
}

export interface Verdict {
  readonly states: number
  /** Ways that end before the study is done. */
  readonly withoutExit: readonly string[]
  readonly paidTwice: readonly string[]
  readonly lost: readonly string[]
  /** What was said to be delivered twice and was not, or a bug. */
  readonly untrue: readonly string[]
}

const mostFollowed = 6
const start = Date.UTC(2026, 0, 1)
const study = {
  name: 'exits',
  market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2021-04-21', to: '2021-05-19' },
  base: {
    ...{ investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaMaxSafetyOrders: 3, stopLoss: 0 },
    ...{ dcaPriceScalePercent: 1, dcaPriceStepMultiplier: 1.2, dcaVolumeScale: 1.3 },
  },
  objective: { maximize: 'netProfit' },
  grid: { takeProfit: [1, 2] },
}

/**
 * What neither an answer nor the list shows cannot be known: a service that hides a job from its list and did not say that it took it, or
 * that made a job which it said it rejected and shows it to nobody.
 */
function isShown({ fate, shows, dialect }: Case): boolean {
  const { jobs, answer }: Fate = FATES[fate]
  if (fate === 'rejected, and was made') return dialect === 'complete' && (shows === 'name' || shows === 'request')
  const said = answer === 'job' || (answer !== null && answer.status < 300)
  return jobs === 0 || shows !== 'hidden' || said
}

/** Walks through everything that can be reached by following hints. */
export async function judgeCase(given: Case): Promise<Verdict> {
  const found = { paidTwice: new Set<string>(), lost: new Set<string>(), untrue: new Set<string>() }
  let states = 0
  // What can be reached, by state and hints, with the way there; which steps each offers, and where each step leads. A study that is done leads no further.
  const ways = new Map<string, string>()
  const offers = new Map<string, readonly string[]>()
  const leads = new Map<string, string>()
  const done = new Set<string>()
  const title = `${given.fate} × ${given.shows} × ${given.dialect}`
  const first = folderInMemory()
  const folders = [first]
  writeFileSync(join(first, 'study.json'), JSON.stringify(study))
  putEmptyStore(join(first, 'workbench.sqlite'))
  const begun = { book: [], late: [], posts: 0, wall: start, isComplete: given.dialect === 'complete' }
  const waiting: { readonly state: State; readonly command: string; readonly step: string }[] = [
    { state: { ...begun, folder: first, isUntrue: false, path: [] }, command: 'dcalab run study.json', step: '' },
  ]
  try {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { state: before, command, step } = next
      const folder = folderInMemory()
      folders.push(folder)
      copyWorld(before.folder, folder)
      const { state, said, code } = await follow(given, { ...before, folder }, command)
      states++
      const way = `${title}: ${state.path.join(' → ')}`
      const { isDone, key, twice, lost, duplicates } = readWorld(state)
      if (code === 1) found.untrue.add(`${way}: ${said}`)
      if (!given.fate.includes('twice') && /delivered twice/.test(said)) found.untrue.add(`${way}: ${said}`)
      if (!state.isUntrue && isShown(given)) {
        for (const name of twice) found.paidTwice.add(`${way}: ${name}`)
        if (duplicates > 0 && !given.fate.includes('twice')) found.lost.add(`${way}: taken for a duplicate`)
      }
      const hints = isDone ? [] : hintsIn(said)
      const here = `${key} ${hints.join(' ')}`
      leads.set(step, here)
      offers.set(
        here,
        hints.map((hint) => `${key} ${hint}`),
      )
      if (!ways.has(here)) ways.set(here, `${way}: ${said}`)
      if (isDone) {
        done.add(here)
        if (!state.isUntrue && isShown(given)) for (const name of lost) found.lost.add(`${way}: ${name}`)
      }
      // Who has completed a dialect runs the study once more, told to or not; that is no exit.
      const unasked = given.dialect === 'complete' || isDone ? [] : [`dcalab run ${study.name}`]
      for (const hint of state.path.length > mostFollowed ? [] : new Set([...hints, ...unasked])) {
        const further = `${key} ${hint}`
        if (leads.has(further)) continue
        leads.set(further, '') // on its way
        waiting.push({ state, command: hint, step: further })
      }
    }
  } finally {
    for (const folder of folders) removeFolder(folder)
  }
  for (let before = -1; before < done.size; ) {
    before = done.size
    for (const [here, steps] of offers) if (steps.some((way) => done.has(leads.get(way) ?? ''))) done.add(here)
  }
  return {
    states,
    withoutExit: [...ways].filter(([here]) => !done.has(here)).map(([, way]) => way),
    paidTwice: [...found.paidTwice],
    lost: [...found.lost],
    untrue: [...found.untrue],
  }
}

function copyWorld(from: string, to: string): void {
  for (const file of ['study.json', 'workbench.sqlite', 'workbench.sqlite-wal'])
    if (existsSync(join(from, file))) copyFileSync(join(from, file), join(to, file))
}

/** The commands that an answer names: between backticks, or at the end of a line. */
function hintsIn(said: string): readonly string[] {
  const quoted = [...said.matchAll(/`(dcalab [^`]+)`/g)].map(([, command]) => command)
  const bare = [...said.matchAll(/^(?: *|hint: |next: )(dcalab .+)$/gm)].map(([, command]) => command)
  const about = [...new Set([...quoted, ...bare])].filter((command) =>
    /^dcalab (service jobs resolve|service draft|run )/.test(command),
  )
  // Asking again what can be said comes after saying it.
  return about.some((command) => /--job|--absent/.test(command))
    ? about.filter((command) => command !== 'dcalab service jobs resolve')
    : about
}

async function follow(
  given: Case,
  before: State,
  command: string,
): Promise<{ state: State; said: string; code: number }> {
  // Drafting is tried with services of other kinds: here the dialect is complete once that was asked for.
  const drafts = command.startsWith('dcalab service draft')
  const path = [...before.path, command]
  const isUntrue = before.isUntrue || isFalse(before, command)
  if (drafts) return { state: { ...before, path, isComplete: true }, said: 'next: dcalab run study.json', code: 0 }
  const service = serviceOf(given, before)
  const world = testSystem({ sleep: 'jump', wall: before.wall, seed: before.posts + 1, fetch: service.fetch })
  service.startAt(world.clock.wall)
  const module = before.isComplete ? null : DIALECTS[given.dialect]
  const dialect = join(before.folder, 'dialect.mjs')
  if (module !== null) writeFileSync(dialect, module)
  const dcalab = program(
    before.folder,
    {
      DCALAB_BASE_URL: 'https://bots.example',
      DCALAB_API_KEY: 'k'.repeat(16),
      DCALAB_SECRET_KEY: 's'.repeat(16),
      ...(module === null ? {} : { DCALAB_DIALECT: dialect }),
    },
    { world, onTerminal: true, talkOnTerminal: true, redraws: false },
  )
  const words = command
    .split(' ')
    .slice(1)
    .map((word) => (word === 'study.json' ? join(before.folder, word) : word))
  const { code, out, err } = await dcalab(words)
  const said = `${out}${err}`.replaceAll(`${before.folder}/`, '')
  // A person completes what was lacking when the first run has ended, or later; meanwhile a day passes.
  const book = service.book().map((job) => (given.shows === 'deleted' && job.isFirst ? { ...job, deleted: true } : job))
  const state = {
    ...before,
    path,
    isUntrue,
    book,
    late: service.late(),
    posts: service.posts(),
    isComplete: true,
    wall: world.clock.wall() + hour,
  }
  return { state, said, code }
}

/** `--job` of another's job, or `--absent` of one that is there. */
function isFalse({ book }: State, command: string): boolean {
  const [, name, word, id] = /^dcalab service jobs resolve (\S+) --(job|absent) ?(\S*)/.exec(command) ?? []
  if (name === undefined) return false
  return word === 'job'
    ? book.find((job) => job.id === id)?.name !== name
    : book.some((job) => job.name === name && !job.deleted)
}

function serviceOf({ fate, shows }: Case, before: State) {
  const book = [...before.book]
  let late = [...before.late]
  let posts = before.posts
  let now = () => before.wall
  const answer = (status: number, body: unknown) =>
    new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json', date: new Date(now()).toUTCString() },
    })
  const show = (job: Job) => {
    const { name, ...request } = job.request
    return {
      id: job.id,
      state: now() - job.createdAt > minute ? 'completed' : 'running',
      createdAt: new Date(job.createdAt).toISOString(),
      ...(shows === 'name' ? { name: job.name ?? 'mine' } : {}),
      ...(shows === 'request' ? { request } : {}),
      ...(now() - job.createdAt > minute ? { result: { metrics: { netProfit: request.takeProfit } } } : {}),
    }
  }
  const accept = (name: string | null, request: Job['request'], at: number): Job => {
    const job = {
      id: `job-${posts}-${book.length + late.length + 1}`,
      name,
      request,
      createdAt: at,
      isFirst: posts === 1 && name !== null,
      deleted: false,
    }
    if (at <= now()) book.push(job)
    else late.push(job)
    return job
  }
  const handle = (method: string, path: string, body: string): Response => {
    for (const job of late) if (job.createdAt <= now()) book.push(job)
    late = late.filter((job) => job.createdAt > now())
    if (path.startsWith('/api/backtest/limits')) {
      const used = book.length + late.length
      return answer(200, { limit: 100, windowHours: 24, used, remaining: 100 - used })
    }
    if (!path.startsWith('/api/backtest/jobs')) return answer(404, {})
    if (method === 'POST') {
      const request: Record<string, unknown> = JSON.parse(body) // as `createJob` writes it
      const met: Fate = posts++ === 0 ? FATES[fate] : FATES.understood
      const made = Array.from({ length: met.jobs }, () =>
        accept(String(request.name), request, now() + (met.late ?? 0)),
      )
      // Another client of the key, at the same moment.
      if (posts === 1) accept(null, { ...request, takeProfit: 50 }, now())
      if (met.answer === null)
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) })
      return met.answer === 'job' ? answer(201, show(made[0])) : answer(met.answer.status, met.answer.body)
    }
    const id = /jobs\/([^?]+)/.exec(path)?.[1]
    const there = book.filter(({ deleted }) => !deleted)
    if (id !== undefined) {
      const job = there.find((one) => one.id === id)
      return job === undefined ? answer(404, {}) : answer(200, show(job))
    }
    return answer(200, { jobs: shows === 'hidden' ? [] : there.map(show), next: null })
  }
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const { pathname, search } = new URL(String(input))
    return handle(init?.method ?? 'GET', pathname + search, typeof init?.body === 'string' ? init.body : '')
  }
  return {
    fetch,
    book: () => book,
    late: () => late,
    posts: () => posts,
    startAt: (clock: () => number) => {
      now = clock
    },
  }
}

/** What the store and the book say. */
function readWorld({ folder, book, isComplete, late }: State) {
  const db = new Database(join(folder, 'workbench.sqlite'))
  try {
    const all = <Row>(sql: string) => db.prepare<[], Row>(sql).all()
    const attempts = all<{ name: string; state: string }>('select name, state from attempt order by id')
    const jobs = all<{ remote_id: string; state: string; duplicate: number; fingerprint: string }>(
      'select remote_id, state, duplicate, fingerprint from job order by id',
    )
    const foreign = all<{ remote_id: string }>('select remote_id from foreign_job order by 1').map(
      (row) => row.remote_id,
    )
    const trials = all<{ state: string }>('select state from trials')
    // A rejected trial, or one whose job is gone, has an outcome; it is sent again on request alone.
    const isDone =
      trials.length === 2 &&
      trials.every(({ state }) => ['done', 'gone', 'failed'].includes(state)) &&
      attempts.every(({ state }) => !['intent', 'ambiguous', 'undecided'].includes(state))
    const ours = book.filter(({ name, deleted }) => name !== null && !deleted)
    const sends = Map.groupBy(ours, ({ request }) => String(request.takeProfit))
    const twice = [...sends.values()].filter((group) => new Set(group.map(({ name }) => name)).size > 1)
    const kept = new Map(jobs.map((row) => [row.remote_id, row]))
    // Of two deliveries of one request one is enough.
    const lost = [...Map.groupBy(ours, ({ name }) => name)].filter(([, group]) =>
      group.every(({ id }) => kept.get(id)?.duplicate !== 0 || kept.get(id)?.state !== 'done'),
    )
    return {
      isDone,
      key: JSON.stringify([attempts, jobs, foreign, isComplete, late.length]),
      twice: twice.map((group) => group.map(({ id }) => id).join(' and ')),
      lost: lost.map(([name]) => `${name}`),
      duplicates: jobs.filter(({ duplicate }) => duplicate === 1).length,
    }
  } finally {
    db.close()
  }
}
