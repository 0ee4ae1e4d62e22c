/**
 * base^exponent for base > 0, as exp(exponent · ln base); within |exponent · ln base| · 2^-52 of the true value, relatively.
 *
 * `Math.pow` and `**` are not used for this: their last bits differ between Node 22 and Node 24 (V8 computes them in another way since), and the same
 * input must give the same result on both. `Math.exp` and `Math.log` agree. A test finds every other `**` in the program.
 */
export function power(base: number, exponent: number): number {
  return Math.exp(exponent * Math.log(base))
}
