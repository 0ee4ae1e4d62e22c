/** Seeded randomness, the same on every machine: splitmix32 spreads the seed, xoshiro128** draws (Blackman and Vigna 2018). */
export interface Random {
  /** Uniformly distributed, 0 ≤ x < 1, in steps of 2^-32. */
  uniform(): number
  /** From the standard normal distribution (Marsaglia's polar method: only log and sqrt). */
  normal(): number
  /**
   * The generator's state: another generator created from it continues the sequence. `STATE_LENGTH` numbers; the last one is NaN
   * when no second normal value is waiting.
   */
  state(): number[]
}

export const STATE_LENGTH = 5

/** With `resumed` (from `state()`) the seed is not used. */
export function createRandom(seed: number, resumed?: readonly number[]): Random {
  let state = seed | 0
  const splitmix = (): number => {
    state = (state + 0x9e3779b9) | 0
    let z = Math.imul(state ^ (state >>> 16), 0x21f0aaad)
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97)
    return z ^ (z >>> 15)
  }
  let [a, b, c, d, spare] = resumed ?? [splitmix(), splitmix(), splitmix(), splitmix(), Number.NaN]

  const uniform = (): number => {
    const x = Math.imul(b, 5)
    const result = Math.imul((x << 7) | (x >>> 25), 9)
    const shifted = b << 9
    c ^= a
    d ^= b
    b ^= c
    a ^= d
    c ^= shifted
    d = (d << 11) | (d >>> 21)
    return (result >>> 0) * 2 ** -32
  }

  const normal = (): number => {
    if (!Number.isNaN(spare)) {
      const value = spare
      spare = Number.NaN
      return value
    }
    for (;;) {
      const u = 2 * uniform() - 1
      const v = 2 * uniform() - 1
      const s = u * u + v * v
      if (s >= 1 || s === 0) continue
      const scale = Math.sqrt((-2 * Math.log(s)) / s)
      spare = v * scale
      return u * scale
    }
  }
  return { uniform, normal, state: () => [a, b, c, d, spare] }
}
