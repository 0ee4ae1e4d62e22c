/** The row that is stored before every request that creates a bot, and its outcome: the same intent-first rule as for attempts. */
import type { PromotionState } from './states.ts'
import { type Store, write } from './store.ts'
import { prepared } from './tables.ts'
import { isoTime } from './times.ts'

export interface BotRow {
  readonly id: number
  readonly state: PromotionState
  readonly botId: string | null
  readonly openedAt: string
  /** Time of the last change of state; null while it is an intent. */
  readonly settledAt: string | null
  readonly reason: string | null
}

export type BotSettlement = { readonly id: number } & (
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
  /** Inserts a new intent, or returns the row that exists. */
  open(): Promise<{ readonly opened: boolean; readonly row: BotRow }>
  settle(settlement: BotSettlement): Promise<void>
}

type Texts = Readonly<Record<string, string>>

interface BotTable {
  readonly table: 'promotion' | 'bot_order'
  /** Columns that identify this bot. */
  readonly key: Texts
  /** Other columns, written when it is opened. */
  readonly about: Readonly<Record<string, string | number | null>>
  /** States whose bot may be made again. */
  readonly reopens: readonly PromotionState[]
}

export function botLedger(store: Store, { table, key, about, reopens }: BotTable): BotLedger {
  const find = () =>
    prepared<[Texts], BotRow>(
      store.db,
      `select id, state, bot_id as botId, opened_at as openedAt, settled_at as settledAt, reason from ${table}
       where ${Object.keys(key)
         .map((name) => `${name} = :${name}`)
         .join(' and ')}`,
    ).get(key)
  return {
    find,
    open: () =>
      write(store, () => {
        const known = find()
        if (known !== undefined && !reopens.includes(known.state)) return { opened: false, row: known }
        const given = { ...key, ...about }
        const names = Object.keys(given)
        const again = Object.keys(about).map((name) => `${name} = :${name}, `)
        store.db
          .prepare(
            `insert into ${table} (${names.join(', ')}, state, opened_at)
             values (${names.map((name) => `:${name}`).join(', ')}, 'intent', :now)
             on conflict (${Object.keys(key).join(', ')}) do update
             set ${again.join('')}state = 'intent', opened_at = :now, bot_id = null, settled_at = null, reason = null`,
          )
          .run({ ...given, now: isoTime(store.clock.wall()) })
        const row = find()
        if (row === undefined) throw new Error('A row was stored and cannot be found')
        return { opened: true, row }
      }),
    settle: (settlement) =>
      write(
        store,
        () => {
          store.db
            .prepare(
              `update ${table} set state = :state, settled_at = :now, bot_id = coalesce(:botId, bot_id),
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
      ),
  }
}

/** The ledger of a demo bot from a file. Only its name identifies it, so it may be made again when its last request has an outcome. */
export function botOrderLedger(
  store: Store,
  key: { readonly identity: string; readonly account: string; readonly name: string },
): BotLedger {
  const { identity, account, name } = key
  return botLedger(store, {
    table: 'bot_order',
    key: { identity, account, name },
    about: {},
    reopens: ['created', 'verified', 'released', 'alarmed'],
  })
}
