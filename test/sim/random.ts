/** Seeded randomness: the same seed draws the same world, on any machine. */

export interface Random {
  /** In [0, 1). */
  next(): number
  /** A whole number in [0, n). */
  below(n: number): number
  between(low: number, high: number): number
  chance(probability: number): boolean
  pick<T>(list: readonly T[]): T
  bytes(n: number): Uint8Array
  /** A sequence of its own, so that drawing more in one place changes nothing in another. */
  fork(): Random
}

/** splitmix32 */
export function createRandom(seed: number): Random {
  let state = seed | 0
  const word = () => {
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return (mixed ^ (mixed >>> 15)) >>> 0
  }
  const next = () => word() / 2 ** 32
  const below = (n: number) => Math.floor(next() * n)
  return {
    next,
    below,
    between: (low, high) => low + next() * (high - low),
    chance: (probability) => next() < probability,
    pick: (list) => list[below(list.length)],
    bytes: (n) => Uint8Array.from({ length: n }, () => word() & 0xff),
    fork: () => createRandom(word()),
  }
}
