/** Reads the bodies of bots and jobs: every problem of a body at once, each with its field. */
import type { FieldProblem, JobRequestBody, JobSettingsBody } from '../contract/bodies.ts'
import {
  BOT_FIELDS,
  CONFIG_DEFAULTS,
  CONFIG_FIELDS,
  type DcaSpotConfig,
  findBoundProblem,
  STRATEGY_TYPE,
  spellValue,
} from '../contract/bot.ts'
import type { BotBody } from '../contract/bot-bodies.ts'
import { findMarket, isInterval, marketName, TICKER_PATTERN } from '../contract/market.ts'
import {
  type Conventions,
  type Costs,
  DEFAULT_COSTS,
  NO_SYMBOL_RULES,
  type SymbolRules,
} from '../engine/conventions.ts'
import { CONVENTION_NAMES, readStatedConventions } from '../engine/read-conventions.ts'
import { COST_BELOW, isCostPercent, isSymbolRule } from '../engine/read-settings.ts'
import type { JobTerms } from './job-terms.ts'

const instantPattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Reads an ISO 8601 date (00:00Z) or an instant with its zone; ms UTC, or undefined for anything else, 30 February included. */
export function parseInstant(text: string): number | undefined {
  const date = instantPattern.exec(text)?.[1]
  const midnight = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  const time = Date.parse(text)
  // A zone can lead out of the four digits of a year, where an instant that we write could not be read again.
  return Number.isNaN(time) || !instantPattern.test(new Date(time).toISOString()) ? undefined : time
}

/** Characters of a name, an asset and the e-mail of an account. */
export const LONGEST_TEXT = 200

/** A checked creation payload. Whether the plan allows the bot is checked later. */
export type BotPayload = Pick<BotBody, keyof typeof BOT_FIELDS>

interface PayloadContext {
  /** Names (`binance/BTC-USDT`) of the markets the service holds candles for. */
  readonly markets: ReadonlySet<string>
  /** The account of the key. */
  readonly userEmail: string
}

const botFields: readonly string[] = Object.keys(BOT_FIELDS)
const jobFields: readonly string[] = [
  ...['name', 'strategyType', 'exchange', 'baseAsset', 'quoteAsset', 'from', 'to', 'interval', 'settings'],
  ...CONFIG_FIELDS,
]

// Reads a JSON object field by field and collects every problem with its field. A field nobody reads is a problem too, because a
// misspelt field would silently change what is simulated or created.

type Decoded<T> = { readonly value: T } | { readonly problems: readonly FieldProblem[] }

interface Form {
  has(field: string): boolean
  value(field: string): unknown
  /** A text of 1–`LONGEST_TEXT` characters without control characters; for anything else it records the problem and returns ''. */
  text(field: string): string
  /** The object in a field; for anything else it records the problem and returns undefined. */
  within(field: string, known: readonly string[]): Form | undefined
  refuse(field: string, message: string): void
  /** Returns what `build` makes, or every problem found. */
  close<T>(build: () => T): Decoded<T>
}

interface Findings {
  /** Of the whole body. */
  readonly problems: readonly FieldProblem[]
  refuse(field: string, message: string): void
}

export function readBotPayload(body: unknown, { markets, userEmail }: PayloadContext): Decoded<BotPayload> {
  const form = openForm(body, botFields)
  const owner = form.text('userEmail')
  if (owner !== '' && owner.toLowerCase() !== userEmail) form.refuse('userEmail', 'is not the account of this key')
  const name = form.text('name')
  const market = readMarket(form, markets)
  const config = readConfig(form)
  const isDemo = form.value('isDemo')
  if (typeof isDemo !== 'boolean') form.refuse('isDemo', `expected true or false, found ${spellValue(isDemo)}`)
  return form.close(() => ({ userEmail, name, ...market, ...config, isDemo: isDemo === true }))
}

function openForm(body: unknown, known: readonly string[]): Form {
  const problems: FieldProblem[] = []
  const refuse = (field: string, message: string) => void problems.push({ field, message })
  if (isObject(body)) return formOf(body, known, { problems, refuse })
  refuse('', `expected a JSON object, found ${spellValue(body)}`)
  return formOf({}, known, { problems, refuse })
}

function formOf(body: object, known: readonly string[], { problems, refuse }: Findings): Form {
  // A Map, so that a field may be named like a member of Object.prototype.
  const fields = new Map<string, unknown>(Object.entries(body))
  for (const field of fields.keys())
    if (!known.includes(field)) refuse(field.slice(0, 100), 'is not a field of this body')
  return {
    has: (field) => fields.has(field),
    value: (field) => fields.get(field),
    text(field) {
      const value = fields.get(field)
      const length = typeof value === 'string' ? [...value].length : 0
      const usable = typeof value === 'string' && length >= 1 && length <= LONGEST_TEXT
      if (usable && !/[\p{Cc}\p{Cs}]/u.test(value)) return value
      refuse(field, `expected a text of 1–${LONGEST_TEXT} characters, found ${spellValue(value)}`)
      return ''
    },
    within(field, knownWithin) {
      const value = fields.get(field)
      if (!isObject(value)) {
        refuse(field, `expected a JSON object, found ${spellValue(value)}`)
        return undefined
      }
      return formOf(value, knownWithin, {
        problems,
        refuse: (inner, message) => refuse(`${field}.${inner}`, message),
      })
    },
    refuse,
    close: (build) => (problems.length > 0 ? { problems } : { value: build() }),
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The parts that a body asks for. */
type AskedTerms = Partial<JobTerms>

/** A job as its body orders it. What it asks to be computed with becomes part of its terms and is not kept with the request. */
export interface JobOrder {
  readonly request: JobRequestBody
  readonly asked: AskedTerms
}

const PARTS = ['conventions', 'costs', 'symbol'] as const satisfies readonly (keyof JobSettingsBody)[]
const COST_NAMES = Object.keys(DEFAULT_COSTS) as (keyof Costs)[] // keys of a const literal
const RULE_NAMES = Object.keys(NO_SYMBOL_RULES) as (keyof SymbolRules)[] // keys of a const literal

export function readJobOrder(
  body: unknown,
  { markets, readsSettings }: Pick<PayloadContext, 'markets'> & { readonly readsSettings: boolean },
): Decoded<JobOrder> {
  const form = openForm(body, jobFields)
  const name = form.has('name') ? { name: form.text('name') } : {}
  const market = readMarket(form, markets)
  const from = readInstant(form, 'from')
  const to = readInstant(form, 'to')
  if (from >= to) form.refuse('to', 'expected a moment after from')
  const interval = form.value('interval')
  if (form.has('interval') && !(typeof interval === 'string' && isInterval(interval))) {
    form.refuse('interval', `expected an interval such as 1m, found ${spellValue(interval)}`)
  }
  const config = readConfig(form)
  const asked = readsSettings ? readSettings(form) : {}
  return form.close(() => ({
    request: {
      ...name,
      ...market,
      from: new Date(from).toISOString(),
      to: new Date(to).toISOString(),
      ...(typeof interval === 'string' ? { interval } : {}),
      ...config,
    },
    asked,
  }))
}

/** Reads the field `settings` of a job's body; a part that is given must state all that belongs to it. */
function readSettings(body: Form): AskedTerms {
  const form = body.has('settings') ? body.within('settings', PARTS) : undefined
  if (form === undefined) return {}
  const conventions = readPart(form, 'conventions', CONVENTION_NAMES, readConventions)
  const costs = readPart(form, 'costs', COST_NAMES, readCosts)
  const symbol = readPart(form, 'symbol', RULE_NAMES, readRules)
  return {
    ...(conventions === undefined ? {} : { conventions }),
    ...(costs === undefined ? {} : { costs }),
    ...(symbol === undefined ? {} : { symbol }),
  }
}

function readPart<Part>(
  form: Form,
  name: keyof JobTerms,
  known: readonly string[],
  read: (part: Form) => Part | undefined,
): Part | undefined {
  const part = form.has(name) ? form.within(name, known) : undefined
  return part === undefined ? undefined : read(part)
}

function readConventions(form: Form): Conventions | undefined {
  const stated = readStatedConventions((name) => form.value(name))
  if ('conventions' in stated) return stated.conventions
  for (const { path, message } of stated.problems) form.refuse(path, message)
  return undefined
}

function readCosts(form: Form): Costs {
  const percent = (name: keyof Costs) => {
    const value = form.value(name)
    if (isCostPercent(value)) return value
    form.refuse(name, `expected a percentage from 0 to below ${COST_BELOW}, found ${spellValue(value)}`)
    return Number.NaN // the body is refused
  }
  return { feePercent: percent('feePercent'), slippagePercent: percent('slippagePercent') }
}

function readRules(form: Form): SymbolRules {
  const rule = (name: keyof SymbolRules) => {
    const value = form.value(name)
    if (isSymbolRule(name, value)) return value
    const least = isSymbolRule(name, 0) ? 'of at least 0' : 'above 0'
    form.refuse(name, `expected a number ${least}, or null where there is no such rule; found ${spellValue(value)}`)
    return null // the body is refused
  }
  return { tick: rule('tick'), lot: rule('lot'), minNotional: rule('minNotional') }
}

function readConfig(form: Form): DcaSpotConfig {
  const entries = CONFIG_FIELDS.map((field) => {
    const value = form.has(field) ? form.value(field) : CONFIG_DEFAULTS[field]
    const problem = findBoundProblem(field, value)
    if (problem !== undefined) form.refuse(field, problem)
    return [field, value]
  })
  return Object.fromEntries(entries) // all are numbers: with any problem this is not called
}

function readMarket(form: Form, markets: ReadonlySet<string>) {
  const strategyType = form.value('strategyType')
  if (strategyType !== STRATEGY_TYPE) {
    form.refuse('strategyType', `expected ${STRATEGY_TYPE}, found ${spellValue(strategyType)}`)
  }
  const market = {
    exchange: form.text('exchange'),
    baseAsset: form.text('baseAsset'),
    quoteAsset: form.text('quoteAsset'),
  }
  const name = marketName(market)
  const exchangeIsKnown = [...markets].some((known) => known.startsWith(`${market.exchange}/`))
  if (market.exchange !== '' && !exchangeIsKnown) {
    form.refuse('exchange', `no candles of the exchange ${spellValue(market.exchange)} here`)
  } else if (findMarket(name) !== undefined && !markets.has(name)) {
    const isBaseKnown = [...markets].some((known) => known.startsWith(`${market.exchange}/${market.baseAsset}-`))
    form.refuse(isBaseKnown ? 'quoteAsset' : 'baseAsset', `no candles of ${name} here`)
  } else if (!markets.has(name)) {
    for (const field of ['baseAsset', 'quoteAsset'] as const) {
      const ticker = market[field]
      if (ticker === '' || new RegExp(TICKER_PATTERN).test(ticker)) continue
      form.refuse(field, `expected an upper-case ticker, found ${spellValue(ticker)}`)
    }
  }
  return { strategyType: STRATEGY_TYPE, ...market } as const
}

function readInstant(form: Form, field: string): number {
  const text = form.value(field)
  const time = typeof text === 'string' ? parseInstant(text) : undefined
  if (time === undefined)
    form.refuse(field, `expected an ISO 8601 date or instant with its zone, found ${spellValue(text)}`)
  return time ?? Number.NaN
}
