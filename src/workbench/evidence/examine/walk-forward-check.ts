/** Walk-forward among the configurations of a study, on the trial's market. */
import { marketName } from '../../../contract/market.ts'
import { prepareCandles } from '../../../engine/jump/prepared.ts'
import type { CheckAnswer, WalkForwardFold } from '../../analysis/certainty/checks.ts'
import type { Period } from '../../study/study.ts'
import { type Evaluation, noField } from './evaluation.ts'
import { type FoldResult, walkForward } from './walk-forward.ts'

export async function checkWalkForward({
  study,
  field,
  trial: { market },
  terms,
  loaded,
  pace,
}: Evaluation): Promise<CheckAnswer<'walkForward'>> {
  if (study === null || field === null) return { refused: noField({ study }) }
  if (study.walkForward === null) {
    return { refused: 'not set in the study: validate: { walkForward: { train: 30d, test: 10d } }' }
  }
  const found = await walkForward(
    {
      study: { ...study, markets: [market], walkForward: study.walkForward },
      markets: [{ market, prepared: prepareCandles(loaded.candles), symbol: terms.symbol }],
      configs: field.configs.map(({ config }) => config),
      terms,
    },
    pace,
  )
  const { configs, meanPercentile, worstFold } = found
  return {
    value: {
      folds: found.folds.map((fold) => foldOf(fold, marketName(market))),
      configs,
      meanPercentile,
      worstFold: worstFold === null ? null : worstFold + 1,
      profit: found.testNetProfit,
      value: found.testValue,
      valueReason: found.testValueMissing,
    },
  }
}

function foldOf(fold: FoldResult, market: string): WalkForwardFold {
  const moves = fold.markets.find((one) => one.market === market)
  const span = ({ from, to }: Period) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })
  const isChosen = fold.kind === 'chosen'
  return {
    train: span(fold.train),
    test: span(fold.test),
    chosen: isChosen ? fold.fingerprint : null,
    why: isChosen ? null : fold.why,
    trainValue: isChosen ? fold.trainValue : null,
    testValue: isChosen ? fold.testValue : null,
    netProfit: isChosen ? fold.testNetProfit : null,
    percentile: isChosen ? fold.percentile : null,
    trainMarketPercent: moves?.train?.percent ?? null,
    testMarketPercent: moves?.test?.percent ?? null,
  }
}
