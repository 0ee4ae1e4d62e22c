/** What two stores know of one attempt or promotion, put together: the one that knows more is followed, by legal moves only. */
import { ATTEMPT_MOVES, type AttemptState, PROMOTION_MOVES, type PromotionState } from '../states.ts'

/** `moves`: the states to go through, none = ours stays as it is. */
export type Reconciliation = { readonly moves: readonly string[] } | 'disagree'

const stay: Reconciliation = { moves: [] }

/** What an attempt came to: it has a job, the service refused it for good, or it is as if it had never been. */
const CAME_TO: Readonly<Record<AttemptState, 'open' | 'job' | 'refusal' | 'nothing'>> = {
  intent: 'open',
  ambiguous: 'open',
  parked: 'open',
  acked: 'job',
  adopted: 'job',
  rejected: 'refusal',
  released: 'nothing',
  absent: 'nothing',
}

/**
 * Of the same attempt. An open one tells nothing: ours stays. What the other store found out, ours follows, if need be in the words of
 * a later state: an attempt that was parked here and acknowledged there is `adopted`. One that was refused there stays parked here,
 * where a person decides. That nothing came of it is not taken on another store's word: it would set a trial free to be paid for again,
 * and our own run, or a person, asks the service.
 */
export function reconcileAttempt(ours: AttemptState, theirs: AttemptState): Reconciliation {
  if (CAME_TO[theirs] === 'open' || CAME_TO[ours] === CAME_TO[theirs]) return stay
  if (CAME_TO[ours] !== 'open') return 'disagree'
  if (CAME_TO[theirs] === 'nothing') return stay
  const path = pathBetween(ATTEMPT_MOVES, ours, theirs)
  return { moves: path ?? (CAME_TO[theirs] === 'job' ? pathBetween(ATTEMPT_MOVES, ours, 'adopted') : undefined) ?? [] }
}

/** How much is known of a bot; the further one is followed. */
const KNOWN: Readonly<Record<PromotionState, number>> = {
  released: 0,
  intent: 1,
  ambiguous: 2,
  created: 3,
  verified: 4,
  alarmed: 4,
}

/** Of the same trial and account. Where the other store may have made a bot, ours takes that over and makes none. */
export function reconcilePromotion(ours: PromotionState, theirs: PromotionState): Reconciliation {
  if (KNOWN[ours] === KNOWN[theirs]) return ours === theirs ? stay : 'disagree'
  if (KNOWN[ours] > KNOWN[theirs]) return stay
  return { moves: pathBetween(PROMOTION_MOVES, ours, theirs) ?? [] }
}

/** The states after `from`, up to `to`, by the shortest way; undefined where there is none. */
function pathBetween<State extends string>(
  moves: Readonly<Record<State, readonly State[]>>,
  from: State,
  to: State,
): readonly State[] | undefined {
  const ways: (readonly State[])[] = [[]]
  const seen = new Set<State>([from])
  for (const way of ways) {
    const here = way.at(-1) ?? from
    if (here === to) return way
    for (const next of moves[here]) {
      if (seen.has(next)) continue
      seen.add(next)
      ways.push([...way, next])
    }
  }
  return undefined
}
