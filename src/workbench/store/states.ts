/**
 * The states of attempts, jobs and promotions and their legal moves. The store's triggers refuse every other move; a test holds
 * these tables against the triggers.
 *
 *     attempt   intent ─► acked | rejected | released | ambiguous         job   running ─► done | failed | stalled | gone
 *               ambiguous ─► adopted | absent | undecided                          stalled ─► running | done | failed | gone
 *               undecided ─► adopted | absent (by a person)                        gone ─► running | done | failed (it reappeared)
 */

export const ATTEMPT_MOVES = {
  intent: ['acked', 'rejected', 'released', 'ambiguous'],
  ambiguous: ['adopted', 'absent', 'undecided'],
  undecided: ['adopted', 'absent'],
  acked: [],
  rejected: [],
  released: [],
  adopted: [],
  absent: [],
} as const satisfies Record<string, readonly string[]>

export type AttemptState = keyof typeof ATTEMPT_MOVES

export const JOB_MOVES = {
  running: ['done', 'failed', 'stalled', 'gone'],
  stalled: ['running', 'done', 'failed', 'gone'],
  gone: ['running', 'done', 'failed'],
  done: [],
  failed: [],
} as const satisfies Record<string, readonly string[]>

export const PROMOTION_MOVES = {
  intent: ['created', 'released', 'ambiguous'],
  ambiguous: ['created', 'released'],
  released: ['intent'],
  created: ['verified', 'alarmed'],
  verified: [],
  alarmed: [],
} as const satisfies Record<string, readonly string[]>

export type PromotionState = keyof typeof PROMOTION_MOVES

/** A bot from a file may be made again when its last request has an outcome, because only its name identifies it. */
export const BOT_ORDER_MOVES = {
  intent: ['created', 'released', 'ambiguous'],
  ambiguous: ['created', 'released'],
  released: ['intent'],
  created: ['verified', 'alarmed', 'intent'],
  verified: ['intent'],
  alarmed: ['intent'],
} as const satisfies Record<PromotionState, readonly PromotionState[]>
