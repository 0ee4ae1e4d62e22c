/**
 * Pearson's correlation, −1 to 1; null with fewer than two pairs, or where one side does not vary.
 * @param noSpread a standard deviation up to this counts as none: what rounding makes of equal values
 */
export function pearson(pairs: readonly (readonly [number, number])[], noSpread: number): number | null {
  const n = pairs.length
  if (n < 2) return null
  const mean = (of: 0 | 1) => pairs.reduce((sum, pair) => sum + pair[of], 0) / n
  const [meanX, meanY] = [mean(0), mean(1)]
  const sum = (term: (x: number, y: number) => number) =>
    pairs.reduce((all, [x, y]) => all + term(x - meanX, y - meanY), 0)
  const [squaresX, squaresY] = [sum((x) => x * x), sum((_, y) => y * y)]
  if (Math.sqrt(Math.min(squaresX, squaresY) / n) <= noSpread) return null
  // One root of the product, not two roots: of equal sums it is exact, so that equal sides correlate by exactly 1.
  return Math.max(-1, Math.min(1, sum((x, y) => x * y) / Math.sqrt(squaresX * squaresY)))
}
