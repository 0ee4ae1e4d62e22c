/** Promotions: a trial becomes a demo bot at most once per account. The same intent-first rule as for attempts. */
import type { PromotionState } from './states.ts'
import { type Store, write } from './store.ts'
import { firstRow, query } from './tables.ts'
import { isoTime } from './times.ts'

export interface PromotionKey {
  readonly identity: string
  readonly account: string
  readonly fingerprint: string
}

export interface PromotionRecord extends PromotionKey {
  readonly id: number
  readonly name: string
  readonly planHash: string
  readonly state: PromotionState
  readonly botId: string | null
  readonly openedAt: string
  /** Last change of state since it was opened; null while it is an intent. */
  readonly settledAt: string | null
  readonly startedAt: string | null
  readonly reason: string | null
}

export function findPromotion(
  store: Store,
  { identity, account, fingerprint }: PromotionKey,
): PromotionRecord | undefined {
  const row = firstRow(
    store.db,
    query
      .selectFrom('promotion')
      .selectAll()
      .where('identity', '=', identity)
      .where('account', '=', account)
      .where('fingerprint', '=', fingerprint),
  )
  if (row === undefined) return undefined
  return {
    id: row.id,
    identity,
    account,
    fingerprint,
    name: row.name,
    planHash: row.plan_hash,
    state: row.state,
    botId: row.bot_id,
    openedAt: row.opened_at,
    settledAt: row.settled_at,
    startedAt: row.started_at,
    reason: row.reason,
  }
}

/**
 * The durable row before the request that creates the bot. Answers the promotion to carry out, or the one that is already under way
 * or done: only a promotion that was set free (`released`) is opened again.
 */
export function openPromotion(
  store: Store,
  request: PromotionKey & { readonly name: string; readonly planHash: string },
): Promise<{ readonly opened: boolean; readonly promotion: PromotionRecord }> {
  return write(store, () => {
    const known = findPromotion(store, request)
    if (known !== undefined && known.state !== 'released') return { opened: false, promotion: known }
    const { identity, account, fingerprint, name, planHash } = request
    store.db
      .prepare(
        `insert into promotion (identity, account, fingerprint, name, plan_hash, state, opened_at)
         values (:identity, :account, :fingerprint, :name, :planHash, 'intent', :now)
         on conflict (identity, account, fingerprint) do update
         set state = 'intent', name = :name, plan_hash = :planHash, opened_at = :now, settled_at = null, reason = null`,
      )
      .run({ identity, account, fingerprint, name, planHash, now: isoTime(store.clock.wall()) })
    const promotion = findPromotion(store, request)
    if (promotion === undefined) throw new Error('A promotion was stored and cannot be found')
    return { opened: true, promotion }
  })
}

export type PromotionSettlement = { readonly id: number } & (
  | { readonly to: 'created'; readonly botId: string }
  /** Read back from the service as a demo bot. */
  | { readonly to: 'verified' }
  /** Refused, or proved not to exist: nothing was created. */
  | { readonly to: 'released'; readonly reason: string }
  | { readonly to: 'ambiguous'; readonly reason: string }
  /** Read back and not a demo bot. */
  | { readonly to: 'alarmed'; readonly reason: string }
)

export function settlePromotion(store: Store, settlement: PromotionSettlement): Promise<void> {
  return write(
    store,
    () => {
      store.db
        .prepare(
          `update promotion set state = :state, settled_at = :now, bot_id = coalesce(:botId, bot_id),
             reason = coalesce(:reason, reason) where id = :id`,
        )
        .run({
          id: settlement.id,
          state: settlement.to,
          now: isoTime(store.clock.wall()),
          botId: settlement.to === 'created' ? settlement.botId : null,
          reason: 'reason' in settlement ? settlement.reason : null,
        })
    },
    { patient: true },
  )
}

export function recordBotStarted(store: Store, id: number): Promise<void> {
  return write(store, () => {
    store.db.prepare('update promotion set started_at = ? where id = ?').run(isoTime(store.clock.wall()), id)
  })
}
