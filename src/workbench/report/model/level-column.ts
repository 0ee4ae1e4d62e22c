/** A varied field cut into levels: the rows and columns of heat maps. Pure. */
import type { ConfigField } from '../../../contract/bot.ts'
import { type Level, levelIndex, levelsOf } from '../../analysis/levels.ts'
import { formatValue } from '../format.ts'
import type { ColumnRange } from './filter.ts'
import type { TrialTable } from './trial-table.ts'

/** The numbers of trials, of which NaN is one that is not known. */
export type TrialNumbers = Pick<TrialTable, 'count' | 'values'>

export interface LevelColumn {
  readonly field: ConfigField
  /** Ascending, of all trials: a selection changes none. */
  readonly levels: readonly Level[]
  /** The level of each trial, by its place; −1 = none. */
  readonly of: Int16Array
}

export function levelColumn(trials: TrialNumbers, field: ConfigField): LevelColumn {
  const values = trials.values(field) ?? new Float64Array(trials.count).fill(Number.NaN)
  const levels = levelsOf([...values])
  return { field, levels, of: Int16Array.from(values, (value) => levelIndex(levels, value)) }
}

/** "1.5", or "0.5–0.9" for a range of values. */
export function levelText({ low, high }: Level): string {
  return low === high ? formatValue(low) : `${formatValue(low)}–${formatValue(high)}`
}

/** What selects a level in the filter, which keeps five digits: rounded away from the level, so that its own values stay inside. */
export function rangeOfLevel({ low, high }: Level): NonNullable<ColumnRange['range']> {
  if (low === high && shortened(low) === low) return { is: low }
  const step = (value: number) => Number(`1e${Math.floor(Math.log10(Math.abs(value) || 1)) - 4}`)
  return {
    min: shortened(low) <= low ? shortened(low) : shortened(low) - step(low),
    max: shortened(high) >= high ? shortened(high) : shortened(high) + step(high),
  }
}

function shortened(value: number): number {
  return Number(value.toPrecision(5))
}
