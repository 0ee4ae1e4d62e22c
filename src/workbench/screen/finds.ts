/** What a worker reports of a stretch of the grid: the points that may still get onto the shortlist. */
import type { GridPlace } from './messages.ts'
import type { Candidates } from './shortlist.ts'

interface Finds {
  /** `score`: null = not to be ranked. */
  add(index: number, score: number | null, findFingerprint: () => string): void
  columns(): Candidates
}

/** Collects the points that are not behind the floor. */
export function createFinds(floor: GridPlace | null): Finds {
  const indices: number[] = []
  const scores: number[] = []
  return {
    add(index, score, findFingerprint) {
      if (score === null || isBehind(floor, score, findFingerprint)) return
      indices.push(index)
      scores.push(score)
    },
    columns: () => ({ indices: Float64Array.from(indices), scores: Float64Array.from(scores) }),
  }
}

/** Names are only worked out for ties: a name costs as much as the simulation itself. */
function isBehind(floor: GridPlace | null, score: number, findFingerprint: () => string): boolean {
  if (floor === null || score > floor.score) return false
  return score < floor.score || findFingerprint() > floor.fingerprint
}
