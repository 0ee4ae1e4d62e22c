/**
 * The common style of all charts. Colours are CSS variables of the page: the SVG renderer writes them as attributes, so charts
 * follow light, dark and print without a script. Therefore nothing may compute with a colour's value (no gradients, no
 * interpolation).
 */
import type { TopLevelSpec } from 'vega-lite'

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Liberation Sans", Arial, sans-serif'

export const CHART_CONFIG = {
  background: 'transparent',
  font,
  aria: false, // one summary per chart, on its container; labels per mark would make a screen reader read generated names
  view: { stroke: null },
  axis: {
    domainColor: 'var(--line-strong)',
    gridColor: 'var(--line)',
    tickColor: 'var(--line-strong)',
    labelColor: 'var(--muted)',
    titleColor: 'var(--muted)',
    labelFontSize: 11.5,
    titleFontSize: 11.5,
    titleFontWeight: 500,
    labelPadding: 6,
    titlePadding: 10,
    tickSize: 4,
  },
  axisX: { grid: false, labelFlush: false, labelOverlap: 'greedy', labelSeparation: 8, tickCount: 8 },
  axisY: { domain: false, ticks: false, tickCount: 6 },
  text: { font, fontSize: 11.5, color: 'var(--ink)' },
} as const

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
