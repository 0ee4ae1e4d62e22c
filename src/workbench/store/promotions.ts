/** Promotions: a trial becomes a demo bot at most once per account. */

import { type InferResult, sql } from 'kysely'
import { allRows, firstRow, runBuilt } from '../../sqlite/statements.ts'
import { type BotLedger, botLedger } from './bot-ledger.ts'
import { type Store, write } from './store.ts'
import { isoTime, query } from './tables.ts'
import { nameOfBot } from './views/drift-view.ts'

interface PromotionKey {
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

/** The row that these first digits of its hash name; null when there is none. */
function findSettingsId(store: Store, digits: string): number | null {
  const named = query.selectFrom('settings').select('id').where('hash', '>=', digits).where('hash', '<', `${digits}g`)
  return firstRow(store.db, named)?.id ?? null
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
    const bot_json = sql<string | null>`case when json_valid(${bot}) then ${bot} else bot_json end`
    const validated = validation === null ? {} : { validation_json: JSON.stringify(validation) }
    runBuilt(
      store.db,
      query
        .updateTable('promotion')
        .set({ bot_json, ...validated })
        .where('id', '=', id),
    )
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
  /** Headline of the verdict that was shown; null = it was not judged. */
  readonly headline: string | null
  readonly accepted: readonly string[] | null
  /** What the service answered when the body was validated; null = it was not asked. */
  readonly validation: unknown
}

export interface PromotedTrial extends KeptPromotion {
  readonly fingerprint: string
}

const promotions = query
  .selectFrom('promotion')
  .select(['fingerprint', 'identity', 'bot_id', 'state', 'opened_at', 'started_at'])
  .select(sql<string>`coalesce(${sql.raw(nameOfBot('promotion'))}, name)`.as('name'))
  .select(['accepted_json', 'validation_json'])
  .select(sql<number | null>`json_extract(plan_json, '$.netProfit')`.as('net_profit'))
  .select(sql<string | null>`json_extract(plan_json, '$.verdict.headline')`.as('headline'))
  .orderBy('id', 'desc')

type PromotionRow = InferResult<typeof promotions>[number]

/** Of a trial, the latest first. */
export function listPromotions(store: Store, fingerprint: string): readonly KeptPromotion[] {
  return allRows(store.db, promotions.where('fingerprint', '=', fingerprint)).map(keptOf)
}

/** Of all trials, the latest first. */
export function listPromotedTrials(store: Store): readonly PromotedTrial[] {
  return allRows(store.db, promotions).map((row) => ({ ...keptOf(row), fingerprint: row.fingerprint }))
}

function keptOf(row: PromotionRow): KeptPromotion {
  return {
    ...{ identity: row.identity, botId: row.bot_id, botName: row.name, state: row.state },
    ...{ openedAt: row.opened_at, startedAt: row.started_at, netProfit: row.net_profit },
    headline: row.headline,
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
  const promoted = query.updateTable('promotion').where('identity', '=', bot.identity).where('bot_id', '=', bot.botId)
  return write(store, () => {
    runBuilt(store.db, promoted.set({ started_at: at }))
  })
}

/** Whether a bot with this id was made of a trial, on whichever service. */
export function isMadeOfTrial(store: Store, botId: string): boolean {
  const made = query.selectFrom('promotion').select('id').where('bot_id', '=', botId).limit(1)
  return firstRow(store.db, made) !== undefined
}

/** The trial that this bot was made of; undefined for one that was made otherwise. */
export function findTrialOfBot(
  store: Store,
  { identity, botId }: BotOfService,
): { readonly fingerprint: string; readonly settings: string | null } | undefined {
  const made = query
    .selectFrom('promotion as p')
    .leftJoin('settings as x', 'x.id', 'p.settings_id')
    .select(['p.fingerprint', sql<string | null>`substr(x.hash, 1, 12)`.as('settings')])
    .where('p.identity', '=', identity)
    .where('p.bot_id', '=', botId)
    .orderBy('p.id', 'desc')
    .limit(1)
  return firstRow(store.db, made)
}
