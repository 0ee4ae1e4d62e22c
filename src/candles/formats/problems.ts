import { Failure, type Problem } from '../../errors.ts'

/**
 * What kind of thing is wrong with a line: a cell that cannot be read, a time that cannot be one, a time in another unit
 * than the first, numbers that are no candle, a second candle of one time.
 */
export type ProblemKind = 'unreadable' | 'time' | 'timeUnit' | 'impossible' | 'conflict' | 'misaligned'

/** Problems of one file: the first of them with their lines, the rest as a number. */
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
