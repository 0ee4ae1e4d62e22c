/** How the price of a synthetic market moves, candle by candle: the formula is in `generate.ts`. */
import type { Random } from '../../engine/random.ts'

const dayMs = 86_400_000
export const yearMs = 365 * dayMs

/** Hourly activity relative to the day's mean, 0–23 h UTC: quiet before Asia opens, busiest when America opens. */
const seasonByHour = [
  1.02, 0.98, 0.92, 0.86, 0.8, 0.76, 0.78, 0.88, 0.96, 0.98, 0.96, 0.94, 1.0, 1.16, 1.34, 1.38, 1.28, 1.18, 1.1, 1.06,
  1.0, 0.94, 0.88, 0.92,
]
const seasonLevel = Math.sqrt(seasonByHour.reduce((sum, value) => sum + value * value, 0) / 24)

const slow = { deviation: 0.45, ms: 8 * dayMs }
const fast = { deviation: 0.35, ms: 2 * 3_600_000 }
/** exp of a normal deviate raises the mean variance; this factor corrects it. */
const clusterLevel = Math.exp(slow.deviation * slow.deviation + fast.deviation * fast.deviation)
const wideShare = 0.05
const wideFactor = 3
const tailLevel = Math.sqrt(1 - wideShare + wideShare * wideFactor * wideFactor)
/** Jumps: some twenty a month, each as wide as two hours of ordinary movement; a twentieth of all variance. */
const jumpsPerYear = 250
const jumpVariance = 0.05
/** Steps of the path inside a candle, which gives its high and low. */
const stepsPerCandle = 8

/** The path of one candle in log price, relative to its start. Reused from step to step. */
export interface Step {
  end: number
  highest: number
  lowest: number
  /** Volatility of this candle relative to the market's usual. */
  agitation: number
}

interface Motion {
  next(time: number): Step
  state(): number[]
}

export function createMotion(
  random: Random,
  intervalMs: number,
  annualVolatility: number,
  resumed: readonly number[] | undefined,
): Motion {
  const dt = intervalMs / yearMs
  const diffusion = annualVolatility * Math.sqrt((1 - jumpVariance) * (dt / stepsPerCandle))
  const jumpDeviation = annualVolatility * Math.sqrt(jumpVariance / jumpsPerYear)
  const jumpChance = 1 - Math.exp(-jumpsPerYear * dt)
  const slowKeep = Math.exp(-intervalMs / slow.ms)
  const fastKeep = Math.exp(-intervalMs / fast.ms)
  const slowNoise = slow.deviation * Math.sqrt(1 - slowKeep * slowKeep)
  const fastNoise = fast.deviation * Math.sqrt(1 - fastKeep * fastKeep)
  const regimeChance = 1 - Math.exp(-intervalMs / (20 * dayMs))
  const step: Step = { end: 0, highest: 0, lowest: 0, agitation: 1 }
  let [slowState, fastState, drift] = resumed ?? [slow.deviation * random.normal(), fast.deviation * random.normal(), 0]

  const next = (time: number): Step => {
    slowState = slowState * slowKeep + slowNoise * random.normal()
    fastState = fastState * fastKeep + fastNoise * random.normal()
    if (random.uniform() < regimeChance) drift = annualVolatility * (2 * random.uniform() - 1)
    const season = intervalMs >= dayMs ? 1 : seasonByHour[Math.floor((time % dayMs) / 3_600_000)] / seasonLevel
    const wide = random.uniform() < wideShare ? wideFactor : 1
    step.agitation = ((season * Math.exp(slowState + fastState)) / clusterLevel / tailLevel) * wide
    const deviation = diffusion * step.agitation
    const trend = (drift * dt) / stepsPerCandle
    const jumpAt = random.uniform() < jumpChance ? Math.floor(random.uniform() * stepsPerCandle) : -1
    step.end = 0
    step.highest = 0
    step.lowest = 0
    for (let k = 0; k < stepsPerCandle; k++) {
      step.end += trend + deviation * random.normal()
      if (k === jumpAt) step.end += jumpDeviation * random.normal()
      if (step.end > step.highest) step.highest = step.end
      if (step.end < step.lowest) step.lowest = step.end
    }
    return step
  }
  return { next, state: () => [slowState, fastState, drift] }
}
