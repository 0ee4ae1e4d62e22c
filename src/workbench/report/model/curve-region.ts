/** The part of a curve that its scale is made for: one point far off would press all others flat. Pure. */

interface CurveValue {
  readonly netProfit: number
}

/** Fences after Tukey: beyond this many times the middle half's width lies what is far off. */
const FENCE = 1.5
/** Points are held back only where the scale would otherwise be at least so many times as high. */
const WORTH_IT = 2

/** Each point with the height at which it is drawn, and on which side of the scale it lies, null = on it. The point that is set is always on it. */
export function placeOnScale<T extends CurveValue>(
  points: readonly T[],
  isSet: (point: T) => boolean,
): readonly (T & { readonly shown: number; readonly side: 'above' | 'below' | null })[] {
  const sorted = points.map(({ netProfit }) => netProfit).sort((a, b) => a - b)
  const plain = points.map((point) => ({ ...point, shown: point.netProfit, side: null }))
  if (sorted.length < 5) return plain
  const quartile = (share: number) => sorted[Math.round(share * (sorted.length - 1))]
  const [first, third] = [quartile(0.25), quartile(0.75)]
  const [low, high] = [first - FENCE * (third - first), third + FENCE * (third - first)]
  const near = points.filter((point) => isSet(point) || (point.netProfit >= low && point.netProfit <= high))
  const shownOf = near.map(({ netProfit }) => netProfit)
  // zero is on the scale anyway
  const [bottom, top] = [Math.min(0, ...shownOf), Math.max(0, ...shownOf)]
  const [lowest, highest] = [Math.min(0, sorted[0]), Math.max(0, sorted[sorted.length - 1])]
  if (highest - lowest < WORTH_IT * (top - bottom)) return plain
  return points.map((point) => ({
    ...point,
    shown: Math.min(top, Math.max(bottom, point.netProfit)),
    side: point.netProfit < bottom ? 'below' : point.netProfit > top ? 'above' : null,
  }))
}
