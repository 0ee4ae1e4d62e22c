/** Every visible trial under another fee and slippage, by the engine's kernel, in steps of some milliseconds. Pure. */
import { stressed } from '../../../engine/ambiguity-pair.ts'
import type { Conventions, Costs } from '../../../engine/conventions.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../engine/jump/sweep.ts'
import type { Objective } from '../../study/study.ts'
import type { TrialTable } from './trial-table.ts'

/** A trial under other costs, with its place among those that are visible, from 1. */
export interface Repriced {
  readonly trial: number
  readonly netProfit: number
  /** What it is placed by, in the unit of `measureOf`; NaN where it used no capital. */
  readonly value: number
  readonly place: number
  /** Under the costs that its result has. */
  readonly placeBefore: number
}

/** What trials are placed by here: the objective where the kernel has it, else net profit. */
export function measureOf({
  metric,
  direction,
}: Objective): 'stressedPerUsed' | 'netProfitPerUsedPercent' | 'netProfit' {
  return direction === 'maximize' && (metric === 'stressedPerUsed' || metric === 'netProfitPerUsedPercent')
    ? metric
    : 'netProfit'
}

/** A step of so many trials takes some 10 ms. */
const TRIALS_A_STEP = 96

export function* reprice(
  {
    prepared,
    table,
    trials,
    objective,
  }: {
    readonly prepared: PreparedCandles
    readonly table: TrialTable
    readonly trials: readonly number[]
    readonly objective: Objective
  },
  costs: Costs,
  done: (found: readonly Repriced[]) => void,
): Generator<void> {
  const measure = measureOf(objective)
  const [before, after, netProfit] = [new Map<number, number>(), new Map<number, number>(), new Map<number, number>()]
  const groups = Map.groupBy(trials, (trial) => table.terms(trial))
  for (const [{ conventions, costs: own, symbol }, all] of groups) {
    for (let from = 0; from < all.length; from += TRIALS_A_STEP) {
      const some = all.slice(from, from + TRIALS_A_STEP)
      const rows = new Float64Array(some.length * CONFIG_ROW)
      for (const [row, trial] of some.entries()) writeConfigRow(rows, row, table.config(trial))
      const run = (terms: { readonly conventions: Conventions; readonly costs: Costs }) =>
        createSweep(prepared, { ...terms, symbol, want: measure === 'netProfit' ? 'profit' : 'used' }).run(rows)
      const asked = { conventions, costs }
      const plain = run(asked)
      const then = run(
        measure === 'stressedPerUsed' ? stressed({ conventions, costs: own }) : { conventions, costs: own },
      )
      const now = measure === 'stressedPerUsed' ? run(stressed(asked)) : plain
      const worth = ({ netProfit: profit, used }: typeof plain, row: number) =>
        measure === 'netProfit' ? profit[row] : (100 * profit[row]) / (used?.average[row] ?? 0)
      for (const [row, trial] of some.entries()) {
        before.set(trial, worth(then, row))
        after.set(trial, worth(now, row))
        netProfit.set(trial, plain.netProfit[row])
      }
      yield
    }
  }
  const placeBefore = placesBy(trials, before)
  const place = placesBy(trials, after)
  const found = trials.map((trial) => ({
    trial,
    netProfit: netProfit.get(trial) ?? Number.NaN,
    value: after.get(trial) ?? Number.NaN,
    place: place.get(trial) ?? trials.length,
    placeBefore: placeBefore.get(trial) ?? trials.length,
  }))
  done(found.sort((a, b) => a.place - b.place))
}

/** From 1, the largest first; who never traded stands last. */
function placesBy(trials: readonly number[], values: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const worth = (trial: number) => {
    const value = values.get(trial) ?? Number.NaN
    return Number.isFinite(value) ? value : Number.NEGATIVE_INFINITY
  }
  const sorted = trials.toSorted((a, b) => worth(b) - worth(a) || a - b)
  return new Map(sorted.map((trial, index) => [trial, index + 1]))
}
