/** Which part of how many, and which points of a grid that is. Nothing here depends on what is running where. */
import { Failure } from '../../../errors.ts'
import { countPoints } from '../../study/grid.ts'
import type { Study } from '../../study/study.ts'
import type { Chunks } from '../chunks.ts'

export interface PartNumber {
  /** From 1 to `of`. */
  readonly number: number
  readonly of: number
}

/** Points from ≤ index < to. */
export interface Stretch {
  readonly from: number
  readonly to: number
}

/** As many as an array of any scheduler has, and more. */
export const MOST_PARTS = 1_000_000

/** More than this, and a grid is screened in parts only. */
const MOST_POINTS_OF_ONE_RUN = 10_000_000
/** Of a study in parts: every number of a point stays exact as a double, and so does each of its digits. */
export const MOST_POINTS_IN_PARTS = 1_000_000_000_000

/** Points whose tally rows are added up before they are kept, in a grid that no single run has. */
const POINTS_PER_TALLY = 1_000_000

/**
 * After how many chunks the sums per parameter are kept. The last bits of a sum depend on its order: chunk by chunk, the merge adds them
 * as a single run does. A grid that only parts can screen is added up in larger steps, so that a trillion points leave gigabytes of sums and not terabytes.
 */
export function chunksPerTally(points: number, { size }: Pick<Chunks, 'size'>): number {
  return points <= MOST_POINTS_OF_ONE_RUN ? 1 : Math.max(1, Math.floor(POINTS_PER_TALLY / size))
}

/** Parts begin where a tally begins, and differ by one tally at most; with more parts than tallies some are empty. */
export function stretchOfPart(study: Pick<Study, 'axes'>, chunks: Chunks, { number, of }: PartNumber): Stretch {
  const points = countPoints(study)
  const step = chunks.size * chunksPerTally(points, chunks)
  const tallies = Math.ceil(points / step)
  const begin = (part: number) => Math.min(points, Math.floor((tallies * part) / of) * step)
  return { from: begin(number - 1), to: begin(number) }
}

/** Reads `7/20`, and `auto/20` with what the scheduler says. @param tasks none outside an array @throws Failure usage */
export function readPartNumber(text: string, tasks: readonly ArrayTask[]): PartNumber {
  const [, which = '', count = ''] = /^(auto|\d{1,7})\/(\d{1,7})$/.exec(text) ?? []
  const of = Number(count)
  if (which === '' || of < 1 || of > MOST_PARTS)
    throw new Failure('usage', `--part: expected i/n or auto/n, n from 1 to ${MOST_PARTS}, found "${text}"`)
  if (which !== 'auto') return inRange({ number: Number(which), of }, `--part ${text}`, 1)
  const [task] = tasks
  if (tasks.length !== 1)
    throw new Failure('usage', `--part ${text}: ${describeTasks(tasks)}`, {
      hint: `run it in a job array of a scheduler (dcalab guide many-machines), or give the number: --part 1/${of}`,
    })
  const { variable, index, first } = task
  return inRange({ number: index - first + 1, of }, `--part ${text} with ${variable}=${index}`, first)
}

/** Which task of an array this process is, by the variable of its scheduler. */
export interface ArrayTask {
  readonly variable: string
  readonly index: number
  /** The number of the first task: clusters count from 1 (Slurm's `--array=1-20`), clouds from 0. */
  readonly first: 0 | 1
}

function describeTasks(tasks: readonly ArrayTask[]): string {
  if (tasks.length === 0) return 'no scheduler says which part this is'
  return `several say which part this is: ${tasks.map(({ variable, index }) => `${variable}=${index}`).join(', ')}`
}

function inRange(part: PartNumber, said: string, first: number): PartNumber {
  if (part.number >= 1 && part.number <= part.of) return part
  throw new Failure('usage', `${said}: expected a number from ${first} to ${part.of - 1 + first}`)
}
