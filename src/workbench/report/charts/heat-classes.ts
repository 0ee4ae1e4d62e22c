/** Classes of a heat map: few enough to be distinguished, and with a border at zero, so that the colour always shows the sign. */

/** Tones from the page's palette: `n5` the darkest loss … `n1`, `p1` … `p5` the darkest gain. */
export type Tone = `${'n' | 'p'}${1 | 2 | 3 | 4 | 5}`

export interface HeatClass {
  readonly from: number
  readonly to: number
  readonly tone: Tone
}

const STEPS = [1, 2, 3, 4, 5] as const

/** Results nearer than this differ by rounding only. */
const noise = 1e-9

/**
 * Ascending classes that cover every value (from ≤ value < to, the last one closed). Values of both signs share one step on
 * either side of zero; values of one sign are spread over their own range. `better` says which end gets the strong colours.
 */
export function heatClasses(values: readonly number[], better: 'higher' | 'lower'): HeatClass[] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  if (high - low <= noise) return [{ from: low, to: high, tone: low < 0 ? 'n3' : 'p3' }]
  if (low < 0 && high > 0) return diverging(low, high)
  const { start, step, count } = evenClasses(low, high)
  const sign = low < 0 ? 'n' : 'p'
  const darkAtHigh = sign === 'p' ? better === 'higher' : false
  return Array.from({ length: count }, (_, index) => {
    const strength = count === 1 ? 3 : Math.round(1 + (4 * index) / (count - 1))
    const [from, to] = [start + index * step, start + (index + 1) * step]
    return { from, to, tone: tone(sign, darkAtHigh ? strength : 6 - strength) }
  })
}

/** At most as many classes as there are tones, on multiples of a nice step. */
function evenClasses(low: number, high: number): { start: number; step: number; count: number } {
  for (let step = niceStep((high - low) / STEPS.length); ; step = niceStep(step * 1.01)) {
    const start = Math.floor(low / step) * step
    const count = Math.max(1, Math.ceil((high - start) / step - 1e-9))
    if (count <= STEPS.length) return { start, step, count }
  }
}

function diverging(low: number, high: number): HeatClass[] {
  const step = niceStep(Math.max(-low, high) / STEPS.length)
  const losses = STEPS.map((k): HeatClass => ({ from: -k * step, to: (1 - k) * step, tone: tone('n', k) })).reverse()
  const gains = STEPS.map((k): HeatClass => ({ from: (k - 1) * step, to: k * step, tone: tone('p', k) }))
  return [...losses.filter(({ to }) => to > low), ...gains.filter(({ from }) => from <= high)]
}

function tone(sign: 'n' | 'p', strength: number): Tone {
  const step = STEPS[Math.min(STEPS.length, Math.max(1, strength)) - 1]
  return `${sign}${step}`
}

/** The smallest 1, 2, 2.5 or 5 times a power of ten that is at least `step`. */
export function niceStep(step: number): number {
  const power = Number(`1e${Math.floor(Math.log10(step))}`)
  return [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= step * (1 - 1e-9)) ?? step
}

/** The class of a value among ascending classes; the first and the last one also include values that rounding left outside. */
export function classOf(classes: readonly HeatClass[], value: number): HeatClass {
  return classes.find(({ to }) => value < to) ?? classes[classes.length - 1]
}
