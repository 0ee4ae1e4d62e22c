/** Promotions: a trial becomes a demo bot at most once per account. */
import { type BotLedger, botLedger } from './bot-ledger.ts'
import { findSettingsId } from './settings.ts'
import { type Store, write } from './store.ts'
import { prepared } from './tables.ts'
import { isoTime } from './times.ts'

export interface PromotionKey {
  readonly identity: string
  readonly account: string
  readonly fingerprint: string
}

/** Only a promotion with the state `released` is opened again. */
export function promotionLedger(
  store: Store,
  {
    identity,
    account,
    fingerprint,
    name,
    planHash,
    settings = null,
  }: PromotionKey & {
    readonly name: string
    readonly planHash: string
    /** First digits of the settings of the result that is promoted; null = it was asked for under none. */
    readonly settings?: string | null
  },
): BotLedger {
  return botLedger(store, {
    table: 'promotion',
    key: { identity, account, fingerprint },
    about: { name, plan_hash: planHash, settings_id: settings === null ? null : findSettingsId(store, settings) },
    reopens: ['released'],
  })
}

export function recordBotStarted(store: Store, id: number): Promise<void> {
  return write(store, () => {
    store.db.prepare('update promotion set started_at = ? where id = ?').run(isoTime(store.clock.wall()), id)
  })
}

/** The trial that this bot was made of; undefined for one that was made otherwise. */
export function findTrialOfBot(
  store: Store,
  { identity, botId }: { readonly identity: string; readonly botId: string },
): { readonly fingerprint: string; readonly settings: string | null } | undefined {
  return prepared<[object], { fingerprint: string; settings: string | null }>(
    store.db,
    `select p.fingerprint, (select substr(x.hash, 1, 12) from settings x where x.id = p.settings_id) as settings
     from promotion p where p.identity = :identity and p.bot_id = :botId order by p.id desc limit 1`,
  ).get({ identity, botId })
}
