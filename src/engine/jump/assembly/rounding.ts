/**
 * Rounding to tick and lot, as `../../numbers.ts` does it, to the same doubles. Steps are counted by a multiplication; where that leaves
 * where it may be a whole number, the formula itself decides, which takes a division more.
 */
import {
  lot,
  lotDecimals,
  lotDigits,
  lotScale,
  lotsPerUnit,
  lotUp,
  mostLots,
  mostTicks,
  tick,
  tickDecimals,
  tickDigits,
  tickScale,
  ticksPerUnit,
} from './scene'

/** The double nearest to numerator · 10^−decimals, for more decimals than a power of ten is exact for. */
declare function nearestDecimal(numerator: f64, decimals: f64): f64

/** A value this near (relative) to a multiple counts as it. */
const NEAR: f64 = 1e-12
/** Surely nearer, and surely further, whatever the rounding errors. */
const SURELY_NEAR: f64 = 5e-13
const SURELY_FAR: f64 = 2e-12
const MOST_SAFE: f64 = 9007199254740991
const EXACT_POWER_OF_TEN: f64 = 22

/** Inlined: a deal is rounded four times for each of its rows. */
export class Round {
  /** The largest multiple of the tick that is not above this price. */
  @inline
  static tickBelow(price: f64): f64 {
    const steps = price * ticksPerUnit
    const whole = nearest(steps)
    if (abs(steps - whole) > whole * SURELY_FAR && whole < mostTicks)
      return (Math.floor(steps) * tickDigits) / tickScale
    return tickBelowByFormula(price)
  }

  /** The smallest multiple of the tick that is not below this price; `nearby` differs from it by rounding errors at most, and is sooner known. */
  @inline
  static tickAbove(price: f64, nearby: f64): f64 {
    const steps = nearby * ticksPerUnit
    const whole = nearest(steps)
    if (abs(steps - whole) > whole * SURELY_FAR && whole < mostTicks) return (Math.ceil(steps) * tickDigits) / tickScale
    return tickAboveByFormula(price)
  }

  /** Most lots that are no fractions are 1, and need no division. */
  @inline
  static inLots(numerator: f64): f64 {
    return lotScale == 1 ? numerator : numerator / lotScale
  }

  /** A quantity in whole lots, rounded as the convention says. */
  @inline
  static lots(quantity: f64): f64 {
    const steps = quantity * lotsPerUnit
    const whole = nearest(steps)
    if (abs(steps - whole) > whole * SURELY_FAR && whole < mostLots)
      return Round.inLots((lotUp ? Math.ceil(steps) : Math.floor(steps)) * lotDigits)
    return lotsByFormula(quantity, lotUp)
  }

  /** A sum of lots is a whole number of lots. */
  @inline
  static sumOfLots(quantity: f64): f64 {
    const steps = quantity * lotsPerUnit
    const whole = nearest(steps)
    if (abs(steps - whole) <= whole * SURELY_NEAR && whole < mostLots) return Round.inLots(whole * lotDigits)
    return lotsByFormula(quantity, false)
  }
}

function tickBelowByFormula(price: f64): f64 {
  return multiple(Math.floor((price / tick) * (1 + NEAR)), price, tick, tickDigits, tickDecimals, tickScale)
}

function tickAboveByFormula(price: f64): f64 {
  return multiple(Math.ceil((price / tick) * (1 - NEAR)), price, tick, tickDigits, tickDecimals, tickScale)
}

function lotsByFormula(quantity: f64, up: bool): f64 {
  const count = up ? Math.ceil((quantity / lot) * (1 - NEAR)) : Math.floor((quantity / lot) * (1 + NEAR))
  return multiple(count, quantity, lot, lotDigits, lotDecimals, lotScale)
}

function multiple(count: f64, value: f64, step: f64, digits: f64, decimals: f64, scale: f64): f64 {
  const numerator = count * digits
  if (!(abs(count) <= MOST_SAFE)) return value
  if (!(abs(numerator) <= MOST_SAFE)) return count * step
  if (decimals <= 0) return numerator * scale
  if (decimals <= EXACT_POWER_OF_TEN) return numerator / scale
  return nearestDecimal(numerator, decimals)
}
