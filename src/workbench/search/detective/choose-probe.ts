/** Which candidate tells most about the suspects that remain. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type Gauge, slackAt } from './compared-metrics.ts'
import type { Predicted, Predictions } from './predictions.ts'

interface Choice {
  readonly candidates: readonly DcaSpotConfig[]
  readonly suspects: readonly number[]
  /** What the answer will give, and how exactly. */
  readonly gauges: readonly Gauge[]
}

/** The candidate whose answer leaves the fewest suspects on average; null where no answer would tell any two of them apart. */
export async function chooseProbe(
  predictions: Predictions,
  { candidates, suspects, gauges }: Choice,
): Promise<DcaSpotConfig | null> {
  await predictions.compute(candidates, suspects)
  let best: DcaSpotConfig | null = null
  let fewest = suspects.length
  for (const config of candidates) {
    const left = leftOnAverage(classesOf(predictions.of(config), { suspects, gauges }))
    if (left >= fewest) continue
    fewest = left
    best = config
  }
  return best
}

/** By place in `suspects`: the number of its class. Those of one class predict values that the service would report alike. */
function classesOf(predicted: Predicted, { suspects, gauges }: Omit<Choice, 'candidates'>): readonly number[] {
  const byGauge = gauges.map(({ metric, resolution }) =>
    numberAlike(
      suspects.map((suspect) => predicted(suspect, metric)),
      resolution,
    ),
  )
  const numbers = new Map<string, number>()
  return suspects.map((_, place) => {
    const key = byGauge.map((ofGauge) => ofGauge[place]).join()
    const number = numbers.get(key) ?? numbers.size
    numbers.set(key, number)
    return number
  })
}

/** One number for values that could be reported alike: from the lowest on, as long as the next is no two resolutions away. Null is 0. */
function numberAlike(values: readonly (number | null)[], resolution: number): readonly number[] {
  const numbers = values.map(() => 0)
  const order = values
    .flatMap((value, place) => (value === null ? [] : [{ value, place }]))
    .sort((one, other) => one.value - other.value)
  let before = Number.NEGATIVE_INFINITY
  let number = 0
  for (const { value, place } of order) {
    if (value - before > 2 * (resolution + slackAt(value))) number++
    numbers[place] = number
    before = value
  }
  return numbers
}

/** Σ n² / N over the sizes of the classes, when each suspect may be the right one. */
function leftOnAverage(classes: readonly number[]): number {
  const sizes = new Map<number, number>()
  for (const number of classes) sizes.set(number, (sizes.get(number) ?? 0) + 1)
  return [...sizes.values()].reduce((sum, size) => sum + size * size, 0) / classes.length
}
