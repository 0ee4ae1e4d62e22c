/** Measures the candidates in the order of their rank, until enough of them are inside all bounds and no two alike. */
import type { Objective } from '../study/study.ts'
import { signOf } from './appraise.ts'
import { type Folded, foldInto, NOTHING_YET, scoreOf } from './fold.ts'
import { type Depth, slackOf } from './measures.ts'
import type { MeasuredConfig, ScreenCrew } from './messages.ts'
import type { Candidate } from './shortlist.ts'

/** Whole backtests per request to a worker. */
const PER_QUESTION = 8

export interface WalkRequest {
  readonly crew: ScreenCrew
  readonly objective: Objective
  readonly wanted: number
  /** How the candidates were scored. */
  readonly depth: Depth
  /** Once aborted, it measures no more candidates than are wanted. */
  readonly signal?: AbortSignal
}

/**
 * When so many candidates beyond the wanted ones hold too few inside all bounds, the walk ends: to measure more would cost as much as a
 * closer pass, which applies more of the bounds itself.
 */
const MOST_OUTSIDE = 2048

export interface Walk {
  /** The best of the candidates by their measured scores, inside all bounds and no two alike; at most `wanted`. */
  readonly found: Folded
  /** False where the walk ended early: it was interrupted, or too many candidates lie outside some bound. */
  readonly isSettled: boolean
}

/** @param candidates best first by their scores */
export async function walkDown(candidates: readonly Candidate[], request: WalkRequest): Promise<Walk> {
  const { crew, objective, wanted, depth, signal } = request
  let found = NOTHING_YET
  let looked = 0
  let isInterrupted = false
  const areEnoughInside = () => found.top.length + found.equal.size >= wanted
  const end = wanted + MOST_OUTSIDE
  await walk(candidates.slice(0, end))
  if (areEnoughInside()) await walk(candidates.slice(end))
  return { found, isSettled: !isInterrupted && (areEnoughInside() || candidates.length <= end) }

  async function walk(stretch: readonly Candidate[]): Promise<void> {
    for (let next = 0; next < stretch.length; ) {
      if (signal?.aborted && looked >= wanted) {
        isInterrupted = true
        return
      }
      const last = found.top.at(wanted - 1)
      if (last !== undefined && isBeyond(stretch[next].score, last)) break
      const questions: Promise<readonly MeasuredConfig[]>[] = []
      for (let worker = 0; worker < crew.size && next < stretch.length; worker++) {
        questions.push(measure(crew, stretch.slice(next, next + PER_QUESTION)))
        next += PER_QUESTION
      }
      const measured = (await Promise.all(questions)).flat()
      looked += measured.length
      found = foldInto(found, measured, { objective, wanted })
    }
  }

  /**
   * A score may differ from the measured value. Only a candidate that is further behind than this difference can be is skipped unmeasured, so
   * that all that are as good as the last one are known, whatever the number of workers.
   */
  function isBeyond(score: number, last: MeasuredConfig): boolean {
    return score < signOf(objective) * scoreOf(last) - slackOf(last.scale, depth, objective.metric)
  }
}

async function measure(crew: ScreenCrew, candidates: readonly Candidate[]): Promise<readonly MeasuredConfig[]> {
  const reply = await crew.ask({ kind: 'measure', indices: candidates.map(({ index }) => index) })
  if (reply.kind !== 'measure') throw new Error(`metrics were asked for, and the answer is a ${reply.kind}`)
  return reply.configs
}
