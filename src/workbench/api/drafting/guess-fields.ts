/** Which seen field is probably which of ours, and why. A guess takes a field away from later ones, so that none is used twice. */

import type { MetricName } from '../../../contract/metrics.ts'
import { type Form, money, percent, type Read } from '../reading/dialect-library.ts'
import { fieldsOf, isUsableId, numberOf, timeOf } from '../reading/shape.ts'

// What a body holds, leaf by leaf: names and values as they stand in it, for guesses about what they mean.

/** A text, a number, a yes or no, or a null. */
export interface SeenField {
  /** The keys that lead to it, from the body. */
  readonly path: readonly string[]
  /** Its key without case and punctuation: `max_draw-down` is `maxdrawdown`. */
  readonly name: string
  readonly value: unknown
}

/** A body has fewer levels and fields. */
const deepest = 6
const mostFields = 400

/** The leaves of `body`, shallow ones first; lists are left out. */
export function seeFields(body: unknown): readonly SeenField[] {
  const seen: SeenField[] = []
  const visit = (value: unknown, path: readonly string[]): void => {
    const fields = fieldsOf(value)
    if (fields === null || path.length === deepest) return
    for (const [key, inner] of Object.entries(fields)) {
      if (seen.length === mostFields) return
      const isLeaf = !Array.isArray(inner) && fieldsOf(inner) === null
      if (isLeaf) seen.push({ path: [...path, key], name: plainName(key), value: inner })
      else visit(inner, [...path, key])
    }
  }
  visit(body, [])
  return seen.toSorted((a, b) => a.path.length - b.path.length)
}

/** A list and the keys that lead to it. */
interface ListInBody {
  readonly path: readonly string[]
  readonly items: readonly unknown[]
}

/** The longest list of objects in `body`, else its first list; undefined when there is none. */
export function seeList(body: unknown): ListInBody | undefined {
  const lists: ListInBody[] = []
  const visit = (value: unknown, path: readonly string[]): void => {
    if (Array.isArray(value)) lists.push({ path, items: value })
    else if (path.length < deepest) {
      for (const [key, inner] of Object.entries(fieldsOf(value) ?? {})) visit(inner, [...path, key])
    }
  }
  visit(body, [])
  const ofObjects = lists.filter(({ items }) => items.every((item) => fieldsOf(item) !== null))
  return ofObjects.toSorted((a, b) => b.items.length - a.items.length).at(0) ?? lists.at(0)
}

/** The keys that lead to the shallowest object for which `is` holds; undefined when there is none. */
export function seeObject(body: unknown, is: (value: unknown) => boolean): readonly string[] | undefined {
  let level: readonly (readonly [readonly string[], unknown])[] = [[[], body]]
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const found = level.find(([, value]) => is(value))
    if (found !== undefined) return found[0]
    level = level.flatMap(([path, value]) =>
      Object.entries(fieldsOf(value) ?? {})
        .filter(([, inner]) => fieldsOf(inner) !== null)
        .map(([key, inner]) => [[...path, key], inner] as const),
    )
  }
  return undefined
}

/** The value at `path`; undefined when nothing is there. */
export function seenAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => fieldsOf(value)?.[key], body)
}

export function plainName(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '')
}

// What the fields we look for are called elsewhere, and how their values are turned into ours. A name is compared without case and punctuation.

interface Sought {
  /** Ours, as the tables of `shape.ts` and `METRICS` write it. */
  readonly field: string
  readonly names: RegExp
  readonly kind: SoughtKind
}

type SoughtKind = keyof typeof FITS

/** A number, or a text that some way of writing makes one: "1,234" is one by each of two. */
const isReadBy =
  (read: (value: unknown, form: Form) => Read, more: Form = {}) =>
  (value: unknown): boolean =>
    (['.', ','] as const).some((decimal) => typeof read(value, { ...more, decimal }) === 'number')

/** "12.5", 12.5 and "12.5 usdt" are amounts: a draft names a currency that the helper does not know. */
const isAmount = (value: unknown): boolean =>
  isReadBy(money)(value) || (typeof value === 'string' && isReadBy(money)(value.toUpperCase()))

const isPercent = isReadBy(percent)

const FITS = {
  id: (value: unknown) =>
    (typeof value === 'string' && isUsableId(value)) || (typeof value === 'number' && Number.isSafeInteger(value)),
  text: (value: unknown) => typeof value === 'string',
  /** An empty one may be null. */
  words: (value: unknown) => typeof value === 'string' || value === null,
  time: (value: unknown) => (['dmy', 'mdy'] as const).some((dates) => timeOf(value, { dates, zone: 'UTC' }) !== null),
  number: isReadBy(money, { unit: '' }),
  amount: isAmount,
  percent: isPercent,
  /** A share of something that is not negative with us. */
  depth: isPercent,
  seconds: (value: unknown) => (numberOf(value) ?? 0) >= 3600,
  pair: (value: unknown) => typeof value === 'string' && /^[A-Z0-9]+[/_:-][A-Z0-9]+$/i.test(value),
} as const

function fits({ kind }: Sought, value: unknown): boolean {
  return FITS[kind](value)
}

const sought = (field: string, kind: SoughtKind, names: RegExp): Sought => ({ field, kind, names })

const ID = sought('id', 'id', /^(id|uid|uuid|guid|(job|bot|task|run|test|backtest)(id|no|key|ref)|ref|reference|key)$/)
const STATE = sought('state', 'text', /^(state|status|phase|stage|progress(state)?)$/)
const MARKET = [
  sought('exchange', 'text', /^(exchange|venue|platform|source)(id|name)?$/),
  sought('baseAsset', 'text', /^base(asset|currency|coin)?$/),
  sought('quoteAsset', 'text', /^(quote|counter)(asset|currency|coin)?$/),
]
export const PAIR = sought('pair', 'pair', /^(pair|symbol|market|instrument|ticker|name)$/)

/** Names as other services give them; our own name of a metric counts before these. */
const METRIC_NAMES_ELSEWHERE: Readonly<Partial<Record<MetricName, readonly [SoughtKind, RegExp]>>> = {
  netProfit: [
    'amount',
    /^(net|total|abs(olute)?)?(profit|pnl|gain|pl|earnings)(abs|amount|quote|usd[tc]?|total|net)?$/,
  ],
  roiPercent: ['percent', /^(roi|return|(total|net|profit|gain|pnl)(return|percent|pct|rate|ratio|share|perc)|yield)/],
  maxDrawdownPercent: ['depth', /^(max(imum)?|worst|deepest)?(drawdown|dd|dip|fall)/],
  closedDeals: ['number', /^(closed|total|num(ber)?(of)?|n)?(deals|trades|roundtrips|positions)(count|closed|total)?$/],
  winRatePercent: ['percent', /^(win|hit|success)(rate|ratio|percent|pct|share|s?)?$/],
  profitFactor: ['number', /^profitfactor|^pf$/],
  sharpe: ['number', /^sharpe/],
  sortino: ['number', /^sortino/],
  calmar: ['number', /^calmar/],
  feesPaid: ['amount', /^(total|paid)?(fees?|commissions?)(paid|total)?$/],
  volume: ['amount', /^(total|traded)?(volume|turnover)/],
  orders: ['number', /^(orders|fills|executions)(count|filled|total)?$/],
}

/** What is looked for in the bodies of each kind. */
export const SOUGHT = {
  limits: [
    sought('limit', 'number', /^(limit|max(imum)?|total|quota|allow(ed|ance)|cap(acity)?|perday|daily)/),
    sought('used', 'number', /^(used|spent|consumed|taken|count)/),
    sought('remaining', 'number', /^(remain(ing|s|der)?|left|available|free)/),
    sought('windowHours', 'number', /hours?$/),
    sought('windowHours', 'seconds', /^(window|period|per)(s|sec|secs|seconds)?$/),
    sought('nextAt', 'time', /^(next|reset|renew|reopen)/),
  ],
  job: [
    ID,
    sought('name', 'text', /^(name|label|tag|title|clientid|clientref(erence)?|externalid|note|alias)$/),
    STATE,
    sought('createdAt', 'time', /^(create|submit|queue|order|accept|ctime|insert|added)/),
    sought('startedAt', 'time', /^(start(ed)?|begun|began|run(ning)?)(at|time|on|since)?$/),
    sought('finishedAt', 'time', /^(finish|end(ed|at|time)|complete|done|closed)/),
    sought('error', 'words', /^(error|reason|fail|complaint|fault|problem|message|cause|trouble)/),
  ],
  request: [
    ...MARKET,
    sought('from', 'time', /^(from|start|since|begin)/),
    sought('to', 'time', /^(to|end|until|till|stop)/),
    sought('interval', 'text', /^(interval|resolution|timeframe|granularity|bar|candle)/),
  ],
  metrics: Object.entries(METRIC_NAMES_ELSEWHERE).map(([field, [kind, names]]) => sought(field, kind, names)),
  symbol: [
    ...MARKET.slice(1),
    sought('symbol', 'text', /^(symbol|name|ticker|id|pair|instrument)$/),
    sought('tickSize', 'number', /tick|price(step|increment|precision)|^step$/),
    sought('lotSize', 'number', /lot|(qty|quantity|amount|size|base)(step|increment)|stepsize/),
    sought('minNotional', 'number', /min(imum)?(notional|cost|order|value|amount)/),
  ],
  bot: [
    ID,
    sought('name', 'text', /^(name|label|title|alias)$/),
    sought('userEmail', 'text', /(email|owner|user|account)/),
    STATE,
    ...MARKET,
  ],
} as const satisfies Readonly<Record<string, readonly Sought[]>>

export interface Guess {
  readonly field: string
  readonly path: readonly string[]
  /** What its value is, as an expression of the value as it stands in the body. */
  readonly convert: (expression: string) => string
  readonly reason: string
}

/** At most one guess for each field that is sought, in their order. */
export function guessFields(seen: readonly SeenField[], sought: readonly Sought[]): readonly Guess[] {
  const taken = new Set<SeenField>()
  const guesses = new Map<string, Guess>()
  for (const one of sought) {
    if (guesses.has(one.field)) continue
    const free = seen.filter((candidate) => !taken.has(candidate) && fits(one, candidate.value))
    const own = plainName(one.field)
    const found = free.find(({ name }) => name === own) ?? free.find(({ name }) => one.names.test(name))
    if (found === undefined) continue
    taken.add(found)
    guesses.set(one.field, toGuess(one, found))
  }
  return [...guesses.values()]
}

function toGuess(sought: Sought, { path, name, value }: SeenField): Guess {
  const shown = (JSON.stringify(value) ?? '').replaceAll('*/', '* /').slice(0, 60)
  const { convert, why } = conversionOf(sought, name, value)
  return { field: sought.field, path, convert, reason: why === '' ? shown : `${shown}: ${why}` }
}

interface Conversion {
  readonly convert: (expression: string) => string
  readonly why: string
}

const AS_IT_IS: Conversion = { convert: (expression) => expression, why: '' }

function conversionOf({ kind }: Sought, name: string, value: unknown): Conversion {
  const isText = typeof value === 'string'
  switch (kind) {
    case 'number':
      return isText ? { convert: calling('money'), why: 'a number as text' } : AS_IT_IS
    case 'amount':
      return isText ? amountConversion(value) : AS_IT_IS
    case 'percent':
    case 'depth':
      return percentConversion(name, value, kind === 'depth')
    case 'seconds':
      return { convert: (text) => `${text} / 3600`, why: 'taken for seconds' }
    case 'time': {
      const ms = timeOf(value)
      if (ms === null) return { convert: calling('time'), why: 'a time that does not say all of itself' }
      return { ...AS_IT_IS, why: new Date(ms).toISOString().slice(0, 16) }
    }
    default:
      return AS_IT_IS
  }
}

/** A call of a helper of 'dcalab', with what only this value needs. */
function calling(helper: string, more = '') {
  return (expression: string): string => `${helper}(${expression}${more})`
}

/** A currency that the helper does not know is named. */
function amountConversion(value: string): Conversion {
  const isKnown = (['.', ','] as const).some((decimal) => typeof money(value, { decimal }) === 'number')
  const unit = isKnown ? undefined : /[a-z][a-z0-9]*/i.exec(value)?.[0]
  const more = unit === undefined ? '' : `, { unit: ${JSON.stringify(unit)} }`
  return { convert: calling('money', more), why: 'a text that is read whole' }
}

/** `isDepth`: with us it is never negative. */
function percentConversion(name: string, value: unknown, isDepth: boolean): Conversion {
  const text = typeof value === 'string' ? value : undefined
  const [number = Number.NaN] = (['.', ','] as const)
    .map((decimal) => percent(value, { decimal }))
    .filter((read) => typeof read === 'number')
  const isBelow = isDepth && number < 0
  const below = isBelow ? ', below zero' : ''
  const more = isBelow ? ', { absolute: true }' : ''
  const saysPercent = text !== undefined && /[^\d\s.,+−-]/.test(text)
  if (saysPercent || /percent|pct|perc/.test(name) || Math.abs(number) > 1) {
    if (text !== undefined) return { convert: calling('percent', more), why: `a text in percent${below}` }
    return { convert: isBelow ? calling('Math.abs') : AS_IT_IS.convert, why: `taken for percent${below}` }
  }
  return { convert: calling('share', more), why: `taken for a fraction, as it is 1 or less${below}` }
}

const isName = /^[A-Za-z_$][\w$]*$/

/** `body.data?.jobs` for the keys data, jobs; the root itself is known to be there. */
export function accessTo(root: string, path: readonly string[]): string {
  return path.reduce((text, key, at) => {
    const mark = at === 0 ? '' : '?.'
    if (isName.test(key)) return `${text}${mark === '' ? '.' : mark}${key}`
    return `${text}${mark}[${JSON.stringify(key)}]`
  }, root)
}

/** A key of an object literal. */
function keyText(key: string): string {
  return isName.test(key) ? key : JSON.stringify(key)
}

/** `id: job.uid, // "bt-1"`, one line for each guess, indented. */
export function memberLines(root: string, guesses: readonly Guess[], indent: string): string[] {
  return guesses.map(
    ({ field, path, convert, reason }) => `${indent}${field}: ${convert(accessTo(root, path))}, // ${oneLine(reason)}`,
  )
}

/** The assets of a pair that is one text: "BTC/USDT". */
export function splitLine(root: string, path: readonly string[], value: unknown, indent: string): string {
  const separator = JSON.stringify(/[^A-Z0-9]/i.exec(String(value))?.[0] ?? '/')
  const asset = (at: number) => `${accessTo(root, path)}?.split(${oneLine(separator)})[${at}]`
  return `${indent}baseAsset: ${asset(0)}, quoteAsset: ${asset(1)}, // ${oneLine(JSON.stringify(value))}`
}

/** What a service says must not end a comment, wherever an engine ends lines. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
}

const CURSOR = /^(next(page)?|after|(next|after|end|page)?(cursor|token)|nextpagetoken|continuation(token)?)$/
const PAGE = /^(page|pageno|pagenumber|pageindex|current(page)?|number)$/
const PAGES = /^((total|last|max|num|n)?pages?(count|total)?|of)$/
const MORE = /^(has)?more(pages|items)?$|^hasnext(page)?$/

/** The items of a list's body, wherever they lie. */
export function itemsIn(body: unknown): readonly unknown[] {
  return seeList(body)?.items ?? []
}

/** `jobList: (body) => …`, or nothing when the body holds no list. */
export function draftList(name: 'jobList' | 'botList', body: unknown, from: string): readonly string[] {
  const list = seeList(body)
  if (list === undefined) return []
  const beside = seeFields(body).filter(({ path }) => !isUnder(path, list.path))
  const { next, why } = guessNext(beside)
  const found = `({ items: ${accessTo('body', list.path)}, next: ${next} })`
  return [`  ${name}: (body) => ${found}, // ${from}: ${why}`]
}

function isUnder(path: readonly string[], above: readonly string[]): boolean {
  return above.length > 0 && above.every((key, at) => path[at] === key)
}

interface NextGuess {
  readonly next: string
  readonly why: string
}

function guessNext(fields: readonly SeenField[]): NextGuess {
  const page = fields.find(({ name, value }) => PAGE.test(name) && numberOf(value) !== null)
  const pages = fields.find((field) => field !== page && PAGES.test(field.name) && numberOf(field.value) !== null)
  const more = fields.find(({ name, value }) => MORE.test(name) && typeof value === 'boolean')
  if (page !== undefined && (pages !== undefined || more !== undefined)) {
    const at = accessTo('body', page.path)
    const goesOn = pages === undefined ? accessTo('body', more?.path ?? []) : `${at} < ${accessTo('body', pages.path)}`
    const parameter = oneLine(page.path.at(-1) ?? 'page')
    return {
      next: `${goesOn} ? { ${keyText(parameter)}: ${at} + 1 } : null`,
      why: `page ${String(page.value)}${pages === undefined ? '' : ` of ${String(pages.value)}`}: the next one is requested with ${parameter}`,
    }
  }
  const cursor = fields.find(({ name, value }) => CURSOR.test(name) && (value === null || typeof value !== 'boolean'))
  if (cursor === undefined)
    return { next: 'null', why: 'nothing beside it looks like a page or a cursor: taken for whole' }
  const at = accessTo('body', cursor.path)
  const key = oneLine(cursor.path.at(-1) ?? 'cursor')
  const parameter = /cursor/i.test(key) ? 'cursor' : /token/i.test(key) ? 'pageToken' : key
  return {
    next: `${at} == null ? null : { ${keyText(parameter)}: ${at} }`,
    why: `${key} is taken for a cursor, sent as ${parameter}`,
  }
}
