import type { CandlesBody, JobResultBody } from '../../contract/bodies.ts'
import { ENGINE_VERSION } from '../../engine/backtest.ts'
import type { BacktestResult } from '../../engine/deal.ts'
import type { JobTerms } from '../job-terms.ts'

/** The engine's result in the form of a job's result. */
export function toJobResult(result: BacktestResult, candles: CandlesBody, terms: JobTerms): JobResultBody {
  const { metrics, deals, openDeal } = result
  return {
    metrics,
    deals: deals.map((deal) => ({ ...deal, openedAt: toTime(deal.openedAt), closedAt: toTime(deal.closedAt) })),
    openDeal: openDeal === null ? null : { ...openDeal, openedAt: toTime(openDeal.openedAt) },
    candles,
    conventions: terms.conventions,
    costs: terms.costs,
    symbol: terms.symbol,
    engineVersion: ENGINE_VERSION,
  }
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
