/**
 * The statistics that can only say no: whether the Sharpe ratio may be luck, luck of the best of so many configurations, or of the period. With few daily
 * returns they never say anything, and are refused.
 */
import { dailyReturns } from '../../../engine/daily-equity.ts'
import { runJumpOnce } from '../../../engine/jump/jump.ts'
import { prepareForOneRun } from '../../../engine/jump/prepared.ts'
import { DAYS_PER_YEAR } from '../../../engine/risk-adjusted.ts'
import { heldReturns } from '../../analysis/certainty/benchmarks.ts'
import type { CheckAnswer, OverfittingCheck } from '../../analysis/certainty/checks.ts'
import {
  backtestOverfitting,
  deflatedSharpe,
  FEWEST_RETURNS,
  fitToMarket,
  probabilisticSharpe,
  type ReturnMoments,
  returnMoments,
} from '../../analysis/certainty/sharpe-probability.ts'
import { behaviourHash } from '../../study/behaviour.ts'
import { type Evaluation, noField } from './evaluation.ts'
import type { FieldValues } from './field.ts'

/** Configurations whose days are compared: the first by fingerprint, which is no order of merit. The trial is one of them. */
const MOST_COLUMNS = 300
/** Between two checks of the signal. */
const AT_ONCE = 25

/** Below, the best of them is no better than one is expected to be, and the formula has no value. */
const FEWEST = 2

const NO_ROOT = 'the moments of the daily returns leave its formula without a value'

export async function checkOverfitting(evaluation: Evaluation): Promise<CheckAnswer<'overfitting'>> {
  const { run, trial } = evaluation
  const returns = returnsOf(run.metrics.dailyEquity, trial.config.investment)
  if (returns.length < FEWEST_RETURNS) {
    return {
      refused: `${returns.length} daily returns, at least ${FEWEST_RETURNS} needed`,
    }
  }
  const moments = returnMoments(returns)
  if (moments === null) return { refused: 'the daily returns do not vary' }
  const psr = probabilisticSharpe(moments, 0)
  const columns = await distinctReturns(evaluation)
  const value: OverfittingCheck = {
    dailyReturns: returns.length,
    psr,
    psrReason: psr === null ? NO_ROOT : null,
    ...(await deflate(evaluation, moments)),
    ...findOverfitting(evaluation, columns),
  }
  return { value }
}

function returnsOf(dailyEquity: Evaluation['run']['metrics']['dailyEquity'], investment: number): readonly number[] {
  return dailyReturns({ firstDay: null, values: dailyEquity.map(({ equity }) => equity) }, investment)
}

async function deflate(
  evaluation: Evaluation,
  moments: ReturnMoments,
): Promise<Pick<OverfittingCheck, 'dsr' | 'dsrReason' | 'dsrOf'>> {
  const without = (dsrReason: string) => ({ dsr: null, dsrReason, dsrOf: null })
  const values = await evaluation.fieldValues()
  if (values === null) return without(noField(evaluation))
  const tried = evaluation.tried.shown + evaluation.tried.scanned
  if (tried < FEWEST) return without('only one configuration was tried')
  const variance = varianceOfSharpe(values)
  if (variance === null) return without('the configurations of the study do not differ in their Sharpe ratios')
  const dsrOf = { tried: tried, variance }
  const dsr = deflatedSharpe(moments, dsrOf)
  if (dsr === null) return without(NO_ROOT)
  return { dsr, dsrReason: null, dsrOf }
}

/** Of a day. */
function varianceOfSharpe({ metrics }: FieldValues): number | null {
  const daily = (metrics.sharpe ?? []).flatMap((sharpe) => (sharpe === null ? [] : [sharpe / Math.sqrt(DAYS_PER_YEAR)]))
  if (daily.length < 2) return null
  const mean = daily.reduce((sum, value) => sum + value, 0) / daily.length
  const variance = daily.reduce((sum, value) => sum + (value - mean) * (value - mean), 0) / (daily.length - 1)
  return variance === 0 ? null : variance
}

/** Of the configurations of the study, those that behave alike once, in the order of the first by fingerprint. */
async function distinctReturns({ field, terms, loaded, pace }: Evaluation): Promise<readonly (readonly number[])[]> {
  if (field === null) return []
  const others = field.configs.filter((_, at) => at !== field.own).slice(0, MOST_COLUMNS - 1)
  const own = field.configs[field.own]
  const chosen = [...others, own].sort((a, b) => (a.fingerprint < b.fingerprint ? -1 : 1))
  const columns = new Map<string, readonly number[]>()
  for (const [at, { config }] of chosen.entries()) {
    const result = runJumpOnce({ ...terms, candles: loaded.candles, config }, prepareForOneRun(loaded.candles))
    const { dailyEquity } = result.metrics
    const name = behaviourHash({ ...result, dailyEquity })
    if (!columns.has(name)) columns.set(name, returnsOf(dailyEquity, config.investment))
    if (at % AT_ONCE > 0) continue
    pace.onProgress(`${at} of ${chosen.length} daily returns`)
    await pace.clock.sleep(0, pace.signal)
  }
  return [...columns.values()]
}

/** What the market explains of the returns is no choice of a configuration. */
function findOverfitting(
  { field, study, run, loaded }: Evaluation,
  columns: readonly (readonly number[])[],
): Pick<OverfittingCheck, 'pbo' | 'pboReason'> {
  if (field === null) return { pbo: null, pboReason: noField({ study }) }
  if (columns.length < 2) return { pbo: null, pboReason: 'all configurations trade identically' }
  const held = heldReturns(loaded.candles, run.metrics.dailyEquity)
  const found = backtestOverfitting(
    columns.map((returns) => {
      const beta = fitToMarket(returns, held)?.beta ?? 0
      return returns.map((value, day) => value - beta * held[day])
    }),
  )
  return found === null
    ? { pbo: null, pboReason: 'there are fewer days than blocks to split them into' }
    : { pbo: found.probability, pboReason: null }
}
