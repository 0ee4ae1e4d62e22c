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
    dossier,
  }: PromotionKey & {
    readonly name: string
    readonly planHash: string
    /** First digits of the settings of the result that is promoted; null = it was asked for under none. */
    readonly settings?: string | null
    /** What was shown, accepted and is sent: kept as it is; absent = nothing is. */
    readonly dossier?: { readonly plan: object; readonly accepted: readonly string[]; readonly body: object }
  },
): BotLedger {
  return botLedger(store, {
    table: 'promotion',
    key: { identity, account, fingerprint },
    about: {
      name,
      plan_hash: planHash,
      settings_id: settings === null ? null : findSettingsId(store, settings),
      plan_json: jsonOrNull(dossier?.plan),
      accepted_json: jsonOrNull(dossier?.accepted),
      body_json: jsonOrNull(dossier?.body),
    },
    reopens: ['released'],
  })
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** What the service said of a bot: when its body was validated (null = it was not asked now), and when the bot was read back. */
export function recordDossier(
  store: Store,
  id: number,
  { bot, validation }: { readonly bot: string; readonly validation: object | null },
): Promise<void> {
  return write(store, () => {
    prepared<[object], unknown>(
      store.db,
      `update promotion set bot_json = case when json_valid(:bot) then :bot else bot_json end,
         validation_json = coalesce(:validation, validation_json) where id = :id`,
    ).run({ id, bot, validation: jsonOrNull(validation ?? undefined) })
  })
}

export interface KeptPromotion {
  readonly identity: string
  readonly botId: string | null
  readonly botName: string
  readonly state: string
  /** ISO 8601 UTC. */
  readonly openedAt: string
  readonly startedAt: string | null
  /** As they were shown; null in promotions of older programs. */
  readonly netProfit: number | null
  readonly doubts: readonly { readonly code: string; readonly weight: string; readonly message: string }[] | null
  readonly accepted: readonly string[] | null
  /** What the service answered when the body was validated; null = it was not asked. */
  readonly validation: unknown
}

interface PromotionRow {
  readonly fingerprint: string
  readonly identity: string
  readonly bot_id: string | null
  readonly name: string
  readonly state: string
  readonly opened_at: string
  readonly started_at: string | null
  readonly net_profit: number | null
  readonly doubts: string | null
  readonly accepted_json: string | null
  readonly validation_json: string | null
}

export interface PromotedTrial extends KeptPromotion {
  readonly fingerprint: string
}

const KEPT = `select fingerprint, identity, bot_id, name, state, opened_at, started_at,
  json_extract(plan_json, '$.netProfit') as net_profit, json_extract(plan_json, '$.doubts') as doubts, accepted_json, validation_json
  from promotion`

/** Of a trial, the latest first. */
export function listPromotions(store: Store, fingerprint: string): readonly KeptPromotion[] {
  return prepared<[string], PromotionRow>(store.db, `${KEPT} where fingerprint = ? order by id desc`)
    .all(fingerprint)
    .map((row) => keptOf(row))
}

/** Of all trials, the latest first. */
export function listPromotedTrials(store: Store): readonly PromotedTrial[] {
  return prepared<[], PromotionRow>(store.db, `${KEPT} order by id desc`)
    .all()
    .map((row) => ({ ...keptOf(row), fingerprint: row.fingerprint }))
}

function keptOf(row: PromotionRow): KeptPromotion {
  return {
    ...{ identity: row.identity, botId: row.bot_id, botName: row.name, state: row.state },
    ...{ openedAt: row.opened_at, startedAt: row.started_at, netProfit: row.net_profit },
    doubts: row.doubts === null ? null : JSON.parse(row.doubts), // written from a plan, as is what was accepted
    accepted: row.accepted_json === null ? null : JSON.parse(row.accepted_json),
    validation: row.validation_json === null ? null : JSON.parse(row.validation_json),
  }
}

interface BotOfService {
  readonly identity: string
  readonly botId: string
}

export function recordBotStarted(store: Store, bot: BotOfService): Promise<void> {
  const at = isoTime(store.clock.wall())
  return write(store, () => {
    store.db
      .prepare('update promotion set started_at = :at where identity = :identity and bot_id = :botId')
      .run({ ...bot, at })
  })
}

/** Whether a bot with this id was made of a trial, on whichever service. */
export function isMadeOfTrial(store: Store, botId: string): boolean {
  return store.db.prepare<[string], unknown>('select 1 from promotion where bot_id = ?').get(botId) !== undefined
}

/** The trial that this bot was made of; undefined for one that was made otherwise. */
export function findTrialOfBot(
  store: Store,
  { identity, botId }: BotOfService,
): { readonly fingerprint: string; readonly settings: string | null } | undefined {
  return prepared<[object], { fingerprint: string; settings: string | null }>(
    store.db,
    `select p.fingerprint, (select substr(x.hash, 1, 12) from settings x where x.id = p.settings_id) as settings
     from promotion p where p.identity = :identity and p.bot_id = :botId order by p.id desc limit 1`,
  ).get({ identity, botId })
}
