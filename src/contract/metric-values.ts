/** The metrics of a result as values by their names, a dotted name in its group: read from it, and put together to one. */
import { METRIC_NAMES, METRICS, type MetricName, type MetricsAsRead, type Nested, type Scalar } from './metrics.ts'

interface MetricPath {
  readonly outer: string
  /** Of a dotted name. */
  readonly inner: string | null
}

const PATHS = Object.fromEntries(
  METRIC_NAMES.map((name): [string, MetricPath] => {
    const [outer, inner = null] = name.split('.')
    return [name, { outer, inner }]
  }),
) as Readonly<Record<MetricName, MetricPath>> // every name of the list has one

/** What every result is filled into: an object that is made key by key takes an engine several times as long to read. */
const EMPTY = withNulls(METRIC_NAMES.map((name) => PATHS[name].outer))

const EMPTY_GROUPS = [...Map.groupBy(Object.values(PATHS), ({ outer }) => outer)].flatMap(([outer, paths]) => {
  const names = paths.flatMap(({ inner }) => inner ?? [])
  return names.length === 0 ? [] : [[outer, withNulls(names)] as const]
})

function withNulls(keys: readonly string[]): Readonly<Record<string, unknown>> {
  return JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))))
}

/** Asks for every metric, and nests the answers. */
export function everyMetric<Values extends Readonly<Record<MetricName, unknown>>>(
  read: (name: MetricName) => Values[MetricName],
): Nested<Values> {
  const nested: Record<string, unknown> = { ...EMPTY }
  for (const [group, empty] of EMPTY_GROUPS) nested[group] = { ...empty }
  for (const name of METRIC_NAMES) {
    const { outer, inner } = PATHS[name]
    if (inner === null) nested[outer] = read(name)
    else (nested[outer] as Record<string, unknown>)[inner] = read(name) // its group was filled above
  }
  return nested as Nested<Values> // every name of the list is at its place
}

/** The scalars of a result from their numbers, as `metricValue` gives them: 1 and 0 become yes and no. */
export function metricsFromValues(
  read: (name: MetricName) => number | null,
): Nested<{ readonly [Name in MetricName]: Scalar<Name> | null }> {
  return everyMetric((name) => {
    const value = read(name)
    return METRICS[name].unit === 'yes/no' && value !== null ? value === 1 : value
  })
}

/** The scalar of a result by its name; yes/no becomes 1/0. Null for a number that is undefined, and for one that the result lacks. */
export function metricValue(metrics: Partial<MetricsAsRead>, name: MetricName): number | null {
  const value = findMetric(metrics, name)
  if (typeof value === 'boolean') return value ? 1 : 0
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

/** Whatever stands where a metric belongs. Undefined when nothing does. */
export function findMetric(metrics: unknown, name: MetricName): unknown {
  const { outer, inner } = PATHS[name] // not taken apart each time: a report asks for half a million
  const found = ownValue(metrics, outer)
  return inner === null ? found : ownValue(found, inner)
}

function ownValue(owner: unknown, key: string): unknown {
  if (typeof owner !== 'object' || owner === null || !Object.hasOwn(owner, key)) return undefined
  return (owner as Readonly<Record<string, unknown>>)[key] // any object can be read by key
}
