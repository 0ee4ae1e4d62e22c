/** What an examination stands on: a stored result, the candles and the terms under which it is computed again here, and its study. */

import type { LoadedCandles } from '../../../candles/folder/folder.ts'
import type { MetricsAsRead } from '../../../contract/metrics.ts'
import type { BacktestResult } from '../../../engine/deal.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import type { StartsFact } from '../../analysis/certainty/arbitrariness.ts'
import type { TermsOrigin } from '../../analysis/certainty/checks.ts'
import type { WholeTrial } from '../../store/records.ts'
import type { TriedCount } from '../../store/tried-count.ts'
import type { Study } from '../../study/study.ts'
import type { Terms } from '../replay/read-terms.ts'
import type { Field, FieldValues, LongWork } from './field.ts'

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
  /** The finest candles of its period that are stored here; a text = why there are none. */
  readonly finest: () => LoadedCandles | string
  /** Its axes in the order of the fields. */
  readonly study: Study | null
  /** null where the trial is examined by itself. */
  readonly field: Field | null
  /** The field on the trial's own candles, with net profit, average used capital and Sharpe ratio of each; null without a field. Worked out once. */
  readonly fieldValues: () => Promise<FieldValues | null>
  readonly tried: TriedCount
  readonly pace: LongWork
}

/** Why a check that needs the field is refused. */
export function noField({ study }: Pick<Evaluation, 'study'>): string {
  return study === null
    ? 'the trial belongs to no stored study'
    : `only for a whole study: dcalab examine ${study.name}`
}
