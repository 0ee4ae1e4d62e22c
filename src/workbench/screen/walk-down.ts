/** Measures the candidates in the order of their rank, until enough of them are inside all bounds. */
import { metricValue } from '../../contract/metrics.ts'
import { rankByObjective } from '../study/objective.ts'
import type { Objective } from '../study/study.ts'
import { signOf } from './appraise.ts'
import { type Depth, slackOf } from './measures.ts'
import type { MeasuredTrial, ScreenCrew } from './messages.ts'
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
 * @param candidates best first by their scores
 * @returns the best of them by their measured metrics, inside all bounds; at most `wanted`
 */
export async function walkDown(candidates: readonly Candidate[], request: WalkRequest): Promise<MeasuredTrial[]> {
  const { crew, objective, wanted, depth, signal } = request
  let best: MeasuredTrial[] = []
  for (let next = 0; next < candidates.length; ) {
    if (signal?.aborted && next >= wanted) break
    if (best.length === wanted && isBeyond(candidates[next].score, best[wanted - 1])) break
    const questions: Promise<MeasuredTrial[]>[] = []
    for (let worker = 0; worker < crew.size && next < candidates.length; worker++) {
      questions.push(measure(crew, candidates.slice(next, next + PER_QUESTION)))
      next += PER_QUESTION
    }
    const measured = (await Promise.all(questions)).flat()
    best = rankByObjective([...best, ...measured], objective).ranked.slice(0, wanted)
  }
  return best

  /** A score may differ from the measured value. Only a candidate that is further behind than this difference can be is skipped unmeasured. */
  function isBeyond(score: number, last: MeasuredTrial): boolean {
    const value = metricValue(last.metrics, objective.metric) ?? Number.NaN // it was ranked, so it has a value
    const needed = signOf(objective) * value
    return depth === 'backtest' || score < needed - slackOf(needed, depth)
  }
}

async function measure(crew: ScreenCrew, candidates: readonly Candidate[]): Promise<MeasuredTrial[]> {
  const reply = await crew.ask({ kind: 'measure', indices: candidates.map(({ index }) => index) })
  if (reply.kind !== 'measure') throw new Error(`metrics were asked for, and the answer is a ${reply.kind}`)
  return [...reply.trials]
}
