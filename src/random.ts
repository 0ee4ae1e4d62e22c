/** Seeded randomness, the same on every machine: splitmix32 spreads the seed, xoshiro128** draws (Blackman and Vigna 2018). */
export interface Random {
  /** Evenly from 0 ≤ x < 1, in steps of 2^-32. */
  uniform(): number
  /** From the standard normal distribution (Marsaglia's polar method: only log and sqrt). */
  normal(): number
  /** Where the draws stand; a generator made of it draws on. `STATE_LENGTH` numbers, the last of them NaN half of the time. */
  state(): number[]
}

export const STATE_LENGTH = 5

/** A state that is handed in beats the seed. */
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
