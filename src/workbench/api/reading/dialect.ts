/**
 * A dialect describes the forms that the API document does not show. It translates our requests into the service's form, and the
 * service's bodies into ours (`contract/bodies.ts`). It decides nothing: every translated body is then read field by field by the
 * same tolerant readers, so a dialect can give a wrong number but cannot bypass a check; of outcomes it names documented refusals alone.
 *
 * `DCALAB_DIALECT` names an `.mjs` module that exports `dialect`, an object with any of the functions below; for the others the
 * built-in form is used. Whole numbers above 2^53 are passed to it as strings of digits.
 */
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import type { JobRequestBody } from '../../../contract/bodies.ts'
import type { DemoBotPayload } from '../../../contract/bot.ts'
import { Failure } from '../../../errors.ts'
import type { DialectModule } from './dialect-machine.ts'
import type { BotReadingState, JobReadingState } from './readings.ts'
import { fieldsOf, firstOwn, own } from './shape.ts'

interface JobListQuery {
  readonly limit: number | undefined
  /** Only jobs changed at or after this ISO time. */
  readonly since: string | undefined
}

/**
 * A list in a body, and what asks for its next page; null or absent on the last one. A query string (or a bare cursor) replaces the query
 * of this page; an object extends it: its members are set beside what was sent, as services with page numbers want it.
 */
export interface ListFound {
  readonly items: unknown
  readonly next: unknown
}

/** What asked for the page that a list function reads. */
export interface PageAsked {
  /** The query parameters that were sent; a page number that is not among them is that of the first page. */
  readonly query: Readonly<Record<string, string>>
}

interface ExecutionListQuery {
  readonly limit: number | undefined
  /** Only fills executed at or after this ISO time. */
  readonly since: string | undefined
}

interface OrderListQuery {
  readonly limit: number | undefined
  readonly state: 'open' | 'filled' | 'cancelled' | undefined
}

/** Of an item of a list, or of a reply about one. A module answers for all items of a list in one call. */
export interface Translate {
  (body: unknown): unknown
  readonly each?: (items: readonly unknown[]) => readonly unknown[]
}

/** Every item of a list, translated. */
export function translateAll(translate: Translate, items: readonly unknown[]): readonly unknown[] {
  return translate.each?.(items) ?? items.map((item) => translate(item))
}

/** Paths, the creation payload and refusal codes are documented, so a dialect cannot change them. `DIALECT.md` explains every function to users. */
export interface Dialect {
  /** The body of POST /api/backtest/jobs (A-12). */
  jobRequest(request: JobRequestBody): unknown
  /** The query of the job list's first page (A-14). */
  jobListQuery(query: JobListQuery): Readonly<Record<string, string>>
  /** The job inside a reply, or a list item, as a `JobBody` (A-13). */
  readonly job: Translate
  /** The items of the job list, unchanged from the body, and the query string of the next page (A-14). */
  jobList(body: unknown, asked: PageAsked): ListFound
  /** What a state word means (A-08); a job with an `unknown` state is polled further. */
  jobState(word: string): JobReadingState
  /** As a `LimitsBody` (A-11). */
  limits(body: unknown): unknown
  /** The symbols, each as a `SymbolBody` (A-15). */
  symbols(body: unknown): unknown
  /** The bot inside a reply, or a list item, as a `BotBody` (A-16). `isDemo` is read from the service's own text too. */
  readonly bot: Translate
  /** The query of the first page of the account's bots; `userEmail` is documented and is put into it whatever this returns. */
  botListQuery(query: { readonly userEmail: string }): Readonly<Record<string, string>>
  botList(body: unknown, asked: PageAsked): ListFound
  /** What a bot's state word means (A-08). */
  botState(word: string): BotReadingState
  /** The body of POST /api/bots/validate (A-12). `isDemo: true` is set afterwards, whatever this returns. */
  validateRequest(payload: DemoBotPayload): unknown
  /** As a `ValidationBody` (A-17). */
  validation(body: unknown): unknown
  /** The body of PUT /api/bots/{id} (A-12). `isDemo: true` is set afterwards, whatever this returns. */
  updateRequest(payload: DemoBotPayload): unknown
  /** The query of the first page of a bot's executions (A-34). */
  executionListQuery(query: ExecutionListQuery): Readonly<Record<string, string>>
  executionList(body: unknown, asked: PageAsked): ListFound
  /** A list item as an `ExecutionBody` (A-35). */
  readonly execution: Translate
  /** The query of the first page of a bot's orders (A-34). */
  orderListQuery(query: OrderListQuery): Readonly<Record<string, string>>
  orderList(body: unknown, asked: PageAsked): ListFound
  /** A list item as an `OrderBody` (A-36). */
  readonly order: Translate
  /** As a `PnlBody` (A-37). */
  pnl(body: unknown): unknown
  /**
   * The documented code that a body means whose status is a success and in which no id was understood, or `{ code, message }`; anything
   * else = none. Nothing is then spent.
   */
  refusal(body: unknown): unknown
}

const STATES: Readonly<Record<string, JobReadingState>> = {
  queued: 'pending',
  pending: 'pending',
  running: 'pending',
  completed: 'done',
  done: 'done',
  finished: 'done',
  succeeded: 'done',
  failed: 'failed',
  error: 'failed',
  deleted: 'deleted',
}

const BOT_STATES: Readonly<Record<string, BotReadingState>> = {
  created: 'created',
  running: 'running',
  active: 'running',
  started: 'running',
  stopped: 'stopped',
}

/** The form of our own service, also inside the wrappers (`data`, `items` …) that services commonly use. */
export const builtInDialect: Dialect = {
  jobRequest: (request) => request,
  jobListQuery: plainQuery,
  job: (body) => unwrap(body, ['job', 'data']),
  jobList: (body) => listIn(body, ['jobs', 'data', 'items', 'results']),
  jobState: (word) => lookUp(STATES, word),
  limits: (body) => unwrap(body, ['limits', 'data']),
  symbols: (body) => listIn(body, ['symbols', 'data', 'items', 'results']).items,
  bot: (body) => unwrap(body, ['bot', 'data']),
  botListQuery: plainQuery,
  botList: (body) => listIn(body, ['bots', 'data', 'items', 'results']),
  botState: (word) => lookUp(BOT_STATES, word),
  validateRequest: (payload) => payload,
  validation: (body) => unwrap(body, ['validation', 'data']),
  updateRequest: (payload) => payload,
  executionListQuery: plainQuery,
  executionList: (body) => listIn(body, ['executions', 'data', 'items', 'results']),
  execution: (item) => item,
  orderListQuery: plainQuery,
  orderList: (body) => listIn(body, ['orders', 'data', 'items', 'results']),
  order: (item) => item,
  pnl: (body) => unwrap(body, ['pnl', 'data']),
  refusal: () => undefined,
}

/** The functions that differ from the built-in form. */
export function spelledBy(dialect: Dialect): ReadonlySet<string> {
  const names = Object.keys(builtInDialect) as (keyof Dialect)[] // keys of a value of that type
  return new Set(names.filter((name) => dialect[name] !== builtInDialect[name]))
}

function lookUp<State extends string>(words: Readonly<Record<string, State>>, word: string): State | 'unknown' {
  const key = word.toLowerCase()
  return Object.hasOwn(words, key) ? words[key] : 'unknown'
}

/** Every parameter that is given, under its own name. */
function plainQuery(query: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(query)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )
}

/**
 * The module's functions, run in an interpreter of their own (`dialect-machine.ts`), beside the built-in ones for the rest.
 * `log` takes what it writes to its console.
 * @throws Failure settingInvalid when the module cannot be loaded or exports anything but functions of a dialect
 */
export async function loadDialect(path: string, log: string[] = []): Promise<Dialect> {
  const place = `DCALAB_DIALECT (${path})`
  if (!path.endsWith('.mjs')) throw new Failure('settingInvalid', `${place}: expected an .mjs file`)
  const { startDialect } = await import('./dialect-machine.ts') // the built-in dialect needs no interpreter
  let text: string
  let module: DialectModule
  try {
    text = await readFile(path, 'utf8')
    module = await startDialect(text, path, log)
  } catch (cause) {
    throw new Failure('settingInvalid', `${place}: the module does not load: ${describe(cause)}`, { cause })
  }
  const { members } = module
  const at = (line: number | null) => (line === null ? '' : ` (${basename(path)}:${line})`)
  if (members === null) {
    const line = lineOf(text, /\bdialect\b/)
    throw new Failure('settingInvalid', `${place}: expected an export named dialect, an object${at(line)}`)
  }
  const problems = Object.entries(members).flatMap(([name, { type, line }]) => {
    const begins = at(line ?? (/^\w+$/.test(name) ? lineOf(text, new RegExp(`\\b${name}\\b`)) : null))
    if (!Object.hasOwn(builtInDialect, name)) {
      const known = Object.keys(builtInDialect).join(', ')
      return [{ place: `dialect.${name}`, message: `unknown${begins}; known are ${known}` }]
    }
    const message = `expected a function, found ${type === 'object' ? 'an object' : `a ${type}`}${begins}`
    return type === 'function' ? [] : [{ place: `dialect.${name}`, message }]
  })
  if (problems.length > 0) throw new Failure('settingInvalid', `${place} is not a dialect`, { problems })
  return { ...builtInDialect, ...Object.fromEntries(Object.keys(members).map((name) => [name, spelled(module, name)])) }
}

/** What a dialect may make of the word of a state; anything else is a word that it does not explain. */
const MEANT = { jobState: Object.values(STATES), botState: Object.values(BOT_STATES) } as const

/** A function of the module. The words of states are few, and each is asked once. */
function spelled(module: DialectModule, name: string): unknown {
  if (name !== 'jobState' && name !== 'botState') {
    const call = (...values: unknown[]) => module.call(name, values)
    return Object.assign(call, { each: (items: readonly unknown[]) => module.callEach(name, items) })
  }
  const known = new Map<string, unknown>()
  return (word: string) => {
    if (!known.has(word)) {
      const answer = module.call(name, [word])
      known.set(word, MEANT[name].find((state: string) => state === answer) ?? 'unknown')
    }
    return known.get(word)
  }
}

/** The first line of `text` on which `pattern` is found. */
function lineOf(text: string, pattern: RegExp): number | null {
  const at = text.search(pattern)
  return at === -1 ? null : text.slice(0, at).split('\n').length
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Bodies are wrapped once or twice (`data.items`); deeper ones are not searched. */
const deepestWrapper = 2

/** The object under one of `wrappers`, unless the body itself already has an id or no such wrapper. */
function unwrap(body: unknown, wrappers: readonly string[], depth = 0): unknown {
  const fields = fieldsOf(body)
  if (depth === deepestWrapper || own(fields, 'id') !== undefined) return body
  const inner = fieldsOf(firstOwn(fields, wrappers))
  return inner === null ? body : unwrap(inner, wrappers, depth + 1)
}

/** A list, alone or under one of `wrappers`; `next` is beside it. */
function listIn(body: unknown, wrappers: readonly string[], depth = 0): { items: unknown; next: unknown } {
  if (Array.isArray(body)) return { items: body, next: null }
  const fields = fieldsOf(body)
  const found = firstOwn(fields, wrappers)
  if (fieldsOf(found) !== null && depth < deepestWrapper) return listIn(found, wrappers, depth + 1)
  return { items: found, next: own(fields, 'next') }
}
