/** The row that is stored before every request that creates a bot, and its outcome: the same intent-first rule as for attempts. */

import { firstRow, runBuilt } from '../../sqlite/statements.ts'
import type { PromotionState } from './states.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'

export interface BotRow {
  readonly id: number
  readonly state: PromotionState
  readonly botId: string | null
  readonly openedAt: string
  /** Time of the last change of state; null while it is an intent. */
  readonly settledAt: string | null
  readonly reason: string | null
}

export type RecordedBotOutcome = { readonly id: number } & (
  | { readonly to: 'created'; readonly botId: string }
  /** Read back from the service as a demo bot. */
  | { readonly to: 'verified' }
  /** Refused, or shown not to exist: nothing was created. */
  | { readonly to: 'released'; readonly reason: string }
  | { readonly to: 'ambiguous'; readonly reason: string }
  /** Read back and not a demo bot. */
  | { readonly to: 'alarmed'; readonly reason: string }
)

/** The row of one bot, which is made at most once. */
export interface BotLedger {
  find(): BotRow | undefined
  /**
   * Inserts a new intent, or returns the row that exists: one that may not be made again, or that has changed since.
   * @param seen the row as it was before the bots were listed; undefined = there was none
   */
  open(seen: BotRow | undefined): Promise<{ readonly opened: boolean; readonly row: BotRow }>
  settle(recorded: RecordedBotOutcome): Promise<void>
}

type Texts = Readonly<Record<string, string>>
type BotKey = Readonly<Record<'identity' | 'account' | 'name', string>>

interface BotTable {
  readonly table: 'bot_order' | 'promotion'
  /** Columns that identify this bot. */
  readonly key: Texts
  /** Other columns, written when it is opened. */
  readonly about: Readonly<Record<string, string | number | null>>
  /** States whose bot may be made again. */
  readonly reopens: readonly PromotionState[]
}

export function botLedger(store: Store, { key, about, reopens, ...given }: BotTable): BotLedger {
  const table = given.table as 'bot_order' // a promotion has these columns too, and further ones in its key and about it
  const find = () =>
    firstRow(
      store.db,
      query
        .selectFrom(table)
        .select(['id', 'state', 'bot_id as botId', 'opened_at as openedAt', 'settled_at as settledAt', 'reason'])
        .where(({ and }) => and(key)),
    )
  return {
    find,
    open: (seen) =>
      write(store, () => {
        const known = find()
        const isAsSeen =
          known?.state === seen?.state && known?.openedAt === seen?.openedAt && known?.settledAt === seen?.settledAt
        if (known !== undefined && !(isAsSeen && reopens.includes(known.state))) return { opened: false, row: known }
        const intent = { ...about, state: 'intent', opened_at: isoTime(store.clock.wall()) } as const
        const opened = query.insertInto(table).values({ ...(key as BotKey), ...intent })
        const nothingYet = { bot_id: null, settled_at: null, reason: null }
        const columns = Object.keys(key) as (keyof BotKey)[]
        runBuilt(
          store.db,
          opened.onConflict((known) => known.columns(columns).doUpdateSet({ ...intent, ...nothingYet })),
        )
        const row = find()
        if (row === undefined) throw new Error('A row was stored and cannot be found')
        return { opened: true, row }
      }),
    settle: (recorded) =>
      write(
        store,
        () => {
          runBuilt(
            store.db,
            query
              .updateTable(table)
              .set({
                state: recorded.to,
                settled_at: isoTime(store.clock.wall()),
                ...(recorded.to === 'created' ? { bot_id: recorded.botId } : {}),
                ...('reason' in recorded ? { reason: recorded.reason } : {}),
              })
              .where('id', '=', recorded.id),
          )
        },
        { patient: true },
      ),
  }
}

/** The ledger of a demo bot from a file. Only its name identifies it, so it may be made again when its last request has an outcome. */
export function botOrderLedger(store: Store, key: BotKey): BotLedger {
  const { identity, account, name } = key
  return botLedger(store, {
    table: 'bot_order',
    key: { identity, account, name },
    about: {},
    reopens: ['created', 'verified', 'released', 'alarmed'],
  })
}
