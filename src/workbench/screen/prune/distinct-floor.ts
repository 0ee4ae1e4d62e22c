/** The score of the k-th place when equal scores count once: configs that trade alike have the same score, and a top shows one of them. */

export interface DistinctFloor {
  offer(score: number): void
  /** null = there are not so many different scores yet. */
  score(): number | null
}

/** Scores of one config may differ by so much, relative to the larger of it and 1. */
const ALIKE = 4e-9

/** @param places k */
export function createDistinctFloor(places: number): DistinctFloor {
  /** Highest first, no two alike. */
  const scores: number[] = []
  return {
    offer(score) {
      const at = placeOf(score)
      if (at >= places || isAlike(score, scores[at - 1]) || isAlike(score, scores[at])) return
      scores.splice(at, 0, score)
      if (scores.length > places) scores.pop()
    },
    score: () => scores.at(places - 1) ?? null,
  }

  /** How many are higher. */
  function placeOf(score: number): number {
    let [from, to] = [0, scores.length]
    while (from < to) {
      const middle = (from + to) >> 1
      if (scores[middle] > score) from = middle + 1
      else to = middle
    }
    return from
  }
}

function isAlike(score: number, other: number | undefined): boolean {
  return other !== undefined && Math.abs(score - other) <= ALIKE * Math.max(1, Math.abs(score))
}
