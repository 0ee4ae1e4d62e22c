/** Aggregates that SQLite lacks; `median` and `percentile` it has. Rows in which a value is NULL or no number are left out. */
import type Database from 'better-sqlite3'

type Pair = readonly [number, number]

export function addAggregates(db: Database.Database): void {
  const one = (name: string, of: (values: readonly number[]) => number | null) =>
    db.aggregate<number[]>(name, {
      deterministic: true,
      start: () => [],
      step: (values, value: unknown) => void (typeof value === 'number' && values.push(value)),
      result: of,
    })
  const two = (name: string, of: (pairs: readonly Pair[]) => number | null) =>
    db.aggregate<Pair[]>(name, {
      deterministic: true,
      start: () => [],
      varargs: true,
      step: (pairs, ...[y, x]: unknown[]) =>
        void (typeof y === 'number' && typeof x === 'number' && pairs.push([y, x])),
      result: of,
    })
  one('stddev', (values) => (values.length < 2 ? null : Math.sqrt(products(values, values) / (values.length - 1))))
  two('corr', (pairs) =>
    correlation(
      pairs.map(([y]) => y),
      pairs.map(([, x]) => x),
    ),
  )
  two('spearman', (pairs) => correlation(ranks(pairs.map(([y]) => y)), ranks(pairs.map(([, x]) => x))))
  // As in standard SQL: of the first on the second.
  two('regr_slope', (pairs) => {
    const x = pairs.map(([, x]) => x)
    const spread = products(x, x)
    return spread === 0
      ? null
      : products(
          pairs.map(([y]) => y),
          x,
        ) / spread
  })
}

/** Sum of the products of the distances from the means. */
function products(a: readonly number[], b: readonly number[]): number {
  const [meanOfA, meanOfB] = [a, b].map((values) => values.reduce((sum, value) => sum + value, 0) / values.length)
  return a.reduce((sum, value, i) => sum + (value - meanOfA) * (b[i] - meanOfB), 0)
}

function correlation(a: readonly number[], b: readonly number[]): number | null {
  const spread = Math.sqrt(products(a, a) * products(b, b))
  return spread === 0 ? null : products(a, b) / spread
}

/** Equal values share the mean of their places. */
function ranks(values: readonly number[]): readonly number[] {
  const sorted = values.toSorted((a, b) => a - b)
  const [first, last] = [new Map<number, number>(), new Map<number, number>()]
  sorted.forEach((value, place) => {
    if (!first.has(value)) first.set(value, place)
    last.set(value, place)
  })
  return values.map((value) => ((first.get(value) ?? 0) + (last.get(value) ?? 0)) / 2)
}
