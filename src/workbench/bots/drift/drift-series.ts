/** Deals and equity of a bot and its backtest as rows that a chart can draw. Pure. */
import type { Candles } from '../../../engine/candles.ts'
import type { AssumedTerms } from '../../search/detective/suspects.ts'
import type { DriftDealRow, DriftEquityRows, DriftSeries } from '../../store/drift-checks.ts'
import type { LifeComparison } from './compare-life.ts'
import { dealProfit, type TradedDeal } from './traded-life.ts'

/** `equity`: of the bot, as far as its service tells it. */
export function seriesOf(
  { pairs, backtest }: Pick<LifeComparison, 'pairs' | 'backtest'>,
  {
    candles,
    terms,
    equity,
  }: { readonly candles: Candles; readonly terms: AssumedTerms; readonly equity: DriftEquityRows },
): DriftSeries {
  const valued = { lastClose: candles.close.at(-1) ?? 0, feePercent: terms.costs.feePercent }
  const rowOf = (deal: TradedDeal | null, kind: string): readonly DriftDealRow[] => {
    if (deal === null) return []
    const sale = deal.fills.find(({ role }) => role !== 'base' && role !== 'safety')
    const row = {
      openedAt: new Date(deal.openedAt).toISOString(),
      closedAt: deal.closedAt === null ? null : new Date(deal.closedAt).toISOString(),
      exit: deal.exit,
      safetyOrders: deal.safetyOrders,
      openPrice: deal.fills[0].price,
      closePrice: sale?.price ?? null,
      profit: dealProfit(deal, valued),
      kind,
    }
    return [row]
  }
  return {
    bot: { deals: pairs.flatMap(({ bot, kind }) => rowOf(bot, kind)), equity },
    backtest: { deals: pairs.flatMap((pair) => rowOf(pair.backtest, pair.kind)), equity: backtest.dailyEquity },
  }
}
