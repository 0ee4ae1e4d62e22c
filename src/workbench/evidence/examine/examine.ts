/** How sure one can be of a result: one check after another on the local engine, each kept as soon as it is done. Nothing is sent or spent. */
import { ENGINE_VERSION } from '../../../engine/backtest.ts'
import type { CheckAnswer, CheckName, Checks } from '../../analysis/certainty/checks.ts'
import { beginExamination, finishExamination, type KeptAnswer, keepCheck } from '../../store/examinations.ts'
import type { Store } from '../../store/store.ts'
import { checkAmbiguity } from './ambiguity.ts'
import { examinationBasis } from './basis.ts'
import { checkCapital } from './capital.ts'
import { checkNoise, checkStarts, checkTakeProfits } from './chance.ts'
import { checkDirection } from './direction.ts'
import type { Evaluation } from './evaluation.ts'
import { checkBenchmark, checkFall, checkThirds } from './money.ts'
import { checkNextSpan } from './next-span.ts'
import { checkSharpe } from './sharpe-check.ts'
import { checkTwin } from './twin-check.ts'
import { checkVeto } from './veto.ts'
import { checkWalkForward } from './walk-forward-check.ts'

type Check<Name extends CheckName> = (evaluation: Evaluation) => CheckAnswer<Name> | Promise<CheckAnswer<Name>>

const CHECKS: { readonly [Name in CheckName]: Check<Name> } = {
  twin: checkTwin,
  ambiguity: checkAmbiguity,
  starts: checkStarts,
  takeProfitCurve: checkTakeProfits,
  thirds: checkThirds,
  nextSpan: checkNextSpan,
  walkForward: checkWalkForward,
  fall: checkFall,
  benchmark: checkBenchmark,
  capital: checkCapital,
  noise: checkNoise,
  sharpe: checkSharpe,
  looks: countTried,
  veto: checkVeto,
  direction: checkDirection,
}

/** Of how many configurations the trial is the best; the local ones are counted at most. */
function countTried({ tried: { shown, scanned } }: Evaluation): CheckAnswer<'looks'> {
  return { value: { shown, scanned, total: shown + scanned } }
}

export const CHECK_NAMES = Object.keys(CHECKS) as readonly CheckName[] // keys of a mapped type

interface Examined {
  readonly checks: Checks
  /** Why a check is null, by its name. */
  readonly reasons: Readonly<Partial<Record<CheckName, string>>>
}

/** What is kept of an examination that was interrupted; `keep` is told every answer as soon as there is one. */
interface Kept {
  readonly done: ReadonlyMap<CheckName, CheckAnswer>
  readonly keep: (name: CheckName, answer: CheckAnswer) => Promise<void>
}

/** @throws the reason of the signal of `evaluation.pace` */
export async function examine(evaluation: Evaluation, { done, keep }: Kept): Promise<Examined> {
  const answers = new Map<CheckName, CheckAnswer>()
  for (const [at, name] of CHECK_NAMES.entries()) {
    const known = done.get(name)
    evaluation.pace.onProgress(`${name}, check ${at + 1} of ${CHECK_NAMES.length}`)
    const answer = known ?? (await CHECKS[name](evaluation))
    if (known === undefined) await keep(name, answer)
    answers.set(name, answer)
    await evaluation.pace.clock.sleep(0, evaluation.pace.signal)
  }
  return examinedOf(answers)
}

function examinedOf(answers: ReadonlyMap<CheckName, CheckAnswer>): Examined {
  const entries = CHECK_NAMES.map((name) => [name, answers.get(name) ?? { refused: 'not computed' }] as const)
  const checks = Object.fromEntries(entries.map(([name, one]) => [name, 'value' in one ? one.value : null]))
  const reasons = Object.fromEntries(entries.flatMap(([name, one]) => ('refused' in one ? [[name, one.refused]] : [])))
  return { checks: checks as unknown as Checks, reasons } // one entry per name, each of its own check
}

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
