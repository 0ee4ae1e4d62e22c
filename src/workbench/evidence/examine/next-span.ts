/** Whether a good rank lasted: the study's configurations in the first half of the period against the second. */
import { sliceCandles } from '../../../engine/candles.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import { prepareCandles } from '../../../engine/jump/prepared.ts'
import type { CheckAnswer } from '../../analysis/certainty/checks.ts'
import { rankCorrelation } from '../../analysis/rank-correlation.ts'
import { type Evaluation, noField } from './evaluation.ts'
import { measureField } from './field.ts'

/** Pairs: two always correlate fully. */
const FEWEST = 3

/** Each half starts flat; the second begins at the 00:00Z at or before the middle. */
export async function checkNextSpan(evaluation: Evaluation): Promise<CheckAnswer<'nextSpan'>> {
  const { field, trial, terms, loaded, pace } = evaluation
  if (field === null) return { refused: noField(evaluation) }
  const { from, to } = trial.period
  const split = Math.floor((from + to) / 2 / DAY_MS) * DAY_MS
  if (split <= from) return { refused: 'the period is too short for two halves of whole days' }
  const halves = []
  for (const [start, end] of [
    [from, split],
    [split, to],
  ]) {
    const prepared = prepareCandles(sliceCandles(loaded.candles, start, end))
    halves.push(await measureField(field, { ...terms, prepared }, pace))
  }
  const [first, second] = halves
  const pairs = field.configs.flatMap((_, at) => {
    const [before, after] = [first.objective[at], second.objective[at]]
    return before === null || after === null ? [] : [[before, after] as const]
  })
  const { rho, n } = rankCorrelation(pairs)
  if (rho === null || n < FEWEST) return { refused: 'too few configurations differ between the two halves' }
  return { value: { rho, n, splitAt: new Date(split).toISOString() } }
}
