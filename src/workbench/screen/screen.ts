/** What a screen of a study says, and what of it is saved. Nothing is sent or spent. */
import { marketName } from '../../contract/market.ts'
import type { Clock } from '../../system.ts'
import type { MarketScreen, ScreenReport, ScreenReportAcross } from '../store/screen-record.ts'
import type { Study } from '../study/study.ts'
import { type MarketOnCandles, type MarketsScreening, type MarketsToScreen, screenMarkets } from './screen-markets.ts'

interface ScreenOptions extends MarketsToScreen {
  readonly clock: Clock
  /** Monotonic time at which the work began; default now. */
  readonly startedAt?: number
}

interface StudyScreening {
  /** `markets` are there in the report of a study of several, even where one alone has candles. */
  readonly report: ScreenReport | ScreenReportAcross
  /** In the order of the markets given. */
  readonly perMarket: readonly MarketScreen[]
}

const YEAR_MS = 365 * 86_400_000
const MINUTE_MS = 60_000

/** Screens a study. Aborted, it resolves with the best so far and `complete: false`. */
export async function screenStudy(options: ScreenOptions): Promise<StudyScreening> {
  const { clock, study, markets } = options
  const startedAt = options.startedAt ?? clock.monotonic()
  const screening = await screenMarkets({ ...options, now: () => clock.monotonic() })
  const elapsedMs = Math.max(1, clock.monotonic() - startedAt)
  return reportScreening({ study, markets, screening, elapsedMs })
}

/** What a screening says, however it was computed. */
export function reportScreening(screened: Screened): StudyScreening {
  const { study, markets, screening } = screened
  const perMarket = markets.map(
    (market, at): MarketScreen => ({
      report: reportOn(market, at, screened),
      symbol: market.symbol,
      parameters: screening.markets[at].parameters,
    }),
  )
  return { report: study.markets.length === 1 ? perMarket[0].report : reportAcross(screened), perMarket }
}

interface Screened {
  readonly study: Study
  readonly markets: readonly MarketOnCandles[]
  readonly screening: MarketsScreening
  readonly elapsedMs: number
}

function reportOn({ info }: MarketOnCandles, at: number, screened: Screened): ScreenReport {
  const { study, screening } = screened
  return {
    study: study.name,
    metric: study.objective.metric,
    configs: screening.points,
    distinct: screening.markets[at].simulated,
    candles: info,
    ...workOf(screened),
    top: screening.top.map(({ config, markets }, place) => {
      const { fingerprint, metrics, behaviourHash } = markets[at]
      return { rank: place + 1, fingerprint, config, metrics, behaviourHash }
    }),
    folded: screening.folded,
    comparedOnly: screening.comparedOnly,
  }
}

function reportAcross(screened: Screened): ScreenReportAcross {
  const { study, markets, screening } = screened
  const isThere = new Set(markets.map(({ market }) => marketName(market)))
  const missing = study.markets.map(marketName).filter((name) => !isThere.has(name))
  return {
    study: study.name,
    metric: study.objective.metric,
    configs: screening.points,
    distinct: screening.markets.reduce((sum, { simulated }) => sum + simulated, 0),
    markets: markets.map(({ info }, at) => ({ candles: info, distinct: screening.markets[at].simulated })),
    partial: missing.length > 0,
    missing,
    across: study.objective.across ?? 'median',
    ...workOf(screened),
    top: screening.top.map(({ fingerprint, config, value, behaviourHash, markets: trials }, place) => ({
      rank: place + 1,
      fingerprint,
      config,
      value,
      behaviourHash,
      markets: trials,
    })),
    folded: screening.folded,
    comparedOnly: screening.comparedOnly,
  }
}

function workOf({ markets, screening, elapsedMs }: Screened) {
  const years = markets.reduce((sum, { prepared }) => sum + (prepared.count * prepared.intervalMs) / YEAR_MS, 0)
  return {
    workers: screening.workers,
    elapsedMs: Math.round(elapsedMs),
    complete: screening.complete,
    configYearsPerMinute: Math.round((screening.feasible * years * MINUTE_MS) / elapsedMs),
  }
}
