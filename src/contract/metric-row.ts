/** What a metric's row says, and words to write one in the units there are. */

export type Unit = 'quote' | 'percent' | 'minutes' | 'count' | 'ratio' | 'yes/no'

export interface MetricRow {
  /** Title for tables and axes. */
  readonly title: string
  readonly unit: Unit
  /** Counts things one by one: never a fraction, never negative. */
  readonly whole: boolean
  /** Which way is better, or null where neither is. */
  readonly better: 'higher' | 'lower' | null
  /** Column name in the store's tables and views. */
  readonly column: string
  /** The layout of the workbench's store that brought the column. */
  readonly since: number
  /** A service need not tell it: where it is absent, it is null without being called unreadable. */
  readonly optional: boolean
  /** When a result has no such number, in words that follow "null when"; null = every result has it. */
  readonly nullWhen: string | null
  readonly definition: string
  /** What a percentage is of, where its title does not say so: several of one profit stand side by side. */
  readonly of: string | null
}

export const quote = rowsIn('quote')
export const percent = rowsIn('percent')
export const minutes = rowsIn('minutes')
export const count = rowsIn('count', true)
/** A mean of counts. */
export const meanCount = rowsIn('count')
export const ratio = rowsIn('ratio')
export const yesNo = rowsIn('yes/no')

function rowsIn<const U extends Unit>(unit: U, whole = false) {
  return <const Column extends string>(
    title: string,
    better: MetricRow['better'],
    column: Column,
    definition: string,
  ) => ({ title, unit, whole, better, column, since: 1, optional: false, nullWhen: null, definition, of: null })
}

/** The same metric, whose column came with a later layout. */
export function since<Row extends MetricRow>(layout: number, row: Row) {
  return { ...row, since: layout }
}

/** The same metric, which services that are not ours are not expected to tell. */
export function optional<Row extends MetricRow>(row: Row) {
  return { ...row, optional: true }
}

/** The same percentage, with what it is of: "investment". */
export function shareOf<Row extends MetricRow>(of: string, row: Row) {
  const { of: _, ...rest } = row
  return { ...rest, of }
}

/** The same metric, undefined for some results. */
export function nullable<Row extends MetricRow>(row: Row, nullWhen: string) {
  const { nullWhen: _, ...rest } = row
  return { ...rest, nullWhen }
}
