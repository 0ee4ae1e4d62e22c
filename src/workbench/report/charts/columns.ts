/**
 * Chart data under generated column names (c0, c1 …). A Vega-Lite field named `a.b` or `a[0]` is read as a path and draws
 * nothing, without an error; so foreign names are never used as fields.
 */
export type ChartValue = string | number | null

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

/** A tooltip: one line per fact, label and value separated by a tab. The page writes it as text, never as HTML. */
export function tooltipText(title: string, facts: readonly (readonly [label: string, value: string])[]): string {
  return [title, ...facts.map(([label, value]) => `${clean(label)}\t${clean(value)}`)].join('\n')
}

function clean(text: string): string {
  return text.replace(/[\t\r\n]+/g, ' ')
}
