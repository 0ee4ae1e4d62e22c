/** Day-by-day curves of the best trials and of buy & hold, from stored equity, prepared for drawing. Pure. */
import { ascending } from '../analysis/quantiles.ts'
import { tooltipText } from './charts/columns.ts'
import type { Line, Slot, Strip } from './charts/over-time.ts'
import { describeConfig, type Facts, type FinishedTrial, shortFingerprint } from './facts.ts'
import { signedPercent } from './format.ts'
import type { DayReturn } from './input.ts'

const SLOTS: readonly Slot[] = ['s1', 's2', 's3', 's4', 's5']
const dayMs = 86_400_000

/** More points per line cannot be seen and make the file larger; then only one day in k is drawn. */
const mostDays = 250

export interface Curve {
  readonly slot: Slot
  readonly name: string
  readonly description: string
  /** Day ends, oldest first, at least one; the start is not among them. */
  readonly days: readonly DayReturn[]
}

/** The best five that store their equity, best first, then buy & hold where it is known. */
export function curvesOf({ ranked, varied, input }: Facts): Curve[] {
  const trials = ranked.slice(0, SLOTS.length).map((trial, index) => ({
    slot: SLOTS[index],
    name: `${index + 1}. ${shortFingerprint(trial)}`,
    description: describeConfig(trial, varied),
    days: dailyReturns(trial),
  }))
  const hold: Curve[] =
    input.hold.kind === 'found' ? [{ slot: 'hold', name: 'Buy & hold', description: '', days: input.hold.days }] : []
  return [...trials, ...hold].filter(({ days }) => days.length > 0)
}

/** Stored series come from a service, so days without a finite equity are left out. */
function dailyReturns({ metrics, config }: FinishedTrial): DayReturn[] {
  const series: readonly Partial<{ date: string; equity: number }>[] = metrics.dailyEquity ?? []
  return series.flatMap(({ date, equity }) =>
    typeof date === 'string' && isDay(date) && typeof equity === 'number' && Number.isFinite(equity)
      ? [{ date, returnPercent: 100 * (equity / config.investment - 1) }]
      : [],
  )
}

function isDay(text: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(text) && Number.isFinite(Date.parse(text))
}

/** The day at whose end equity was farthest below its peak so far, `2021-05-19`; null where no daily equity is kept, or it never fell. */
export function deepestDay(trial: FinishedTrial): string | null {
  const days = dailyReturns(trial)
  const depths = drawdowns(days)
  const deepest = Math.min(0, ...depths)
  return deepest === 0 ? null : days[depths.indexOf(deepest)].date
}

/** Percent below the running peak at each day (0 or negative), the start counting as a peak. */
export function drawdowns(days: readonly DayReturn[]): number[] {
  let peak = 1
  return days.map(({ returnPercent }) => {
    const equity = 1 + returnPercent / 100
    peak = Math.max(peak, equity)
    return 100 * (equity / peak - 1)
  })
}

export function endOf({ days }: Curve): number {
  return days[days.length - 1].returnPercent
}

export type Shown = 'return' | 'drawdown'

/** The values that are drawn of a curve, day by day, in percent. */
function valuesOf({ days }: Curve, what: Shown): number[] {
  return what === 'return' ? days.map(({ returnPercent }) => returnPercent) : drawdowns(days)
}

/** From the lowest to the highest value, the start at 0 included; in percent points. */
function extentOf(curves: readonly Curve[], what: Shown): number {
  const sorted = ascending([0, ...curves.flatMap((curve) => valuesOf(curve, what))])
  return sorted[sorted.length - 1] - sorted[0]
}

/** When buy & hold makes the scale more than this many times longer, the trials' lines could not be told apart. */
const mostSqueezed = 1.5

/** The panels: all curves on one scale, or the trials and below them buy & hold on a scale of its own. */
export function panelsOf(curves: readonly Curve[], what: Shown): { readonly trials: Curve[]; readonly hold: Curve[] } {
  const trials = curves.filter(({ slot }) => slot !== 'hold')
  const fits = extentOf(curves, what) <= mostSqueezed * extentOf(trials, what)
  return fits ? { trials: [...curves], hold: [] } : { trials, hold: curves.filter(({ slot }) => slot === 'hold') }
}

export interface DrawnCurves {
  readonly lines: readonly Line[]
  readonly strips: readonly Strip[]
  /** One day in `step` is drawn: its return, or the deepest drawdown since the day drawn before. */
  readonly step: number
}

/** Lines of all `curves`. The tooltips also name all of them, in every panel. */
export function drawCurves(curves: readonly Curve[], { study }: Facts, what: Shown): DrawnCurves {
  const dates = [...new Set(curves.flatMap(({ days }) => days.map(({ date }) => date)))].sort()
  const step = Math.max(1, Math.ceil(dates.length / mostDays))
  const groups = inGroups(dates, step)
  const series = curves.map((curve) => {
    const values = valuesOf(curve, what)
    const byDate = new Map(curve.days.map(({ date }, index) => [date, values[index]]))
    return { ...curve, drawn: groups.map((group) => pointIn(group, byDate, what)) }
  })
  const times = groups.map((group) => Math.min(study.period.to, Date.parse(group[group.length - 1]) + dayMs))
  return {
    step,
    lines: series.map(({ slot, drawn }) => ({
      slot,
      points: [
        { time: study.period.from, y: 0 },
        ...drawn.flatMap((y, index) => (y === undefined ? [] : [{ time: times[index], y: round(y) }])),
      ],
    })),
    strips: groups.map((group, index) => ({
      from: index === 0 ? study.period.from : times[index - 1],
      to: times[index],
      tooltip: tooltipText(
        group[group.length - 1],
        series.map(({ name, drawn }) => [name, signedPercent(drawn[index])]),
      ),
    })),
  }
}

/** Groups of `size` counted from the end, so that the last day is always drawn. */
function inGroups(dates: readonly string[], size: number): string[][] {
  const first = dates.length % size || size
  const starts = dates.map((_, index) => index).filter((index) => index === 0 || (index - first) % size === 0)
  return starts.map((start, index) => dates.slice(start, starts[index + 1]))
}

function pointIn(group: readonly string[], byDate: ReadonlyMap<string, number>, what: Shown): number | undefined {
  if (what === 'return') return byDate.get(group[group.length - 1])
  const values = group.flatMap((date) => byDate.get(date) ?? [])
  return values.length === 0 ? undefined : Math.min(...values)
}

/** Rounds to a thousandth of a percent: finer than a pixel, and half as long as a double in text. */
function round(value: number): number {
  return Math.round(value * 1000) / 1000 + 0
}
