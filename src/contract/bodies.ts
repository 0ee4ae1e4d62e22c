/**
 * The bodies that the API document does not show, in the form our own service uses (assumptions A-10 … A-19). Those of bots are
 * in `bot-bodies.ts`. Times are ISO 8601 UTC. The workbench never relies on these shapes directly: it reads every service through
 * a dialect.
 */
import type { DcaSpotConfig } from './bot.ts'
import type { Deal, UnclosedDeal } from './deal.ts'
import type { Scope } from './endpoints.ts'
import type { Metrics } from './metrics.ts'

/** Response header by which our embedded service identifies itself: `embedded:<service id>`. */
export const SERVICE_HEADER = 'X-DCALab-Service'

/** Every refusal and error, one shape. */
export interface ErrorBody {
  readonly error: { readonly code: string; readonly message: string; readonly details?: readonly FieldProblem[] }
}

export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** GET /api/backtest/limits. */
export interface LimitsBody {
  readonly limit: number
  readonly windowHours: number
  readonly windowType: 'sliding' | 'fixed'
  readonly used: number
  readonly remaining: number
  /** When the next backtest is allowed if none remains, else null. */
  readonly nextAt: string | null
  /** What the key may do; absent where the service does not disclose what it is. */
  readonly scopes?: readonly Scope[]
}

/** POST /api/backtest/jobs: a DCA_SPOT configuration, a market and a period. */
export interface JobRequestBody extends DcaSpotConfig {
  /** Echoed in the job, so that a client can find its own. 1–200 characters. */
  readonly name?: string
  readonly strategyType: 'DCA_SPOT'
  readonly exchange: string
  readonly baseAsset: string
  readonly quoteAsset: string
  /** Inclusive. */
  readonly from: string
  /** Exclusive: a candle belongs when from ≤ open time < to. */
  readonly to: string
  /** Default: the finest stored interval that covers the period. */
  readonly interval?: string
  /**
   * What to compute with, where the service is our own. A part that is absent is the service's own. The job returned states
   * every part in force.
   */
  readonly settings?: JobSettingsBody
}

/** An extension of our own service: nothing of it is sent to any other. */
export interface JobSettingsBody {
  /** Every convention by its name, as results state them. */
  readonly conventions?: Readonly<Record<string, unknown>>
  readonly costs?: CostsBody
  readonly symbol?: SymbolRulesBody
}

/** In percent of the traded amount. */
export interface CostsBody {
  readonly feePercent: number
  readonly slippagePercent: number
}

/** Exchange rules of a symbol; a null is not enforced. */
export interface SymbolRulesBody {
  /** Price step in quote. */
  readonly tick: number | null
  /** Quantity step in base. */
  readonly lot: number | null
  /** Smallest order in quote. */
  readonly minNotional: number | null
}

export const JOB_STATES = ['queued', 'running', 'completed', 'failed', 'deleted'] as const
type JobState = (typeof JOB_STATES)[number]

/** A backtest job. */
export interface JobBody {
  readonly id: string
  readonly name: string | null
  readonly state: JobState
  readonly createdAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
  readonly request: JobRequestBody
  readonly result: JobResultBody | null
  readonly error: { readonly code: string; readonly message: string } | null
}

/** GET /api/backtest/jobs: newest first; `next` is the query string of the following page, or null. */
export interface JobListBody {
  readonly jobs: readonly JobBody[]
  readonly next: string | null
}

/** What it was computed with stands beside it, except where the service does not disclose that. */
export interface JobResultBody {
  readonly metrics: Metrics
  readonly deals: readonly DealBody[]
  readonly openDeal: OpenDealBody | null
  readonly candles: CandlesBody
  readonly conventions?: Readonly<Record<string, unknown>>
  readonly costs?: CostsBody
  /** The rules enforced. Also absent from results of a version that did not state them. */
  readonly symbol?: SymbolRulesBody
  readonly engineVersion?: string
}

export type DealBody = Deal<string>

export type OpenDealBody = UnclosedDeal<string>

/** The candles that a result was computed from. */
export interface CandlesBody {
  readonly market: string
  readonly interval: string
  readonly from: string
  readonly to: string
  readonly count: number
  readonly missing: number
  /** Content hash of the candles used. */
  readonly hash: string
  readonly synthetic: boolean
}

/** GET /api/markets/{exchange}/symbols. */
export interface SymbolListBody {
  readonly symbols: readonly SymbolBody[]
}

export interface SymbolBody {
  readonly exchange: string
  readonly type: 'spot'
  readonly symbol: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly tickSize: number | null
  readonly lotSize: number | null
  readonly minNotional: number | null
  /** Candles this service can backtest on. */
  readonly candles: readonly { readonly interval: string; readonly from: string; readonly to: string }[]
}

/** POST /api/bots/validate: 200 either way; `errors` is empty exactly when `valid`. */
export interface ValidationBody {
  readonly valid: boolean
  readonly errors: readonly FieldProblem[]
}

// The seven refusals and two limits of the API document, as data.

export const REFUSALS = {
  BotPlanLimit: { status: 400, meaning: "Refusal tied to the limits of the user's plan on bot creation" },
  ApiKeyInvalid: { status: 401, meaning: 'The key is not valid' },
  AuthRequired: { status: 401, meaning: 'Authentication is missing' },
  ApiKeyAddress: { status: 403, meaning: 'Refusal tied to the address of the caller' },
  ApiKeyScope: { status: 403, meaning: 'The key lacks the scope that the endpoint needs' },
  ApiKeyRateLimit: { status: 429, meaning: 'More than 120 requests per minute with one key' },
  ApiKeyBacktestLimit: { status: 429, meaning: 'Backtest allowance of 100 per 24 hours is exhausted' },
} as const satisfies Record<string, { status: number; meaning: string }>

export type RefusalCode = keyof typeof REFUSALS

/** Per key: 120 requests per minute. */
export const RATE_LIMIT = { count: 120, windowMs: 60_000 } as const

/** Backtest use: 100 per 24 hours. */
export const BACKTEST_ALLOWANCE = { count: 100, windowMs: 86_400_000 } as const
