/** (e): what an examination says of the winner of a hundred on a market without an edge. The checks are the program's own; only there is no store. */
import { describeExamination } from '../../../src/cli/commands/examine/describe-examination.ts'
import { type ShownExamination, shownExamination } from '../../../src/cli/commands/examine/shown-examination.ts'
import { textOfLine } from '../../../src/cli/output.ts'
import { ENGINE_VERSION } from '../../../src/engine/backtest.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import type { DoubtCode } from '../../../src/workbench/analysis/doubts/doubts.ts'
import type { StandingInStudy } from '../../../src/workbench/analysis/doubts/find-in-trial.ts'
import type { Weight } from '../../../src/workbench/analysis/doubts/row.ts'
import { createEvaluation, type Evaluation } from '../../../src/workbench/evidence/examine/evaluation.ts'
import { examine } from '../../../src/workbench/evidence/examine/examine.ts'
import { warningsOn } from '../../../src/workbench/evidence/examine/examine-result.ts'
import type { LongWork } from '../../../src/workbench/evidence/examine/field.ts'
import { askedSettings } from '../../../src/workbench/study/asked-settings.ts'
import { praiseIn } from './praise.ts'
import { drawMarket, findWinner, infoOf, TERMS, TRIED, type Winner, type ZeroEdgeMarket } from './zero-edge-winner.ts'

export interface WinnerRecord extends Pick<ZeroEdgeMarket, 'interval' | 'days'> {
  readonly netProfit: number
  /** Net profit in standard errors of it; null where it has none. */
  readonly standardErrors: number | null
  readonly doubts: readonly { readonly code: DoubtCode; readonly weight: Weight }[]
  /** Doubts that it has whatever study it is the winner of: those of the examination and of the result. */
  readonly ownDoubts: readonly DoubtCode[]
  /** Mean percentile of the walk-forward test; null where it was refused. */
  readonly walkForward: number | null
  readonly shown: ShownExamination
  /** Lines of all that is printed of it that call it good. */
  readonly praise: readonly string[]
}

const EXAMINED_AT = '2024-05-01T00:00:00.000Z'

/** Without a clock: it is never interrupted, and says nothing on the way. */
export const PACE: LongWork = {
  clock: { monotonic: () => 0, wall: () => 0, sleep: async () => {} },
  signal: new AbortController().signal,
  onProgress: () => {},
}

/** @param number which market; the same seed and number give the same record */
export async function examineWinner(seed: string, number: number): Promise<WinnerRecord> {
  const market = drawMarket(seed, number)
  const winner = await findWinner(market, PACE)
  const evaluation = evaluationOf(market, winner)
  const examined = await examine(evaluation, { done: new Map(), keep: async () => {} })
  const doubts = warningsOn(evaluation, examined.checks, { standing: standingOf(market, winner), ofStudy: [] })
  const shown = shownExamination(evaluation, {
    ...examined,
    doubts,
    examinedAt: EXAMINED_AT,
    engineVersion: ENGINE_VERSION,
  })
  const { noise, walkForward } = examined.checks
  return {
    interval: market.interval,
    days: market.days,
    netProfit: evaluation.run.metrics.netProfit,
    standardErrors: noise === null || noise.standardError === 0 ? null : noise.netProfit / noise.standardError,
    doubts: doubts.map(({ code, weight }) => ({ code, weight })),
    ownDoubts: warningsOn(evaluation, examined.checks, { standing: null, ofStudy: [] }).map(({ code }) => code),
    walkForward: walkForward?.meanPercentile ?? null,
    shown,
    praise: praiseIn(describeExamination(shown, String).map(textOfLine)),
  }
}

function evaluationOf({ study, candles }: ZeroEdgeMarket, { trial }: Winner): Evaluation {
  const candlesOf: Evaluation['candlesOf'] = ({ from, to }) => {
    const part = sliceCandles(candles, from, to)
    return { candles: part, info: infoOf({ period: { from, to }, interval: study.interval }, part) }
  }
  const loaded = candlesOf(study.period)
  if (typeof loaded === 'string') throw new Error(loaded)
  const looks = { paid: TRIED, localAtMost: 0 }
  return createEvaluation({
    trial,
    terms: TERMS,
    termsFrom: 'result',
    loaded,
    candlesOf,
    heldOutBy: () => undefined,
    study,
    compared: true,
    tried: looks,
    pace: PACE,
  })
}

function standingOf({ study }: ZeroEdgeMarket, { rival }: Winner): StandingInStudy {
  return {
    study: study.name,
    tried: TRIED,
    rank: 1,
    outsideBounds: false,
    isSample: false,
    markets: 1,
    asked: askedSettings(study),
    holdsOut: false,
    roiBases: [],
    revised: { checked: 0, revised: 0 },
    rival,
  }
}
