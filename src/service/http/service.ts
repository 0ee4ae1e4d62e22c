import type { System } from '../../system.ts'
import type { LiveBots, MarketClock } from '../bots/live-bots.ts'
import type { Database } from '../database.ts'
import type { ServiceTerms } from '../job-terms.ts'
import type { CandleCache, JobRunner } from '../jobs/job-runner.ts'
import type { AllowanceTerms, WindowType } from '../jobs/jobs.ts'

interface RateTerms {
  /** Requests per minute and key; 0 = unlimited. */
  readonly limit: number
  /** Any minute, or minutes that begin every 60 s of the monotonic clock. */
  readonly window: WindowType
}

/** What every endpoint works with. */
export interface Service {
  readonly db: Database
  readonly system: System
  readonly serviceId: string
  readonly candlesFolder: string
  readonly candleCache: CandleCache
  readonly jobs: JobRunner
  readonly bots: LiveBots
  readonly market: MarketClock
  readonly rate: RateTerms
  readonly allowance: AllowanceTerms
  readonly terms: ServiceTerms
  /** Whether it says who it is and what it computes with, and computes with what a job asks. */
  readonly discloses: boolean
}
