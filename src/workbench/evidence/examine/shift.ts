/** What a day more or less at either end of the period does to the result and to its place. */
import { type Candles, sliceCandles } from '../../../engine/candles.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import { runJumpOnce } from '../../../engine/jump/jump.ts'
import { prepareCandles } from '../../../engine/jump/prepared.ts'
import type { CheckAnswer, Shift, ShiftCheck } from '../../analysis/certainty/checks.ts'
import type { Period } from '../../study/study.ts'
import { type Evaluation, noField } from './evaluation.ts'
import { measureField, ownRank } from './field.ts'

export async function checkShift(evaluation: Evaluation): Promise<CheckAnswer<'shift'>> {
  const { trial, field, run } = evaluation
  const { from, to } = trial.period
  if (to - from <= 2 * DAY_MS) return { refused: 'the period is two days or shorter: a day is no small part of it' }
  const shifts: Shift[] = []
  const left: { moved: Shift['moved']; reason: string }[] = []
  for (const { moved, period } of periodsAround({ from, to })) {
    const reason = whyLeft(evaluation, period)
    const candles = reason ?? candlesIn(evaluation, period)
    if (typeof candles === 'string') left.push({ moved, reason: candles })
    else shifts.push(await runOn(evaluation, { moved, candles }))
  }
  if (shifts.length === 0) return { refused: left.map(({ moved, reason }) => `${moved}: ${reason}`).join('; ') }
  const values = await evaluation.fieldValues()
  const rank = field === null || values === null ? null : ownRank(field, values)
  const profits = [run.metrics.netProfit, ...shifts.map(({ netProfit }) => netProfit)]
  const value: ShiftCheck = {
    low: Math.min(...profits),
    high: Math.max(...profits),
    rank,
    rankWorst: shifts.some((shift) => shift.rank === null)
      ? null
      : shifts.reduce((worst, shift) => Math.max(worst, shift.rank ?? 0), rank ?? 0),
    rankReason: reasonOf(evaluation, shifts),
    shifts,
    left,
  }
  return { value }
}

/** What is inside the trial's own period is not read once more. */
function candlesIn({ trial: { period }, loaded, candlesOf }: Evaluation, { from, to }: Period): Candles | string {
  if (from >= period.from && to <= period.to) return sliceCandles(loaded.candles, from, to)
  const found = candlesOf({ from, to })
  return typeof found === 'string' ? found : found.candles
}

/** Nothing is looked at of a day that is held out, by whatever study: it would be seen. */
function whyLeft({ trial: { period }, study, heldOutBy }: Evaluation, shifted: Period): string | null {
  if (shifted.to > period.to && study?.holdout) return `${study.name} holds out what follows`
  const [day] = addedDays(period, shifted)
  const holder = day === undefined ? undefined : heldOutBy(day)
  return holder === undefined ? null : `${holder} holds that day out`
}

/** What is in the second and not in the first. */
function addedDays(period: Period, shifted: Period): readonly Period[] {
  if (shifted.to > period.to) return [{ from: period.to, to: shifted.to }]
  return shifted.from < period.from ? [{ from: shifted.from, to: period.from }] : []
}

/** Names the candles of the days around the period that are looked at, or says why they are not. */
export function daysAround(evaluation: Evaluation): readonly string[] {
  const { period } = evaluation.trial
  return periodsAround(period).flatMap(({ period: shifted }) =>
    addedDays(period, shifted).map((day) => {
      const candles = whyLeft(evaluation, shifted) ?? evaluation.candlesOf(day)
      return typeof candles === 'string' ? candles : candles.info.hash
    }),
  )
}

function periodsAround({ from, to }: Period): readonly { readonly moved: Shift['moved']; readonly period: Period }[] {
  return [
    { moved: 'start −1 day', period: { from: from - DAY_MS, to } },
    { moved: 'start +1 day', period: { from: from + DAY_MS, to } },
    { moved: 'end −1 day', period: { from, to: to - DAY_MS } },
    { moved: 'end +1 day', period: { from, to: to + DAY_MS } },
  ]
}

async function runOn(
  evaluation: Evaluation,
  { moved, candles }: { readonly moved: Shift['moved']; readonly candles: Candles },
): Promise<Shift> {
  const { field, terms, pace, trial } = evaluation
  const prepared = prepareCandles(candles)
  const { netProfit } = runJumpOnce({ candles, config: trial.config, ...terms }, prepared).metrics
  const rank = field === null ? null : ownRank(field, await measureField(field, { ...terms, prepared }, pace))
  return { moved, netProfit, rank }
}

function reasonOf(evaluation: Evaluation, shifts: readonly Shift[]): string | null {
  if (evaluation.field === null) return noField(evaluation)
  const unranked = shifts.filter(({ rank }) => rank === null).map(({ moved }) => moved)
  return unranked.length === 0 ? null : `outside the objective’s bounds with ${unranked.join(', ')}`
}
