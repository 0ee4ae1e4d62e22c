/**
 * The statistics that can only say no: whether the Sharpe ratio may be luck, luck of the best of so many looks, or of the period. With few daily
 * returns they never say anything, and are refused.
 */
import { backtest } from '../../../engine/backtest.ts'
import { dailyReturns } from '../../../engine/daily-equity.ts'
import { DAYS_PER_YEAR } from '../../../engine/risk-adjusted.ts'
import { backtestOverfitting } from '../../analysis/certainty/backtest-overfitting.ts'
import type { CheckAnswer, VetoCheck } from '../../analysis/certainty/checks.ts'
import {
  deflatedSharpe,
  FEWEST_RETURNS,
  probabilisticSharpe,
  type ReturnMoments,
  returnMoments,
} from '../../analysis/certainty/sharpe-probability.ts'
import { behaviourHash } from '../../study/behaviour.ts'
import { type Evaluation, noField } from './evaluation.ts'
import type { FieldValues } from './field.ts'

/** Configurations whose days are compared: the first by fingerprint, which is no order of merit. The trial is one of them. */
const MOST_COLUMNS = 300
/** Between two looks at the signal. */
const AT_ONCE = 25

const NO_ROOT = 'the moments of the daily returns leave its formula without a value'

export async function checkVeto(evaluation: Evaluation): Promise<CheckAnswer<'veto'>> {
  const { run, trial } = evaluation
  const returns = returnsOf(run.metrics.dailyEquity, trial.config.investment)
  if (returns.length < FEWEST_RETURNS) {
    return {
      refused: `there are ${returns.length} daily returns: under ${FEWEST_RETURNS} they tell luck from skill in no case`,
    }
  }
  const moments = returnMoments(returns)
  if (moments === null) return { refused: 'the daily returns do not vary' }
  const psr = probabilisticSharpe(moments, 0)
  const value: VetoCheck = {
    dailyReturns: returns.length,
    psr,
    psrReason: psr === null ? NO_ROOT : null,
    ...(await deflate(evaluation, moments)),
    ...(await findOverfitting(evaluation)),
  }
  return { value }
}

function returnsOf(dailyEquity: Evaluation['run']['metrics']['dailyEquity'], investment: number): readonly number[] {
  return dailyReturns({ firstDay: null, values: dailyEquity.map(({ equity }) => equity) }, investment)
}

async function deflate(
  evaluation: Evaluation,
  moments: ReturnMoments,
): Promise<Pick<VetoCheck, 'dsr' | 'dsrReason' | 'dsrOf'>> {
  const without = (dsrReason: string) => ({ dsr: null, dsrReason, dsrOf: null })
  const values = await evaluation.fieldValues()
  if (values === null) return without(noField(evaluation))
  const looks = evaluation.tried.shown + evaluation.tried.scanned
  if (looks < 2) return without('it is the only one that was looked at')
  const variance = varianceOfSharpe(values)
  if (variance === null) return without('the configurations of the study do not differ in their Sharpe ratios')
  const dsr = deflatedSharpe(moments, { looks, variance })
  return dsr === null ? without(NO_ROOT) : { dsr, dsrReason: null, dsrOf: { looks, variance } }
}

/** Of a day. */
function varianceOfSharpe({ metrics }: FieldValues): number | null {
  const daily = (metrics.sharpe ?? []).flatMap((sharpe) => (sharpe === null ? [] : [sharpe / Math.sqrt(DAYS_PER_YEAR)]))
  if (daily.length < 2) return null
  const mean = daily.reduce((sum, value) => sum + value, 0) / daily.length
  const variance = daily.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / (daily.length - 1)
  return variance === 0 ? null : variance
}

async function findOverfitting({
  field,
  study,
  terms,
  loaded,
  pace,
}: Evaluation): Promise<Pick<VetoCheck, 'pbo' | 'pboReason'>> {
  if (field === null) return { pbo: null, pboReason: noField({ study }) }
  const others = field.configs.filter((_, at) => at !== field.own).slice(0, MOST_COLUMNS - 1)
  const own = field.configs[field.own]
  const chosen = [...others, own].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
  const columns = new Map<string, readonly number[]>()
  for (const [at, { config }] of chosen.entries()) {
    const result = backtest({ ...terms, candles: loaded.candles, config })
    const { dailyEquity } = result.metrics
    const name = behaviourHash({ ...result, dailyEquity })
    if (!columns.has(name)) columns.set(name, returnsOf(dailyEquity, config.investment))
    if (at % AT_ONCE > 0) continue
    pace.onProgress(`${at} of ${chosen.length} daily returns`)
    await pace.clock.sleep(0, pace.signal)
  }
  if (columns.size < 2) return { pbo: null, pboReason: 'all configurations of the study do the same' }
  const found = backtestOverfitting([...columns.values()])
  return found === null
    ? { pbo: null, pboReason: 'there are fewer days than blocks to split them into' }
    : { pbo: found.probability, pboReason: null }
}
