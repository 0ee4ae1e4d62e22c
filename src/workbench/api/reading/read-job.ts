/** Reads a backtest job in the shape of `JobBody`, tolerantly: only a usable id is required. */
import type { DealBody, OpenDealBody } from '../../../contract/bodies.ts'
import { CONFIG_FIELDS, type DcaSpotConfig, EXIT_NAMES } from '../../../contract/bot.ts'
import type { Market } from '../../../contract/market.ts'
import {
  findMetric,
  METRICS,
  type MetricName,
  type MetricsAsRead,
  metricsFromValues,
  readSampleSize,
  type Unit,
} from '../../../contract/metrics.ts'
import type { ResultReading, SettingsReading } from '../../../contract/result-reading.ts'
import { itemsAt, parseLossless, spanAt } from '../lossless-json.ts'
import type { Reply } from '../outcome.ts'
import { type Dialect, type ListFound, type PageAsked, type Translate, translateAll } from './dialect.ts'
import { minutes, money, percent, type Read, time } from './dialect-library.ts'
import type { JobReading, JobReadingState, Page } from './readings.ts'
import {
  booleanOf,
  type Fields,
  fieldsOf,
  firstOwn,
  idOf,
  isUsableId,
  isWrittenTime,
  numberIn,
  numberOf,
  own,
  readAlone,
  textOf,
  timeOf,
  whyUnread,
} from './shape.ts'
import { wordsIn } from './spoken-refusal.ts'

// Reads the metrics of a result, number by number. What cannot be read becomes null and says why; nothing is guessed (H22).

interface MetricsRead {
  /** Unreadable numbers inside are null, each with its reason in `flags`. */
  readonly metrics: MetricsAsRead
  /** Dotted path → why. */
  readonly flags: Readonly<Record<string, string>>
}

export function readMetrics(body: unknown): MetricsRead {
  const fields = fieldsOf(body)
  const flags: Record<string, string> = {}
  const flagAs = (path: string) => (why: string) => {
    flags[path] = why
  }
  const scalars = metricsFromValues((name) => readScalar(fields, name, flagAs(name)))
  const histogram = own(fieldsOf(own(fields, 'safetyOrdersFilled')), 'histogram')
  const sampleSize = readSampleSize(own(fields, 'sampleSize'))
  if (sampleSize === null) flags.sampleSize = explain(own(fields, 'sampleSize'), 'a class of sample sizes')
  const metrics = {
    ...scalars,
    safetyOrdersFilled: {
      ...scalars.safetyOrdersFilled,
      histogram: readRows(histogram, countOf, flagAs('safetyOrdersFilled.histogram')),
    },
    monthlyReturns: readRows(own(fields, 'monthlyReturns'), monthOf, flagAs('monthlyReturns')),
    dailyEquity: readRows(own(fields, 'dailyEquity'), dayOf, flagAs('dailyEquity')),
    sampleSize,
  }
  return { metrics, flags }
}

/** What a metric in a unit is read by: a dialect’s own helpers, so that both read alike. */
const READ_BY: Readonly<Record<Exclude<Unit, 'yes/no'>, (value: unknown) => Read>> = {
  quote: money,
  percent,
  minutes,
  count: readAlone,
  ratio: readAlone,
}

/** The number of a metric, 1 and 0 for yes and no. Null without a flag is an answer where the metric's row allows it, and absent an optional one may be. */
function readScalar(body: unknown, name: MetricName, flag: (why: string) => void): number | null {
  const value = findMetric(body, name)
  const { unit, whole, nullWhen, optional } = METRICS[name]
  if ((value === null && nullWhen !== null) || (value === undefined && optional)) return null
  if (unit === 'yes/no') {
    const answer = yesNoOf(value)
    if (answer === null) flag(explain(value, 'true or false'))
    return answer
  }
  const isNumber = typeof value === 'number' && Number.isFinite(value) && unit !== 'minutes' // every other reader returns it as it is
  const read = isNumber ? value : READ_BY[unit](value)
  const number = numberIn(read)
  if (number === null) flag(whyUnread(read) ?? explain(value, 'a finite number'))
  else if (whole && !isCount(number)) flag(explain(value, 'a whole number'))
  return number === null || (whole && !isCount(number)) ? null : number
}

function yesNoOf(value: unknown): number | null {
  const answer = booleanOf(value)
  if (answer !== null) return answer ? 1 : 0
  return value === 1 || value === 0 ? value : null
}

function readRows<T>(value: unknown, readRow: (row: unknown) => T | null, flag: (why: string) => void): T[] {
  if (!Array.isArray(value)) {
    flag(explain(value, 'a list'))
    return []
  }
  const rows = value.map(readRow).filter((row) => row !== null)
  if (rows.length < value.length) flag(`${value.length - rows.length} of ${value.length} rows could not be read`)
  return rows
}

function countOf(value: unknown): number | null {
  const number = numberOf(value)
  return number !== null && isCount(number) ? number : null
}

function isCount(number: number): boolean {
  return Number.isSafeInteger(number) && number >= 0
}

function monthOf(row: unknown): { month: string; returnPercent: number } | null {
  const month = own(fieldsOf(row), 'month')
  const returnPercent = numberOf(own(fieldsOf(row), 'returnPercent'))
  return typeof month === 'string' && /^\d{4}-\d\d$/.test(month) && returnPercent !== null
    ? { month, returnPercent }
    : null
}

function dayOf(row: unknown): { date: string; equity: number } | null {
  const date = own(fieldsOf(row), 'date')
  const equity = numberOf(own(fieldsOf(row), 'equity'))
  return typeof date === 'string' && /^\d{4}-\d\d-\d\d$/.test(date) && equity !== null ? { date, equity } : null
}

function explain(value: unknown, expected: string): string {
  if (value === undefined) return 'absent'
  const reason = whyUnread(value)
  if (reason !== null) return reason
  const shown = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? typeof value)
  return `expected ${expected}, found ${shown.slice(0, 60)}`
}

/** `rawText`: the text as received, of the whole reply or of the job's item in a list. Returns null without a usable id. */
export function readJobBody(
  body: unknown,
  rawText: string,
  stateOf: (word: string) => JobReadingState,
): JobReading | null {
  const fields = fieldsOf(body)
  const id = usableIdOf(fields)
  if (id === null) return null
  const stateText = textOf(firstOwn(fields, ['state', 'status'])) ?? ''
  return {
    id,
    name: textOf(own(fields, 'name')),
    state: stateOf(stateText),
    stateText,
    createdAt: timeOf(own(fields, 'createdAt')),
    finishedAt: timeOf(own(fields, 'finishedAt')),
    request: readRequest(fieldsOf(own(fields, 'request'))),
    result: readResult(fieldsOf(own(fields, 'result'))),
    error: errorText(own(fields, 'error')),
    rawText,
  }
}

/** The id of a bot or job, or null when it has none that can be used in a path. */
export function usableIdOf(fields: Fields | null): string | null {
  const id = statedId(fields)
  return id !== null && isUsableId(id) ? id : null
}

function statedId(fields: Fields | null): string | null {
  return idOf(firstOwn(fields, ['id', '_id', 'jobId', 'botId', 'uuid']))
}

/** What is wrong with the id of a job, in words; null where it has none, or a usable one. */
export function whyUnusableId(body: unknown): string | null {
  const id = statedId(fieldsOf(body))
  if (id === null || isUsableId(id)) return null
  return `its id ${JSON.stringify(id.slice(0, 60))} cannot be used in an address`
}

export function readConfig(fields: Fields | null): Partial<DcaSpotConfig> {
  return Object.fromEntries(
    CONFIG_FIELDS.map((field) => [field, numberOf(own(fields, field))] as const).filter(([, value]) => value !== null),
  )
}

export function readMarket(fields: Fields | null): Market | null {
  const exchange = textOf(own(fields, 'exchange'))
  const baseAsset = textOf(own(fields, 'baseAsset'))
  const quoteAsset = textOf(own(fields, 'quoteAsset'))
  return exchange === null || baseAsset === null || quoteAsset === null ? null : { exchange, baseAsset, quoteAsset }
}

function readRequest(fields: Fields | null): JobReading['request'] {
  if (fields === null) return null
  const from = timeOf(own(fields, 'from'))
  const to = timeOf(own(fields, 'to'))
  return {
    market: readMarket(fields),
    period: from === null || to === null ? null : { from, to },
    interval: textOf(own(fields, 'interval')),
    config: readConfig(fields),
    settings: readSettings(fieldsOf(own(fields, 'settings'))),
  }
}

/** null when it states none that can be read. */
function readSettings(fields: Fields | null): SettingsReading | null {
  const settings = readSettingParts(fields)
  return Object.values(settings).every((part) => part === null) ? null : settings
}

/** What is computed with, as results and bots state it. */
export function readSettingParts(fields: Fields | null): SettingsReading {
  return {
    conventions: fieldsOf(own(fields, 'conventions')),
    costs: readNumbers(fieldsOf(own(fields, 'costs')), ['feePercent', 'slippagePercent']),
    symbol: fieldsOf(own(fields, 'symbol')),
  }
}

function readResult(fields: Fields | null): ResultReading | null {
  if (fields === null) return null
  const { metrics, flags } = readMetrics(own(fields, 'metrics'))
  const { deals, flag } = readDeals(own(fields, 'deals'))
  return {
    metrics,
    flags: flag === null ? flags : { ...flags, deals: flag },
    deals,
    openDeal: readOpenDeal(fieldsOf(own(fields, 'openDeal'))),
    candles: readCandles(fieldsOf(own(fields, 'candles'))),
    ...readSettingParts(fields),
    engineVersion: textOf(own(fields, 'engineVersion')),
  }
}

function readDeals(value: unknown): { deals: DealBody[] | null; flag: string | null } {
  if (!Array.isArray(value)) return { deals: null, flag: whyUnread(value) ?? 'absent' }
  const deals = value.map((deal) => readDeal(fieldsOf(deal)))
  const read = deals.filter((deal) => deal !== null)
  const lost = value.length - read.length
  if (lost === 0) return { deals: read, flag: null }
  const first = whyNoDeal(fieldsOf(value[deals.indexOf(null)]))
  const why = first === null ? '' : ` (${first})`
  return { deals: read, flag: `${lost} of ${value.length} deals could not be read${why}` }
}

const DEAL_NUMBERS = ['safetyOrders', 'quantity', 'cost', 'proceeds', 'profit', 'price'] as const

/** What of a deal has a reason of its own: "profit: 1,234 is 1234 or 1.234: …". */
function whyNoDeal(fields: Fields | null): string | null {
  const reads = [
    ...DEAL_NUMBERS.map((name) => [name, readAlone(own(fields, name))] as const),
    ...(['openedAt', 'closedAt'] as const).map((name) => [name, time(own(fields, name))] as const),
  ]
  const found = reads.find(([, read]) => whyUnread(read) !== null)
  return found === undefined ? null : `${found[0]}: ${whyUnread(found[1])}`
}

function readDeal(fields: Fields | null): DealBody | null {
  const openedAt = isoTime(own(fields, 'openedAt'))
  const closedAt = isoTime(own(fields, 'closedAt'))
  const exit = EXIT_NAMES.find((name) => name === own(fields, 'exit'))
  const numbers = readNumbers(fields, DEAL_NUMBERS)
  if (openedAt === null || closedAt === null || exit === undefined || numbers === null) return null
  if (!Number.isSafeInteger(numbers.safetyOrders)) return null // the store has a whole number for it
  return { openedAt, closedAt, exit, ...numbers, lowestValue: numberOf(own(fields, 'lowestValue')) }
}

/** null when there is none, or when a part of it cannot be read; without a lowest value it is whole, as older services state it. */
export function readOpenDeal(fields: Fields | null): OpenDealBody | null {
  const openedAt = isoTime(own(fields, 'openedAt'))
  const numbers = readNumbers(fields, ['safetyOrders', 'quantity', 'cost', 'value', 'profit'])
  if (openedAt === null || numbers === null) return null
  return { openedAt, ...numbers, lowestValue: numberOf(own(fields, 'lowestValue')) }
}

function readCandles(fields: Fields | null): ResultReading['candles'] {
  const interval = textOf(own(fields, 'interval'))
  if (interval === null) return null
  return {
    interval,
    count: numberOf(own(fields, 'count')),
    missing: numberOf(own(fields, 'missing')),
    hash: textOf(own(fields, 'hash')),
    synthetic: booleanOf(own(fields, 'synthetic')),
  }
}

/** All of `names` as finite numbers, or null. */
function readNumbers<Name extends string>(fields: Fields | null, names: readonly Name[]): Record<Name, number> | null {
  const entries = names.map((name) => [name, numberOf(own(fields, name))] as const)
  if (entries.some(([, value]) => value === null)) return null
  return Object.fromEntries(entries) as Record<Name, number> // every name is present and none is null
}

function isoTime(value: unknown): string | null {
  if (isWrittenTime(value)) return value
  const ms = timeOf(value)
  return ms === null ? null : new Date(ms).toISOString()
}

function errorText(value: unknown): string | null {
  if (value === null || value === undefined) return null
  const fields = fieldsOf(value)
  if (fields === null) return textOf(value) ?? JSON.stringify(value)
  const words = wordsIn(value)
  const message = words.length > 0 ? words.join('; ') : JSON.stringify(value)
  const code = textOf(own(fields, 'code'))
  return code === null ? message : `${code}: ${message}`
}

/** `text`: a job's `rawText` as it was stored. Never throws, whatever the text or the dialect. */
export function rereadJob(
  text: string,
  dialect: Dialect,
): { readonly reading: JobReading } | { readonly problem: string } {
  const json = parseLossless(text)
  if (json === undefined) return { problem: 'it is not JSON' }
  try {
    const reading = readJobBody(dialect.job(json.value), text, dialect.jobState)
    return reading === null ? { problem: 'no job with a usable id is found in it' } : { reading }
  } catch (error) {
    return { problem: `reading it failed: ${error instanceof Error ? error.message : String(error)}` }
  }
}

// Reads lists item by item, and finds the exact text of each item.

const shownOfItem = 120

/**
 * `items` as a dialect found them in the body; null when it found no list. `query`: what this page was asked for with. `translate`: what the
 * dialect makes of an item.
 */
export function readItems<T>(
  reply: Reply,
  { items, next, query, translate }: ListFound & PageAsked & { readonly translate: Translate },
  readItem: (item: unknown, text: string) => T | null,
): Page<T> | null {
  if (!Array.isArray(items)) return null
  const texts = textsOfItems(reply, items)
  const read = translateAll(translate, items).map((item, i) => readItem(item, texts[i]))
  const readings = read.filter((reading) => reading !== null)
  const at = read.indexOf(null)
  return {
    items: readings,
    next: nextQuery(next, query),
    unreadable: items.length - readings.length,
    firstUnreadable: at === -1 ? null : `item ${at + 1} of ${items.length}: ${texts[at].slice(0, shownOfItem)}`,
  }
}

/** Members of an object go beside the query of this page; text replaces it. */
function nextQuery(next: unknown, query: PageAsked['query']): string | null {
  const added = fieldsOf(next)
  if (added === null) return idOf(next) || null
  const parameters = new URLSearchParams({ ...query })
  for (const [name, value] of Object.entries(added)) {
    const text = idOf(value)
    if (text !== null) parameters.set(name, text)
  }
  return parameters.toString() || null
}

/** The texts of the items in the reply. Items that a dialect made itself, instead of returning those of the body, are written as new JSON. */
function textsOfItems(reply: Reply, items: readonly unknown[]): string[] {
  const path = findPath(reply.json?.value, items)
  const span = path && spanAt(reply.raw.text, path)
  return span
    ? itemsAt(reply.raw.text, span.start).map(({ start, end }) => reply.raw.text.slice(start, end))
    : items.map(writeOut)
}

/** How deep the list may be wrapped. */
const deepest = 4

/** The keys that lead from `body` to `target` (the same object, not an equal one). */
function findPath(body: unknown, target: unknown, depth = 0): string[] | undefined {
  if (body === target) return []
  const fields = fieldsOf(body)
  if (fields === null || depth === deepest) return undefined
  for (const [key, value] of Object.entries(fields)) {
    const rest = findPath(value, target, depth + 1)
    if (rest !== undefined) return [key, ...rest]
  }
  return undefined
}

function writeOut(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
