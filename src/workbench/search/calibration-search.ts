/** The detective as a search: probes on one market, one at a time, until nothing more can be told apart. */
import type { Market } from '../../contract/market.ts'
import type { Advice, SearchMethod, TestedProposal } from '../study/proposals.ts'
import { describeCalibration } from './describe-screen.ts'
import type { Detective } from './detective/detective.ts'
import type { Explanation } from './detective/explain.ts'
import type { ProbeAnswer } from './detective/remaining.ts'

export interface CalibrationTask {
  readonly market: Market
  /** Called when it is first needed: it takes seconds to open. */
  readonly openDetective: () => Promise<Detective>
  /** What the answers came to, once no probe is left; null when none of them tells anything. */
  readonly onConcluded: (explanation: Explanation | null) => Promise<void>
}

/** Proposes probes and nothing else. */
export function createCalibrationSearch({ market, openDetective, onConcluded }: CalibrationTask): SearchMethod {
  let detective: Detective | undefined
  return {
    propose,
    describe: (history) => ({ agreement: null, lines: describeCalibration(answersOf(history).length) }),
  }

  async function propose(history: readonly TestedProposal[]): Promise<Advice> {
    detective ??= await openDetective()
    const answers = answersOf(history)
    const config = await detective.nextProbe(answers)
    if (config === null) {
      await onConcluded(await detective.conclude(answers))
      return { kind: 'end', stoppedBy: null }
    }
    const reason = `probe ${answers.length + 1}`
    return { kind: 'propose', proposals: [{ config, role: 'probe', reason, markets: [market] }] }
  }
}

/** The probes of a history, and what the service made of them. */
export function answersOf(history: readonly TestedProposal[]): readonly ProbeAnswer[] {
  return history
    .filter(({ role }) => role === 'probe')
    .flatMap(({ config, results }) => results.slice(0, 1).map(({ trial, metrics }) => ({ trial, config, metrics })))
}
