/** What a small move of each varied field does to the result. */
import { CONFIG_BOUNDS, type ConfigField, type DcaSpotConfig, findBoundProblem } from '../../../contract/bot.ts'
import { backtest } from '../../../engine/backtest.ts'
import type { CheckAnswer, Move } from '../../analysis/certainty/checks.ts'
import { median } from '../../analysis/quantiles.ts'
import type { Axis, Study } from '../../study/study.ts'
import type { Evaluation } from './evaluation.ts'

/** Of an axis's range. */
const SHARE = 0.05
/** A spike: its neighbours keep less than this share of the profit. */
const KEPT = 0.5

export function checkNudge({ study, trial, run, terms, loaded: { candles } }: Evaluation): CheckAnswer<'nudge'> {
  if (study === null) return { refused: 'the trial belongs to no stored study, so no ranges are known' }
  const varied = study.axes.filter(({ values }) => values.length > 1)
  if (varied.length === 0) return { refused: `${study.name} varies nothing` }
  const { netProfit } = run.metrics
  const moves = varied.flatMap((axis) =>
    movesOn(axis, trial.config).map(({ field, value }): Move => {
      const moved = backtest({ ...terms, candles, config: { ...trial.config, [field]: value } }).metrics.netProfit
      return {
        field,
        value,
        netProfit: moved,
        lossPercent: netProfit > 0 ? (100 * (netProfit - moved)) / netProfit : null,
      }
    }),
  )
  const middle = median(moves.map((move) => move.netProfit))
  if (middle === undefined) return { refused: 'no parameter can be moved by 5 % of its range' }
  return {
    value: {
      median: middle,
      worst: moves.reduce((least, move) => Math.min(least, move.netProfit), Infinity),
      moves,
      edges: varied.filter((axis) => isEdge(axis, trial.config[axis.field])).map(({ field }) => field),
      axes: varied.length,
      spike: netProfit > 0 && middle < KEPT * netProfit,
    },
  }
}

/** Values just beyond the tested range, for each parameter at an end of it; how many of how many are. */
export function beyondRange(
  { axes }: Pick<Study, 'axes'>,
  config: DcaSpotConfig,
): { readonly edges: number; readonly axes: number; readonly moves: readonly Pick<Move, 'field' | 'value'>[] } {
  const varied = axes.filter(({ values }) => values.length > 1)
  const atEdge = varied.filter((axis) => isEdge(axis, config[axis.field]))
  const moves = atEdge.flatMap((axis) => {
    const [lowest, highest] = endsOf(axis)
    return movesOn(axis, config).filter(({ value }) => value < lowest || value > highest)
  })
  return { edges: atEdge.length, axes: varied.length, moves }
}

/** No stop has no range: it is not moved, and is no end of one. */
const isNoStop = (field: ConfigField, value: number) => field === 'stopLoss' && value === 0

function movesOn(
  { field, values }: Axis,
  config: DcaSpotConfig,
): { readonly field: ConfigField; readonly value: number }[] {
  if (isNoStop(field, config[field])) return []
  const [lowest, highest] = endsOf({ field, values })
  const step = CONFIG_BOUNDS[field].integer ? 1 : SHARE * (highest - lowest)
  if (step === 0) return []
  return [config[field] - step, config[field] + step]
    .filter((value) => findBoundProblem(field, value) === undefined && !isNoStop(field, value))
    .map((value) => ({ field, value }))
}

function endsOf({ field, values }: Pick<Axis, 'field' | 'values'>): readonly [number, number] {
  const finite = values.filter((value) => !isNoStop(field, value))
  return [
    finite.reduce((least, value) => Math.min(least, value), Infinity),
    finite.reduce((most, value) => Math.max(most, value), -Infinity),
  ]
}

function isEdge(axis: Axis, value: number): boolean {
  const [lowest, highest] = endsOf(axis)
  return lowest < highest && (value === lowest || value === highest)
}
