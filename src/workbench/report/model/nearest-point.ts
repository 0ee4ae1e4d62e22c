/** Which point a pointer means. Pure. */

interface PlacedPoints {
  /** NaN = the point is not drawn. */
  readonly x: ArrayLike<number>
  readonly y: ArrayLike<number>
}

/**
 * The nearest point within `reach`, one that `mask` selects before any other; of equally near ones the first, which is the better ranked. Null where
 * there is none.
 */
export function nearestPoint(
  points: PlacedPoints,
  at: { readonly x: number; readonly y: number },
  { reach, mask }: { readonly reach: number; readonly mask: Uint8Array },
): number | null {
  let found: number | null = null
  let [nearest, isSelected] = [reach * reach, false]
  for (let point = 0; point < points.x.length; point++) {
    const [across, down] = [points.x[point] - at.x, points.y[point] - at.y]
    const distance = across * across + down * down
    const selected = mask[point] === 1
    if (!(distance <= reach * reach) || (isSelected && !selected)) continue
    if (found !== null && selected === isSelected && distance >= nearest) continue
    found = point
    nearest = distance
    isSelected = selected
  }
  return found
}
