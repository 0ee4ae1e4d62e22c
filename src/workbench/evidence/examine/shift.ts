/** What a day more or less at either end of the period does to the result and to its place. */
import { backtest } from '../../../engine/backtest.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import type { CheckAnswer, Shift, ShiftCheck } from '../../analysis/certainty/checks.ts'
import type { Period } from '../../study/study.ts'
import { type Evaluation, noField } from './evaluation.ts'
import { measureField, ownRank } from './field.ts'

export async function checkShift(evaluation: Evaluation): Promise<CheckAnswer<'shift'>> {
  const { trial, field, run } = evaluation
  const { from, to } = trial.period
  if (to - from <= 2 * DAY_MS) return { refused: 'the period is too short (2 days or less)' }
  const shifts: Shift[] = []
  const left: { moved: Shift['moved']; reason: string }[] = []
  for (const { moved, period } of periodsAround({ from, to })) {
    const reason = whyLeft(evaluation, period)
    const candles = reason ?? evaluation.candlesOf(period)
    if (typeof candles === 'string') left.push({ moved, reason: candles })
    else shifts.push(await runOn(evaluation, { moved, candles: candles.candles }))
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

/** Nothing is looked at of a day that is held out, by whatever study: it would be seen. */
function whyLeft({ trial: { period }, study, heldOutBy }: Evaluation, shifted: Period): string | null {
  if (shifted.to > period.to && study?.holdout) return `what follows is the hold-out of ${study.name}`
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
  { moved, candles }: { readonly moved: Shift['moved']; readonly candles: Evaluation['loaded']['candles'] },
): Promise<Shift> {
  const { netProfit } = backtest({ ...evaluation.terms, candles, config: evaluation.trial.config }).metrics
  return { moved, netProfit, rank: await rankOn(evaluation, candles) }
}

async function rankOn(
  { field, terms, pace }: Evaluation,
  candles: Evaluation['loaded']['candles'],
): Promise<number | null> {
  return field === null ? null : ownRank(field, await measureField(field, { ...terms, candles }, pace))
}

function reasonOf(evaluation: Evaluation, shifts: readonly Shift[]): string | null {
  if (evaluation.field === null) return noField(evaluation)
  const unranked = shifts.filter(({ rank }) => rank === null).map(({ moved }) => moved)
  return unranked.length === 0 ? null : `excluded by limits with ${unranked.join(', ')}`
}
