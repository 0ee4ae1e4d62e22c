/**
 * How a service spells what the API document does not show. A dialect translates: requests out of our spelling, reply bodies
 * into it (the shapes of `contract/bodies.ts`). It decides nothing: every translated body is then read field by field by the
 * same tolerant readers, so a dialect can misname a number but neither invent an outcome nor break a guard.
 *
 * `DCALAB_DIALECT` names an `.mjs` module that exports `dialect`, an object with any of the functions below; the rest keep
 * their built-in form. Whole numbers above 2^53 reach it as strings of digits.
 */
import { pathToFileURL } from 'node:url'
import type { JobRequestBody } from '../contract/bodies.ts'
import { Failure } from '../errors.ts'
import { fieldsOf, firstOwn, own } from './fields.ts'
import type { JobReadingState } from './readings.ts'

export interface JobListQuery {
  readonly limit: number | undefined
  /** Jobs changed at or after this ISO time. */
  readonly since: string | undefined
}

export interface Dialect {
  /** The body of POST /api/backtest/jobs. */
  jobRequest(request: JobRequestBody): unknown
  /** The query of the job list's first page. */
  jobListQuery(query: JobListQuery): Readonly<Record<string, string>>
  /** The job inside a reply, or a list item, as a `JobBody`. */
  job(body: unknown): unknown
  /** The items of the job list, as they stand in the body, and the query string of the next page. */
  jobList(body: unknown): { readonly items: unknown; readonly next: unknown }
  /** What a state word means; `unknown` keeps being polled. */
  jobState(word: string): JobReadingState
  /** As a `LimitsBody`. */
  limits(body: unknown): unknown
  /** The symbols, each as a `SymbolBody`. */
  symbols(body: unknown): unknown
  /** The bot inside a reply, or a list item, as a `BotBody`. `isDemo` is read from the service's own text too. */
  bot(body: unknown): unknown
  botList(body: unknown): { readonly items: unknown; readonly next: unknown }
  /** As a `ValidationBody`. */
  validation(body: unknown): unknown
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

/** Our own spelling, with the wrappers (`data`, `items` …) that services commonly put around it. */
export const builtInDialect: Dialect = {
  jobRequest: (request) => request,
  jobListQuery: ({ limit, since }) => ({
    ...(limit === undefined ? {} : { limit: String(limit) }),
    ...(since === undefined ? {} : { since }),
  }),
  job: (body) => unwrap(body, ['job', 'data']),
  jobList: (body) => listIn(body, ['jobs', 'data', 'items', 'results']),
  jobState: (word) => (Object.hasOwn(STATES, word.toLowerCase()) ? STATES[word.toLowerCase()] : 'unknown'),
  limits: (body) => unwrap(body, ['limits', 'data']),
  symbols: (body) => listIn(body, ['symbols', 'data', 'items', 'results']).items,
  bot: (body) => unwrap(body, ['bot', 'data']),
  botList: (body) => listIn(body, ['bots', 'data', 'items', 'results']),
  validation: (body) => body,
}

/** @throws Failure settingInvalid when the module cannot be loaded or exports something else than functions of a dialect. */
export async function loadDialect(path: string): Promise<Dialect> {
  const place = `DCALAB_DIALECT (${path})`
  if (!path.endsWith('.mjs')) throw new Failure('settingInvalid', `${place}: expected an .mjs file`)
  let module: unknown
  try {
    module = await import(pathToFileURL(path).href)
  } catch (cause) {
    throw new Failure('settingInvalid', `${place}: the module does not load: ${describe(cause)}`, { cause })
  }
  const spelled = fieldsOf(own(fieldsOf(module), 'dialect'))
  if (spelled === null) throw new Failure('settingInvalid', `${place}: expected an export named dialect, an object`)
  const problems = Object.entries(spelled).flatMap(([name, value]) => {
    if (!Object.hasOwn(builtInDialect, name)) {
      return [{ place: `dialect.${name}`, message: `unknown; known are ${Object.keys(builtInDialect).join(', ')}` }]
    }
    return typeof value === 'function' ? [] : [{ place: `dialect.${name}`, message: 'expected a function' }]
  })
  if (problems.length > 0) throw new Failure('settingInvalid', `${place} is not a dialect`, { problems })
  return { ...builtInDialect, ...spelled }
}

function describe(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

/** Bodies are wrapped once or twice (`data.items`); deeper ones are somebody's test of our patience. */
const deepestWrapper = 2

/** The object under one of `wrappers`, unless the body itself already has an id or no such wrapper. */
function unwrap(body: unknown, wrappers: readonly string[], depth = 0): unknown {
  const fields = fieldsOf(body)
  if (depth === deepestWrapper || own(fields, 'id') !== undefined) return body
  const inner = fieldsOf(firstOwn(fields, wrappers))
  return inner === null ? body : unwrap(inner, wrappers, depth + 1)
}

/** A bare list, or one under one of `wrappers`; `next` stands beside it. */
function listIn(body: unknown, wrappers: readonly string[], depth = 0): { items: unknown; next: unknown } {
  if (Array.isArray(body)) return { items: body, next: null }
  const fields = fieldsOf(body)
  const found = firstOwn(fields, wrappers)
  if (fieldsOf(found) !== null && depth < deepestWrapper) return listIn(found, wrappers, depth + 1)
  return { items: found, next: own(fields, 'next') }
}
