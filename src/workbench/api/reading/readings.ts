/**
 * What we understood of a reply. The replies of every service are read into these types, whatever its dialect. An unreadable
 * value is null and, for metrics, named in `flags`. Times are ms UTC.
 */
import type { FieldProblem, OpenDealBody } from '../../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { Market } from '../../../contract/market.ts'
import type { ResultReading, SettingsReading } from '../../../contract/result-reading.ts'
import type { EXECUTION_SHAPE, ORDER_SHAPE, PNL_SHAPE, Understood } from './shape.ts'

/** A job in state `unknown` is polled further. */
export type JobReadingState = 'pending' | 'done' | 'failed' | 'deleted' | 'unknown'

export interface JobReading {
  readonly id: string
  readonly name: string | null
  readonly state: JobReadingState
  /** The state in the service's own word; empty when it names none. */
  readonly stateText: string
  readonly createdAt: number | null
  readonly finishedAt: number | null
  /** The request, as far as the service returns it. */
  readonly request: JobRequestReading | null
  readonly result: ResultReading | null
  /** Why it failed, in the service's own words. */
  readonly error: string | null
  /** The text as received, keys removed: the whole reply, or the job's item of a list. It can be read again later (`rereadJob`). */
  readonly rawText: string
}

interface JobRequestReading {
  readonly market: Market | null
  readonly period: { readonly from: number; readonly to: number } | null
  readonly interval: string | null
  /** The fields that the service returned as readable numbers. */
  readonly config: Readonly<Partial<DcaSpotConfig>>
  /** What the job is computed with, as far as the service says so; null when it says nothing, as a service that is not ours. */
  readonly settings: SettingsReading | null
}

/** One page of a list. */
export interface Page<T> {
  readonly items: readonly T[]
  /** Pass it on for the next page; null on the last one. */
  readonly next: string | null
  /** Items that could not be read: of jobs and bots those without a usable id. With any, what is not in the list may still exist. */
  readonly unreadable: number
  /** The first of them, shortened, with its place in the list; null when there is none. */
  readonly firstUnreadable: string | null
}

/** GET /api/backtest/limits; a number that the body does not contain is null. */
export interface LimitsReading {
  readonly limit: number | null
  readonly windowMs: number | null
  readonly windowType: 'sliding' | 'fixed' | null
  readonly used: number | null
  readonly remaining: number | null
  readonly nextAt: number | null
  /** What the key may do; absent where the service does not announce it. */
  readonly scopes?: readonly string[]
}

export interface SymbolReading {
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly tickSize: number | null
  readonly lotSize: number | null
  readonly minNotional: number | null
  readonly candles: readonly { readonly interval: string; readonly from: number | null; readonly to: number | null }[]
}

export interface BotReading {
  readonly id: string
  readonly name: string | null
  readonly userEmail: string | null
  readonly strategyType: string | null
  readonly market: Market | null
  readonly config: Readonly<Partial<DcaSpotConfig>>
  /** true only when the body says exactly `"isDemo": true`; anything else counts as a real bot. */
  readonly isDemo: boolean
  readonly state: BotReadingState
  /** The state in the service's own word; empty when it names none. */
  readonly stateText: string
  readonly createdAt: number | null
  readonly updatedAt: number | null
  readonly startedAt: number | null
  readonly stoppedAt: number | null
  /** Why the bot is stopped, in the service's own words. */
  readonly stopReason: string | null
  /** End of the last candle it has seen. */
  readonly tradedUntil: number | null
  /** Why the service cannot report more about it, in its own words. */
  readonly problem: string | null
  readonly rawText: string
}

/** `unknown` is shown in the service's own word and never treated as running. */
export type BotReadingState = 'created' | 'running' | 'stopped' | 'unknown'

/** One fill; null for a value that the service does not give. Amounts in quote, `quantity` in base. */
export type ExecutionReading = Understood<typeof EXECUTION_SHAPE>

export type OrderReading = Understood<typeof ORDER_SHAPE>

/** A bot's profit and loss, in quote; null for a value that the service does not give. */
export type PnlReading = Omit<
  Understood<typeof PNL_SHAPE>,
  'candles' | 'openDeal' | 'dailyEquity' | 'conventions' | 'costs' | 'engineVersion'
> & {
  readonly openDeal: OpenDealBody | null
  /** null where the service does not say whether there is one. */
  readonly hasOpenDeal: boolean | null
  readonly dailyEquity: readonly { readonly date: string; readonly equity: number }[]
  /** The candles that it follows from; null where the service does not say their interval. */
  readonly seen: {
    readonly interval: string
    readonly from: number | null
    readonly to: number | null
    readonly count: number | null
  } | null
  /** What the bot trades under, as far as the service says so. */
  readonly terms: Pick<SettingsReading, 'conventions' | 'costs'>
  readonly rawText: string
}

/** The reply to an update, a start or a stop; null when it contains no bot (the action was done nevertheless). */
export interface BotReply {
  readonly bot: BotReading | null
}

export interface ValidationReading {
  readonly valid: boolean
  readonly errors: readonly FieldProblem[]
}
