/**
 * Powers that are the same on every Node, and rounding to the tick of a price and the lot of a quantity. A value that lies within 1e-12 (relative) of a multiple counts as that
 * multiple, so that 0.1 + 0.2 rounds down to three tenths and not to two. The result is the double nearest to the decimal n·step:
 * 371 ticks of 0.01 are 3.71, not 3.7100000000000004.
 */

/** A value this near to a multiple, relatively, counts as that multiple. */
export const NEAR = 1e-12
/** Powers of ten up to here are exact doubles, so that one division rounds correctly. */
const EXACT_POWER_OF_TEN = 22

/** A step such as 0.0025 as whole numbers: 25 / 10^4. */
export interface DecimalStep {
  readonly step: number
  readonly digits: number
  readonly decimals: number
  readonly scale: number
}

/** The largest multiple of the step that is not above `value` (prices of buy limits, quantities under `lotRounding: down`). */
export function roundDown(value: number, step: DecimalStep): number {
  return multipleOf(step, Math.floor((value / step.step) * (1 + NEAR)), value)
}

/** The smallest multiple of the step that is not below `value` (take profits, quantities under `lotRounding: up`). */
export function roundUp(value: number, step: DecimalStep): number {
  return multipleOf(step, Math.ceil((value / step.step) * (1 - NEAR)), value)
}

function multipleOf({ step, digits, decimals, scale }: DecimalStep, count: number, value: number): number {
  const numerator = count * digits
  if (!Number.isSafeInteger(count)) return value // the step is finer than the resolution of a double
  if (!Number.isSafeInteger(numerator)) return count * step
  if (decimals <= 0) return numerator * scale
  if (decimals <= EXACT_POWER_OF_TEN) return numerator / scale
  return Number(`${numerator}e-${decimals}`)
}

/**
 * base^exponent for base > 0, as exp(exponent · ln base); within |exponent · ln base| · 2^-52 of the true value, relatively.
 *
 * `Math.pow` and `**` are not used for this: their last bits differ between Node 22 and Node 24 (V8 computes them in another way since), and the same
 * input must give the same result on both. `Math.exp` and `Math.log` agree. A test finds every other `**` in the program.
 */
export function power(base: number, exponent: number): number {
  return Math.exp(exponent * Math.log(base))
}
