/** What an examination stands on: a stored result, the candles and the terms under which it is computed again here, and its study. */

import type { LoadedCandles } from '../../../candles/folder/folder.ts'
import type { CandlePeriod } from '../../../candles/months.ts'
import type { MetricsAsRead } from '../../../contract/metrics.ts'
import { backtest } from '../../../engine/backtest.ts'
import type { BacktestResult } from '../../../engine/deal.ts'
import { type PreparedCandles, prepareCandles, prepareForOneRun } from '../../../engine/jump/prepared.ts'
import { factOfStarts, type StartsFact } from '../../analysis/certainty/arbitrariness.ts'
import type { TermsOrigin } from '../../analysis/certainty/checks.ts'
import type { WholeTrial } from '../../store/records.ts'
import type { TriedCount } from '../../store/tried-count.ts'
import type { Study } from '../../study/study.ts'
import type { Terms } from '../replay/read-terms.ts'
import { createField, type Field, type FieldValues, type LongWork, measureField } from './field.ts'

/** A trial with a result that could be read. */
export type DoneTrial = WholeTrial & { readonly metrics: MetricsAsRead }

export interface Evaluation {
  readonly trial: DoneTrial
  readonly terms: Terms
  readonly termsFrom: TermsOrigin
  /** Of the trial's period. */
  readonly loaded: LoadedCandles
  /** The same for runs that share them; prepared when they are first asked for. */
  readonly preparedCandles: () => PreparedCandles
  /** The trial, run here. */
  readonly run: BacktestResult
  /** The trial, started on every candle of its first day; run when it is first asked for. */
  readonly starts: () => StartsFact
  /** The candles of another period; a text = why they are not here. */
  readonly candlesOf: (period: Required<CandlePeriod>) => LoadedCandles | string
  /** Its axes in the order of the fields. */
  readonly study: Study | null
  /** null where the trial is examined by itself. */
  readonly field: Field | null
  /** The field on the trial's own candles, with net profit, average used capital and Sharpe ratio of each; null without a field. Worked out once. */
  readonly fieldValues: () => Promise<FieldValues | null>
  readonly tried: TriedCount
  readonly pace: LongWork
}

/** What an evaluation is made of, wherever it comes from. */
interface EvaluationParts
  extends Pick<Evaluation, 'trial' | 'terms' | 'termsFrom' | 'loaded' | 'candlesOf' | 'study' | 'tried' | 'pace'> {
  /** Whether it is compared with the other configurations of its study. */
  readonly compared: boolean
}

/** Runs the trial here; its field is measured when a check first asks for it. */
export function createEvaluation({ compared, ...parts }: EvaluationParts): Evaluation {
  const { trial, terms, loaded, study, pace } = parts
  const field = compared && study !== null ? createField(study, trial.config) : null
  let values: Promise<FieldValues | null> | undefined
  let ready: PreparedCandles | undefined
  let started: StartsFact | undefined
  const preparedCandles = () => {
    ready ??= prepareCandles(loaded.candles)
    return ready
  }
  return {
    ...parts,
    preparedCandles,
    run: backtest({ ...terms, candles: loaded.candles, config: trial.config }),
    starts: () => {
      started ??= factOfStarts(prepareForOneRun(loaded.candles), terms, trial.config)
      return started
    },
    field,
    fieldValues: () => {
      const metrics = ['netProfit', 'usedCapital.average', 'sharpe'] as const
      values ??=
        field === null
          ? Promise.resolve(null)
          : measureField(field, { ...terms, prepared: preparedCandles(), metrics }, pace)
      return values
    },
  }
}

/** Why a check that needs the field is refused. */
export function noField({ study }: Pick<Evaluation, 'study'>): string {
  return study === null
    ? 'the trial belongs to no stored study'
    : `only for a whole study: dcalab examine ${study.name}`
}
