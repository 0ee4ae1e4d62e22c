/** Equity has a rounding error of about 1e-16 of itself; a smaller fall than this one is rounding, not a loss. */
export const NO_FALL = 1e-14

/** The running peak of equity over closes, and the deepest falls from it, as fractions of the peak. */
export interface DrawdownMeter {
  peak: number
  /** Over closes. */
  deepest: number
  /** With each candle marked at its low. */
  deepestAtLow: number
}

/** The starting equity is the first peak. */
export function createDrawdownMeter(startEquity: number): DrawdownMeter {
  return { peak: startEquity, deepest: 0, deepestAtLow: 0 }
}

/** The low of a candle is measured against the peak of the closes before it; then its close counts. */
export function observeEquity(meter: DrawdownMeter, equityAtLow: number, equityAtClose: number): void {
  const fallAtLow = 1 - equityAtLow / meter.peak
  if (fallAtLow > NO_FALL && fallAtLow > meter.deepestAtLow) meter.deepestAtLow = fallAtLow
  if (equityAtClose > meter.peak) {
    meter.peak = equityAtClose
    return
  }
  const fall = 1 - equityAtClose / meter.peak
  if (fall > NO_FALL && fall > meter.deepest) meter.deepest = fall
}
