/** Everything a report is made of. `gather.ts` reads it from the store and the candle folder; `build.ts` turns it into a page. */

import type { DealBody, OpenDealBody } from '../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Market } from '../../contract/market.ts'
import type { MetricsAsRead } from '../../contract/metrics.ts'
import type { Candles } from '../../engine/candles.ts'
import type { HoldoutResult } from '../evidence/holdout/read-holdout.ts'
import type { StoredCalibration } from '../store/calibrations.ts'
import type { ServiceProgress } from '../store/choose-service.ts'
import type { KeptDriftCheck } from '../store/drift-checks.ts'
import type { PromotedTrial } from '../store/promotions.ts'
import type { TrialRecord } from '../store/records.ts'
import type { Revision } from '../store/revisions.ts'
import type { Spending } from '../store/spending.ts'
import type { TriedCount } from '../store/tried-count.ts'
import type { KeptExamination } from '../store/verdicts.ts'
import type { Period, Study } from '../study/study.ts'
import type { Verdict } from '../verdict/judge.ts'
import type { Reason } from '../verdict/reasons.ts'
import type { Slot } from './charts/over-time.ts'
import type { PageTerms } from './model/document.ts'

export interface ReportInput {
  /** When the report is made, ms UTC. */
  readonly madeAt: number
  readonly sections: readonly StudyInput[]
}

/** One study on one service identity, on one of its markets; a study with several has one of these for each, in their order. */
export interface StudyInput {
  readonly study: Study
  readonly market: Market
  /** null when the study was never run. */
  readonly identity: string | null
  /** The same by its short name, with how far the study is on it. */
  readonly service: Pick<ServiceProgress, 'name' | 'done' | 'total'> | null
  /** The others that the study was run on; their results are left out. */
  readonly otherServices: readonly Pick<ServiceProgress, 'name' | 'done' | 'total'>[]
  /** null = a search proposes what is tried. */
  readonly plan: { readonly grid: number; readonly breaksLimit: number; readonly duplicates: number } | null
  /** What `study check` says of the study itself. */
  readonly warnings: readonly string[]
  /** Fingerprints of the trials that compete; null = all do. */
  readonly chosen: ReadonlySet<string> | null
  /** In the study's order, all of `identity`, on every market: the ranking is over all of them. */
  readonly trials: readonly TrialRecord[]
  readonly spending: Spending | null
  /** At this market and the study's time: of all studies and services, local ones included. */
  readonly tried: TriedCount
  /** The last one of every trial that was examined, by fingerprint. */
  readonly examinations: ReadonlyMap<string, KeptExamination>
  /** Of the best on this market; null = there is none. */
  readonly best: BestInput | null
  /** Of the study, oldest first. */
  readonly revisions: readonly Revision[]
  /** null = the study holds nothing out. */
  readonly holdout: HoldoutInput | null
  /** Of the service, the last one; null = it was never calibrated. */
  readonly calibration: StoredCalibration | null
  /** What the search of the study kept of its test of agreement, as JSON; undefined = it made none. */
  readonly agreement: unknown
  /** Trials on this market of which a bot was made, or was to be; the latest first. */
  readonly promotions: readonly PromotedTrial[]
  /** The last comparison of each bot of those trials with its backtest, the latest first. */
  readonly drifts: readonly DriftInput[]
  /** Of the study's period, of which a closed hold-out is no part. */
  readonly candles: CandlesInput
  /** Which of them the page is to carry. */
  readonly embedded: CandleChoice
  /** Under what a result was computed that does not say it. */
  readonly assumed: Omit<PageTerms, 'candlesHash'>
}

export interface PricePoint {
  /** Open time of its candle, ms UTC. */
  readonly time: number
  readonly price: number
}

export interface DriftInput {
  readonly check: KeptDriftCheck
  /** Of the bot's time; or why there is none. */
  readonly price: readonly PricePoint[] | { readonly reason: string }
  /** A closed hold-out lies in the bot's time: what is known of it is not shown. */
  readonly isHidden: boolean
}

export interface BestInput {
  /** Closed ones, as the service stated them; null = it stated none, or they were dropped. */
  readonly deals: readonly DealBody[] | null
  readonly openDeal: OpenDealBody | null
  /** null = the service does not say. */
  readonly engineVersion: string | null
  /** As it was judged last; null = never, or it is kept in a form that cannot be read. */
  readonly verdict: ShownVerdict | null
  /** The plain ladder on the study's days, filled as the best was; null = there are no candles. */
  readonly plain: { readonly config: DcaSpotConfig; readonly metrics: MetricsAsRead } | null
  /** The study's days; behind them those that it held out, once they are opened. */
  readonly spans: readonly SpanInput[]
}

type ShownReason = Pick<Reason, 'hard' | 'sentence' | 'remedy' | 'command'> & { readonly code: string }

/** What the page shows of a verdict. */
export interface ShownVerdict
  extends Pick<Verdict, 'tried' | 'grade' | 'headline' | 'sentence' | 'next' | 'expect' | 'unknown' | 'also'> {
  readonly reasons: readonly ShownReason[]
  readonly excess: Pick<NonNullable<Verdict['excess']>, 'mean' | 'error' | 'usualCapital' | 'days'> | null
  readonly stretches: readonly StretchInput[]
  /** ISO 8601 UTC. */
  readonly judgedAt: string
  readonly isStale: boolean
}

/** A stretch of history, entered flat; times ISO 8601 UTC. */
export interface StretchInput {
  readonly from: string
  readonly to: string
  /** Quote. */
  readonly netProfit: number
  /** What holding earned, and what the price changed by. */
  readonly holdPercent: number
  readonly changePercent: number
}

/** Days on which the best was run, beside the same amount held and a plain ladder with worst-case fills; what is not known is empty or null. */
export interface SpanInput extends Period {
  /** It was chosen on other days. */
  readonly isUnseen: boolean
  /** The bot's. */
  readonly metrics: MetricsAsRead
  /** Of the same investment. */
  readonly lines: Readonly<Record<Slot, readonly DayReturn[]>>
  /** Net profit of the average used capital. */
  readonly perUsedPercent: Readonly<Record<Slot, number | null>>
}

export interface HoldoutInput {
  readonly span: Period
  /** Configurations that others have tried on this time; of an opened one, before it was opened. */
  readonly seenConfigs: number
  /** null = it is closed. `at`: ISO 8601 UTC. */
  readonly opened: {
    readonly at: string
    readonly by: string
    readonly reason: string
    /** The winner of another revision was run on it. */
    readonly isOfOther: boolean
    /** The service it was tested on, where that is not the one whose results are shown. */
    readonly elsewhere?: string
  } | null
  /** On every market; null where they are of another service, and before all of them are in. */
  readonly results: readonly HoldoutResult[] | null
}

/** `auto`: all of them where they are few enough. */
export type CandleChoice = 'auto' | 'full' | 'none'

export type CandlesInput =
  | {
      readonly kind: 'found'
      readonly candles: Candles
      readonly interval: string
      /** SHA-256 hex. */
      readonly hash: string
      /** How many the period lacks. */
      readonly missing: number
    }
  | { readonly kind: 'absent'; readonly reason: string }

interface DayReturn {
  /** UTC day, `2021-04-21`. */
  readonly date: string
  readonly returnPercent: number
}
