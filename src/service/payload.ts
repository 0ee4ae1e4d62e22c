/** Reads the bodies of bots and jobs: every problem of a body at once, each with its field. */
import type { JobRequestBody } from '../contract/bodies.ts'
import {
  BOT_FIELDS,
  CONFIG_DEFAULTS,
  CONFIG_FIELDS,
  type DcaSpotConfig,
  findBoundProblem,
  STRATEGY_TYPE,
} from '../contract/bot.ts'
import type { BotBody } from '../contract/bot-bodies.ts'
import { findMarket, isInterval, marketName } from '../contract/market.ts'
import { type AskedTerms, type Decoded, type Form, openForm, readSettings, spell } from './job-terms.ts'

//

const instantPattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Reads an ISO 8601 date (00:00Z) or an instant with its zone; ms UTC, or undefined for anything else, 30 February included. */
export function parseInstant(text: string): number | undefined {
  const date = instantPattern.exec(text)?.[1]
  const midnight = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}

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

/** A job as its body orders it. What it asks to be computed with becomes part of its terms and is not kept with the request. */
export interface JobOrder {
  readonly request: JobRequestBody
  readonly asked: AskedTerms
}

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
    form.refuse('interval', `expected an interval such as 1m, found ${spell(interval)}`)
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
