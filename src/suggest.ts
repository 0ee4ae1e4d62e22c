/** "; did you mean maxDrawdownPercent or maxDrawdownLowPercent?", or nothing when no known word is near. */
export function suggest(word: string, known: readonly string[]): string {
  const similar = findSimilar(word, known)
  const meant = similar === undefined ? findContaining(word, known) : [similar]
  return meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`
}

/** The known word that `word` is a misspelling of, or undefined when none is near. */
export function findSimilar(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined
  const near = known
    .map((candidate) => ({ candidate, distance: wordDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ candidate, distance }) => distance <= Math.floor(candidate.length / 3))
    .sort((a, b) => a.distance - b.distance)
  return near.at(0)?.candidate
}

/** Longer words are not typing errors, and computing the distance takes the product of both lengths. */
const LONGEST_WORD = 60

/** `priceScale` → dcaPriceScalePercent: names that contain the word, if there are only a few. */
function findContaining(word: string, known: readonly string[]): readonly string[] {
  if (word.length < 4) return []
  const containing = known.filter((candidate) => candidate.toLowerCase().includes(word.toLowerCase()))
  return containing.length <= 4 ? containing : []
}

/** Edits (insert, delete, replace, swap of neighbours) between two words: optimal string alignment. */
function wordDistance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      row[j] = Math.min(replaced, last[j] + 1, row[j - 1] + 1, isSwap ? beforeLast[j - 2] + 1 : Infinity)
    }
    beforeLast = last
    last = row
  }
  return last[b.length]
}
