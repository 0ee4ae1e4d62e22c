import { Failure, type Problem } from '../errors.ts'

/** Problems of one file: the first of them with their lines, the rest as a number. */
export interface ProblemList {
  add(line: number, message: string): void
  /** @throws Failure candlesInvalid when there was any problem */
  refuse(what: string): void
}

const named = 20

export function createProblemList(path: string): ProblemList {
  const problems: Problem[] = []
  let count = 0
  return {
    add(line, message) {
      count++
      if (problems.length < named) problems.push({ place: `${path}:${line}`, message })
    },
    refuse(what) {
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
