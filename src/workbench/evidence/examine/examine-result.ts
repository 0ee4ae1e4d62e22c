/** Examines a result and keeps what is found: goes on with what an interrupted examination of the same evaluation has kept. */
import { ENGINE_VERSION } from '../../../engine/backtest.ts'
import type { CheckAnswer, CheckName } from '../../analysis/certainty/checks.ts'
import { beginExamination, finishExamination, type KeptAnswer, keepCheck } from '../../store/examinations.ts'
import type { Store } from '../../store/store.ts'
import { examinationBasis } from './basis.ts'
import type { Evaluation } from './evaluation.ts'
import { CHECK_NAMES, type Examined, examine } from './examine.ts'

export interface FinishedExamination extends Examined {
  /** ISO 8601 UTC. */
  readonly examinedAt: string
  readonly engineVersion: string
}

/** @throws the signal's reason; what was found until then is kept */
export async function examineResult(store: Store, evaluation: Evaluation): Promise<FinishedExamination> {
  const { trial, study, loaded } = evaluation
  const open = await beginExamination(store, {
    trial,
    study,
    basis: examinationBasis(evaluation, ENGINE_VERSION),
    candles: { interval: loaded.info.interval, hash: loaded.info.hash },
    engineVersion: ENGINE_VERSION,
  })
  const examined = await examine(evaluation, {
    done: knownAnswers(open.done),
    keep: (name, answer) => keepCheck(store, open.id, name, answer),
  })
  const examinedAt = await finishExamination(store, open.id)
  return { ...examined, examinedAt, engineVersion: ENGINE_VERSION }
}

/** The store keeps them as JSON, and this program wrote them under the same basis. */
function knownAnswers(done: ReadonlyMap<string, KeptAnswer>): ReadonlyMap<CheckName, CheckAnswer> {
  return new Map(
    CHECK_NAMES.flatMap((name) => {
      const answer = done.get(name)
      return answer === undefined ? [] : [[name, answer as CheckAnswer]]
    }),
  )
}
