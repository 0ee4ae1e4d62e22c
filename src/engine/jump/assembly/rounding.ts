/**
 * Rounding to tick and lot, as `../../rounding.ts` does it, to the same doubles. A value is counted in steps by a multiplication; where
 * that leaves a doubt about the whole number, the formula itself decides, which takes a division.
 */
import { lot, lotDecimals, lotDigits, lotScale, lotUp, tick, tickDecimals, tickDigits, tickScale } from './scene'

/** The double nearest to numerator · 10^−decimals, for more decimals than a power of ten is exact for. */
declare function nearestDecimal(numerator: f64, decimals: f64): f64

/** A value this near (relative) to a multiple counts as it. */
const NEAR: f64 = 1e-12
/** Surely nearer, and surely further, whatever the rounding errors. */
const SURELY_NEAR: f64 = 5e-13
const SURELY_FAR: f64 = 2e-12
/** Above this many steps the tolerance could reach the next one. */
const MOST_STEPS: f64 = 1e11
const MOST_SAFE: f64 = 9007199254740991
const EXACT_POWER_OF_TEN: f64 = 22

/** The largest multiple of the tick that is not above this price. */
export function tickBelow(price: f64): f64 {
  return Step.down(price, tick, tickDigits, tickDecimals, tickScale)
}

/** The smallest multiple of the tick that is not below this price. */
export function tickAbove(price: f64): f64 {
  return Step.up(price, tick, tickDigits, tickDecimals, tickScale)
}

/** A quantity in whole lots, rounded as the convention says. */
export function wholeLots(quantity: f64): f64 {
  return lotUp
    ? Step.up(quantity, lot, lotDigits, lotDecimals, lotScale)
    : Step.down(quantity, lot, lotDigits, lotDecimals, lotScale)
}

/** A sum of lots is a whole number of lots. */
export function sumOfLots(quantity: f64): f64 {
  return Step.down(quantity, lot, lotDigits, lotDecimals, lotScale)
}

class Step {
  @inline
  static down(value: f64, step: f64, digits: f64, decimals: f64, scale: f64): f64 {
    const steps = value * (scale / digits)
    const whole = nearest(steps)
    const apart = abs(steps - whole)
    if (whole < MOST_STEPS && decimals > 0 && decimals <= EXACT_POWER_OF_TEN) {
      if (apart <= whole * SURELY_NEAR) return (whole * digits) / scale
      if (apart > whole * SURELY_FAR) return (Math.floor(steps) * digits) / scale
    }
    return multiple(Math.floor((value / step) * (1 + NEAR)), value, step, digits, decimals, scale)
  }

  @inline
  static up(value: f64, step: f64, digits: f64, decimals: f64, scale: f64): f64 {
    const steps = value * (scale / digits)
    const whole = nearest(steps)
    const apart = abs(steps - whole)
    if (whole < MOST_STEPS && decimals > 0 && decimals <= EXACT_POWER_OF_TEN) {
      if (apart <= whole * SURELY_NEAR) return (whole * digits) / scale
      if (apart > whole * SURELY_FAR) return (Math.ceil(steps) * digits) / scale
    }
    return multiple(Math.ceil((value / step) * (1 - NEAR)), value, step, digits, decimals, scale)
  }
}

function multiple(count: f64, value: f64, step: f64, digits: f64, decimals: f64, scale: f64): f64 {
  const numerator = count * digits
  if (!(abs(count) <= MOST_SAFE)) return value
  if (!(abs(numerator) <= MOST_SAFE)) return count * step
  if (decimals <= 0) return numerator * scale
  if (decimals <= EXACT_POWER_OF_TEN) return numerator / scale
  return nearestDecimal(numerator, decimals)
}
