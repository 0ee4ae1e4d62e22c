/**
 * Reads the bodies of bots and jobs: every problem of a body at once, each with its field. A field we do not know is a problem
 * too, because a misspelt field would silently change what is simulated or created.
 */
import type { FieldProblem, JobRequestBody } from '../contract/bodies.ts'
import {
  BOT_FIELDS,
  CONFIG_FIELDS,
  type ConfigField,
  type DcaSpotConfig,
  findBoundProblem,
  STRATEGY_TYPE,
} from '../contract/bot.ts'
import type { BotBody } from '../contract/bot-bodies.ts'
import { findMarket, isInterval, marketName } from '../contract/market.ts'
import { parseInstant } from './instants.ts'

export type Decoded<T> = { readonly value: T } | { readonly problems: readonly FieldProblem[] }

/** A checked creation payload. Whether the plan allows the bot is checked later. */
export type BotPayload = Pick<BotBody, keyof typeof BOT_FIELDS>

export interface PayloadContext {
  /** Names (`binance/BTC-USDT`) of the markets the service holds candles for. */
  readonly markets: ReadonlySet<string>
  /** The account of the key. */
  readonly userEmail: string
}

const botFields: readonly string[] = Object.keys(BOT_FIELDS)
const jobFields: readonly string[] = [
  ...['name', 'strategyType', 'exchange', 'baseAsset', 'quoteAsset', 'from', 'to', 'interval'],
  ...CONFIG_FIELDS,
]

/** Fields that may be left out, with their defaults. */
const defaults: Partial<Record<ConfigField, number>> = { leverage: 1, stopLoss: 0 }

export function readBotPayload(body: unknown, { markets, userEmail }: PayloadContext): Decoded<BotPayload> {
  const form = openForm(body, botFields)
  const owner = form.text('userEmail')
  if (owner !== '' && owner.toLowerCase() !== userEmail) form.refuse('userEmail', 'is not the account of this key')
  const name = form.text('name')
  const market = readMarket(form, markets)
  const config = readConfig(form)
  const isDemo = form.value('isDemo')
  if (typeof isDemo !== 'boolean') form.refuse('isDemo', `expected true or false, found ${spell(isDemo)}`)
  return form.close(() => ({ userEmail, name, ...market, ...config, isDemo: isDemo === true }))
}

export function readJobRequest(body: unknown, { markets }: Pick<PayloadContext, 'markets'>): Decoded<JobRequestBody> {
  const form = openForm(body, jobFields)
  const name = form.has('name') ? { name: form.text('name') } : {}
  const market = readMarket(form, markets)
  const from = readInstant(form, 'from')
  const to = readInstant(form, 'to')
  if (from >= to) form.refuse('to', 'expected a moment after from')
  const interval = form.value('interval')
  if (form.has('interval') && !(typeof interval === 'string' && isInterval(interval))) {
    form.refuse('interval', `expected an interval such as 1m, found ${spell(interval)}`)
  }
  const config = readConfig(form)
  return form.close(() => ({
    ...name,
    ...market,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    ...(typeof interval === 'string' ? { interval } : {}),
    ...config,
  }))
}

function readConfig(form: Form): DcaSpotConfig {
  const entries = CONFIG_FIELDS.map((field) => {
    const value = form.has(field) ? form.value(field) : defaults[field]
    const problem = findBoundProblem(field, value)
    if (problem !== undefined) form.refuse(field, problem)
    return [field, value]
  })
  return Object.fromEntries(entries) // all are numbers: with any problem this is not called
}

function readMarket(form: Form, markets: ReadonlySet<string>) {
  const strategyType = form.value('strategyType')
  if (strategyType !== STRATEGY_TYPE) {
    form.refuse('strategyType', `expected ${STRATEGY_TYPE}, found ${spell(strategyType)}`)
  }
  const market = {
    exchange: form.text('exchange'),
    baseAsset: form.text('baseAsset'),
    quoteAsset: form.text('quoteAsset'),
  }
  const name = marketName(market)
  const exchangeIsKnown = [...markets].some((known) => known.startsWith(`${market.exchange}/`))
  if (market.exchange !== '' && !exchangeIsKnown) {
    form.refuse('exchange', `no candles of the exchange ${spell(market.exchange)} here`)
  } else if (findMarket(name) !== undefined && !markets.has(name)) {
    form.refuse('baseAsset', `no candles of ${name} here`)
  } else if (market.baseAsset !== '' && market.quoteAsset !== '' && !markets.has(name)) {
    form.refuse(
      'baseAsset',
      `expected upper-case tickers, found ${spell(market.baseAsset)}, ${spell(market.quoteAsset)}`,
    )
  }
  return { strategyType: STRATEGY_TYPE, ...market } as const
}

function readInstant(form: Form, field: string): number {
  const text = form.value(field)
  const time = typeof text === 'string' ? parseInstant(text) : undefined
  if (time === undefined) form.refuse(field, `expected an ISO 8601 date or instant with its zone, found ${spell(text)}`)
  return time ?? Number.NaN
}

interface Form {
  has(field: string): boolean
  value(field: string): unknown
  /** A text of 1–200 characters without control characters; for anything else it records the problem and returns ''. */
  text(field: string): string
  refuse(field: string, message: string): void
  /** Returns what `build` makes, or every problem found. */
  close<T>(build: () => T): Decoded<T>
}

function openForm(body: unknown, known: readonly string[]): Form {
  const problems: FieldProblem[] = []
  const refuse = (field: string, message: string) => void problems.push({ field, message })
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
  // A Map, so that a field may be named like a member of Object.prototype.
  const fields = new Map<string, unknown>(isObject ? Object.entries(body) : [])
  if (!isObject) refuse('', `expected a JSON object, found ${spell(body)}`)
  for (const field of fields.keys())
    if (!known.includes(field)) refuse(field.slice(0, 100), 'is not a field of this body')
  return {
    has: (field) => fields.has(field),
    value: (field) => fields.get(field),
    text(field) {
      const value = fields.get(field)
      const usable = typeof value === 'string' && value.length >= 1 && value.length <= 200
      if (usable && !/[\p{Cc}\p{Cs}]/u.test(value)) return value
      refuse(field, `expected a text of 1–200 characters, found ${spell(value)}`)
      return ''
    },
    refuse,
    close: (build) => (problems.length > 0 ? { problems } : { value: build() }),
  }
}

/** A value as JSON, shortened for a message. */
function spell(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
