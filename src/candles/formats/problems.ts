import { Failure, type Problem } from '../../errors.ts'

/**
 * What is wrong with a line: an unreadable cell, an impossible time, a time in another unit than the first, numbers that are no
 * candle, a second candle of one time.
 */
export type ProblemKind = 'unreadable' | 'time' | 'timeUnit' | 'impossible' | 'conflict' | 'misaligned'

/** The problems of one file: the first ones with their lines, the rest as a count. */
export interface ProblemList {
  add(line: number, kind: ProblemKind, message: string): void
  /** How many problems of each kind were added. */
  counts(): ReadonlyMap<ProblemKind, number>
  /** @throws Failure candlesInvalid when there was any problem */
  refuse(what: string): void
}

const named = 20

export function createProblemList(path: string): ProblemList {
  const problems: Problem[] = []
  const counts = new Map<ProblemKind, number>()
  return {
    add(line, kind, message) {
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
      if (problems.length < named) problems.push({ place: `${path}:${line}`, message })
    },
    counts: () => counts,
    refuse(what) {
      const count = [...counts.values()].reduce((sum, n) => sum + n, 0)
      if (count === 0) return
      const hidden = count - problems.length
      const rest = hidden > 0 ? [{ place: path, message: `… and ${hidden} more problems` }] : []
      throw new Failure('candlesInvalid', `${what}: ${count === 1 ? 'a problem' : `${count} problems`} in ${path}`, {
        problems: [...problems, ...rest],
        details: { count },
      })
    },
  }
}
