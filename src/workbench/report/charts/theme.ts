/**
 * The common style of all charts. Colours are CSS variables of the page: the SVG renderer writes them as attributes, so charts
 * follow light, dark and print without a script. Therefore nothing may compute with a colour's value (no gradients, no
 * interpolation).
 */
import type { TopLevelSpec } from 'vega-lite'

/** An outline in the paper's colour around a label that crosses marks; the page's style sheet paints it below the letters. */
export const HALO = { stroke: 'var(--paper)', strokeWidth: 4 } as const

/** What every chart shares: as wide as its container, no legend (legends are HTML, so that they wrap). */
export const CHART_FRAME = {
  $schema: 'https://vega.github.io/schema/vega-lite/v6.json',
  width: 'container',
  autosize: { type: 'fit-x', contains: 'padding' },
  padding: { left: 2, right: 6, top: 6, bottom: 2 },
} as const

export type ChartSpec = TopLevelSpec

/**
 * A title that is safe for Vega. Vega uses titles as keys of a plain object, so a title like `constructor` would end in an error:
 * such titles get a space.
 */
export function axisTitle(text: string): string {
  return text in {} ? `${text} ` : text
}

/** A line at zero, between gains and losses. */
export function zeroLine(axis: 'x' | 'y') {
  return {
    data: { values: [{}] },
    mark: { type: 'rule' as const, color: 'var(--line-strong)', tooltip: false },
    encoding: { [axis]: { datum: 0 } },
  }
}

/**
 * Chart data under generated column names (c0, c1 …). A Vega-Lite field named `a.b` or `a[0]` is read as a path and draws
 * nothing, without an error; so foreign names are never used as fields.
 */
type ChartValue = string | number | null

export interface ChartData<Name extends string> {
  readonly values: readonly Readonly<Record<string, ChartValue>>[]
  /** The generated field of each column. */
  readonly field: Readonly<Record<Name, string>>
}

export function chartData<Name extends string>(
  names: readonly Name[],
  rows: readonly Readonly<Record<Name, ChartValue>>[],
): ChartData<Name> {
  const fields = names.map((name, index) => [name, `c${index}`] as const)
  return {
    values: rows.map((row) => Object.fromEntries(fields.map(([name, field]) => [field, row[name]]))),
    // built from exactly these names
    field: Object.fromEntries(fields) as Record<Name, string>,
  }
}
