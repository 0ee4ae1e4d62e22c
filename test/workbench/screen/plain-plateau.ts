/**
 * The plateau score by the page of the method alone, value by value: for each varied field the two neighbouring levels are looked up, and
 * the point that has them. It shares no line with the screen, and is as slow as it is plain.
 */
import type { ConfigField, DcaSpotConfig } from '../../../src/contract/bot.ts'
import type { Axis, Study } from '../../../src/workbench/study/study.ts'

export interface PlainResult {
  /** Of the objective; null = undefined. */
  readonly value: number | null
}

export interface PlainWorld<Result extends PlainResult> {
  readonly study: Study
  /** null = infeasible. */
  readonly resultOf: (config: DcaSpotConfig) => Result | null
  readonly areAlike: (one: Result, other: Result) => boolean
}

/** Of a point that has a value. */
export function plainPlateau<Result extends PlainResult>(
  { study, resultOf, areAlike }: PlainWorld<Result>,
  config: DcaSpotConfig,
): number {
  const point = resultOf(config)
  const present = [valueIn(point)]
  let missing = 0
  for (const axis of study.axes) {
    if (axis.values.length < 2 || isIdle(axis.field, config)) continue
    for (const level of [nextLevel(study, axis, config, -1), nextLevel(study, axis, config, 1)]) {
      const neighbour = level === undefined ? null : resultOf({ ...config, [axis.field]: level })
      if (neighbour === null || neighbour.value === null) missing++
      else if (point !== null && !areAlike(point, neighbour)) present.push(neighbour.value)
    }
  }
  const worst = study.objective.direction === 'maximize' ? Math.min(...present) : Math.max(...present)
  const all = [...present, ...Array.from({ length: missing }, () => worst)]
  return all.reduce((sum, value) => sum + value, 0) / all.length
}

function valueIn(result: PlainResult | null): number {
  if (result === null || result.value === null) throw new Error('only a point with a value has a plateau')
  return result.value
}

/** Without a safety order the ladder's fields do nothing; with one there is no second step to multiply. */
function isIdle(field: ConfigField, { dcaMaxSafetyOrders: orders }: DcaSpotConfig): boolean {
  if (field === 'dcaPriceStepMultiplier') return orders <= 1
  return orders === 0 && (field === 'dcaPriceScalePercent' || field === 'dcaVolumeScale')
}

/** The nearest level on one side that is 5 % of the range away, up to the last digits of a double. */
function nextLevel(
  { search }: Study,
  { field, values }: Axis,
  config: DcaSpotConfig,
  side: 1 | -1,
): number | undefined {
  const isLog = search.score === 'plateau' && search.logFields.includes(field)
  const isNoStop = (value: number) => field === 'stopLoss' && value === 0
  const stops = values.filter((value) => !isNoStop(value)).map((value) => (isLog ? Math.log(value) : value))
  const least = 0.05 * (Math.max(...stops) - Math.min(...stops))
  const place = (value: number) => (isNoStop(value) ? Infinity : isLog ? Math.log(value) : value)
  const own = place(config[field])
  const beyond = values
    .filter((value) => side * (place(value) - own) > 0 && side * (place(value) - own) >= least * (1 - 1e-7))
    .toSorted((a, b) => side * (place(a) - place(b)))
  return beyond.at(0)
}
