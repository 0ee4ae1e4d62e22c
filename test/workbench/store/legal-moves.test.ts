/** What two stores know of one thing is put together by legal moves, and never so that a trial could be paid for twice. */
import { describe, expect, it } from 'vitest'
import { reconcileAttempt, reconcilePromotion } from '../../../src/workbench/store/merge/both-stores.ts'
import {
  ATTEMPT_MOVES,
  type AttemptState,
  PROMOTION_MOVES,
  type PromotionState,
} from '../../../src/workbench/store/states.ts'

const attemptStates = Object.keys(ATTEMPT_MOVES) as AttemptState[] // its keys
const promotionStates = Object.keys(PROMOTION_MOVES) as PromotionState[] // its keys

function pairsOf<State>(states: readonly State[]): [State, State][] {
  return states.flatMap((ours) => states.map((theirs): [State, State] => [ours, theirs]))
}

function isLegal(moves: Readonly<Record<string, readonly string[]>>, from: string, path: readonly string[]): boolean {
  return path.every((to, i) => moves[i === 0 ? from : path[i - 1]].includes(to))
}

describe('an attempt', () => {
  it('makes legal moves only, and is never set free to be paid for again, whatever the other store says', () => {
    for (const [ours, theirs] of pairsOf(attemptStates)) {
      const found = reconcileAttempt(ours, theirs)
      if (found === 'disagree') continue
      expect(isLegal(ATTEMPT_MOVES, ours, found.moves), `${ours} here, ${theirs} there`).toBe(true)
      expect(['released', 'absent']).not.toContain(found.moves.at(-1))
    }
  })

  it.each([
    ['intent', 'acked', ['acked']],
    ['intent', 'adopted', ['ambiguous', 'adopted']],
    ['ambiguous', 'acked', ['adopted']],
    ['undecided', 'acked', ['adopted']],
    ['undecided', 'rejected', []],
    ['acked', 'undecided', []],
    ['acked', 'adopted', []],
    ['intent', 'absent', []],
  ] as const)('that is %s here and %s there goes %j', (ours, theirs, moves) => {
    expect(reconcileAttempt(ours, theirs)).toEqual({ moves })
  })

  it.each([
    ['released', 'acked'],
    ['rejected', 'adopted'],
    ['absent', 'rejected'],
  ] as const)('cannot have been %s here and %s there', (ours, theirs) => {
    expect(reconcileAttempt(ours, theirs)).toBe('disagree')
  })
})

it('a promotion makes legal moves only, and forgets no bot', () => {
  for (const [ours, theirs] of pairsOf(promotionStates)) {
    const found = reconcilePromotion(ours, theirs)
    if (found === 'disagree') continue
    expect(isLegal(PROMOTION_MOVES, ours, found.moves), `${ours} here, ${theirs} there`).toBe(true)
    expect(found.moves).not.toContain('released')
  }
})
