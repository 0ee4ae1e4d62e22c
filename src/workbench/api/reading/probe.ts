/** Reports how a body was understood, field by field, for `service check`. It uses the same tables as the calls. */
import type { ENDPOINTS, EndpointName } from '../../../contract/endpoints.ts'
import { type Dialect, type PageAsked, type Translate, translateAll } from './dialect.ts'
import { readMetrics, usableIdOf } from './read-job.ts'
import {
  BOT_SHAPE,
  EXECUTION_SHAPE,
  type FieldReport,
  type Fields,
  fieldsOf,
  JOB_REQUEST_SHAPE,
  LIMITS_SHAPE,
  ORDER_SHAPE,
  own,
  PNL_SHAPE,
  reportShape,
  type Shape,
  SYMBOL_SHAPE,
  textOf,
} from './shape.ts'

/** The endpoints that change nothing. */
export type ReadEndpoint = {
  [Name in EndpointName]: (typeof ENDPOINTS)[Name]['method'] extends 'GET' ? Name : never
}[EndpointName]

export interface ProbeReading {
  /** Items of a list; null where the body is not one. */
  readonly items: number | null
  /** Usable ids of the items, or of the single object. */
  readonly ids: readonly string[]
  /** The first exchange named in the body. */
  readonly exchange: string | null
  /** Fields of the first item of a list, or of the single object; empty for an empty list. Nested fields are written with dots. */
  readonly fields: readonly FieldReport[]
}

interface Probed extends PageAsked {
  readonly dialect: Dialect
}

/** null when the body is not of the endpoint's kind: no list where a list is expected, or no object where an object is. */
export function probeBody(endpoint: ReadEndpoint, body: unknown, { dialect, ...asked }: Probed): ProbeReading | null {
  switch (endpoint) {
    case 'readLimits':
      return probeOne(dialect.limits(body), (limits) => reportShape(limits, LIMITS_SHAPE))
    case 'listJobs':
      return probeList(dialect.jobList(body, asked).items, (item) => reportJob(dialect.job(item), dialect), dialect.job)
    case 'readJob':
      return probeOne(dialect.job(body), (job) => reportJob(job, dialect))
    case 'listBots':
      return probeList(dialect.botList(body, asked).items, (item) => reportBot(dialect.bot(item), dialect), dialect.bot)
    case 'readBot':
      return probeOne(dialect.bot(body), (bot) => reportBot(bot, dialect))
    case 'listExecutions':
      return probeList(dialect.executionList(body, asked).items, asShape(EXECUTION_SHAPE, dialect.execution))
    case 'listOrders':
      return probeList(dialect.orderList(body, asked).items, asShape(ORDER_SHAPE, dialect.order))
    case 'readPnl':
      return probeOne(dialect.pnl(body), (pnl) => reportShape(pnl, PNL_SHAPE))
    case 'listSymbols':
      return probeList(dialect.symbols(body), asShape(SYMBOL_SHAPE))
  }
}

function probeOne(body: unknown, report: (body: unknown) => readonly FieldReport[]): ProbeReading | null {
  const fields = fieldsOf(body)
  if (fields === null) return null
  const id = usableIdOf(fields)
  return { items: null, ids: id === null ? [] : [id], exchange: exchangeOf(fields), fields: report(body) }
}

function probeList(
  items: unknown,
  report: (item: unknown) => readonly FieldReport[],
  translate: Translate = (item) => item,
): ProbeReading | null {
  if (!Array.isArray(items)) return null
  const translated = translateAll(translate, items).map(fieldsOf)
  return {
    items: items.length,
    ids: translated.map(usableIdOf).filter((id) => id !== null),
    exchange: translated.map(exchangeOf).find((exchange) => exchange !== null) ?? null,
    fields: items.length === 0 ? [] : report(items[0]),
  }
}

function exchangeOf(fields: Fields | null): string | null {
  return textOf(own(fields, 'exchange')) ?? textOf(own(fieldsOf(own(fields, 'request')), 'exchange'))
}

function asShape(shape: Shape, translate: (item: unknown) => unknown = (item) => item) {
  return (item: unknown) => reportShape(translate(item), shape)
}

function reportBot(bot: unknown, dialect: Dialect): readonly FieldReport[] {
  return knownState(reportShape(bot, BOT_SHAPE), bot, dialect.botState)
}

/** */
const JOB_SHAPE = {
  id: 'id',
  name: 'text',
  state: 'text',
  createdAt: 'time',
  startedAt: 'time',
  finishedAt: 'time',
  request: 'object',
  result: 'object',
  error: 'any',
} as const satisfies Shape

/** A-13; the metrics inside are reported by `readMetrics`. */
const JOB_RESULT_SHAPE = {
  metrics: 'object',
  deals: 'list',
  openDeal: 'object',
  candles: 'object',
  conventions: 'object',
  costs: 'object',
  symbol: 'object',
  engineVersion: 'text',
} as const satisfies Shape

function reportJob(job: unknown, dialect: Dialect): readonly FieldReport[] {
  const fields = fieldsOf(job)
  const request = fieldsOf(own(fields, 'request'))
  const result = fieldsOf(own(fields, 'result'))
  return [
    ...knownState(reportShape(job, JOB_SHAPE), job, dialect.jobState),
    ...(request === null ? [] : within('request', reportShape(request, JOB_REQUEST_SHAPE))),
    ...(result === null ? [] : within('result', reportShape(result, JOB_RESULT_SHAPE))),
    ...(result === null ? [] : within('result.metrics', reportMetrics(own(result, 'metrics')))),
  ]
}

function within(part: string, reports: readonly FieldReport[]): FieldReport[] {
  return reports.map((report) => ({ ...report, field: `${part}.${report.field}` }))
}

/** Reports only metrics with a problem; the many others would only make the report long. */
function reportMetrics(body: unknown): FieldReport[] {
  return Object.entries(readMetrics(body).flags).map(([field, reason]) =>
    reason === 'absent' ? { field, found: 'absent', reason: null } : { field, found: 'unreadable', reason },
  )
}

/** Reports a state word that we do not know: a job in this state would be polled for ever. */
function knownState(
  reports: readonly FieldReport[],
  body: unknown,
  stateOf: (word: string) => string,
): readonly FieldReport[] {
  const word = own(fieldsOf(body), 'state')
  if (typeof word !== 'string' || stateOf(word) !== 'unknown') return reports
  const reason = `the state ${JSON.stringify(word.slice(0, 60))} is not known`
  return reports.map((report) => (report.field === 'state' ? { ...report, found: 'unreadable', reason } : report))
}
