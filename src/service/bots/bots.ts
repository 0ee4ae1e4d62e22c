/** Demo bots as rows: how they were created and which commands they got. What a bot did is computed from these rows (`live-bots.ts`). */
import type { InferResult } from 'kysely'
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Interval } from '../../contract/market.ts'
import type { Conventions, Costs, SymbolRules } from '../../engine/conventions.ts'
import type { LiveCommand } from '../../engine/live-state.ts'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { System } from '../../system.ts'
import { type Database, query } from '../database.ts'
import type { BotPayload } from '../payload.ts'
import type { Tables } from '../table-types.ts'

/** Bots per account. */
export const PLAN_BOTS = 20

/** What a bot trades under, fixed at its first start. */
interface LiveTerms {
  readonly interval: Interval
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

export interface BotRecord {
  /** Later bots have greater numbers. */
  readonly seq: number
  readonly id: string
  readonly payload: BotPayload
  /** Null before the first start. */
  readonly terms: LiveTerms | null
  /** Oldest first; the first one is a start. */
  readonly commands: readonly LiveCommand[]
  /** Market times, ms UTC. */
  readonly createdAt: number
  readonly updatedAt: number
}

interface BotPage {
  readonly accountId: number
  readonly limit: number
  /** Only bots created before the one with this number. */
  readonly before: number | null
}

interface OfAccount {
  readonly accountId: number
}

const bots = query
  .selectFrom('bots')
  .select(['seq', 'id', 'payload_json', 'terms_json', 'created_at_ms', 'updated_at_ms'])

const botOfAccount = statement(({ accountId, id }: OfAccount & { readonly id: string }) =>
  bots.where('account_id', '=', accountId).where('id', '=', id),
)

const pageOfBots = statement(
  ({ accountId, before, limit }: OfAccount & { readonly before: number; readonly limit: number }) =>
    bots.where('account_id', '=', accountId).where('seq', '<', before).orderBy('seq', 'desc').limit(limit),
)

const botsOfAccount = statement(({ accountId }: OfAccount) =>
  query
    .selectFrom('bots')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId),
)

const commandsOfBot = statement(({ id }: { readonly id: string }) =>
  query
    .selectFrom('bot_commands')
    .select(['kind', 'at_ms', 'config_json', 'close_position'])
    .where('bot_id', '=', id)
    .orderBy('seq'),
)

type BotRow = InferResult<typeof bots>[number]
type CommandRow = Pick<Tables['bot_commands'], 'kind' | 'at_ms' | 'config_json' | 'close_position'>

/** Stores a demo bot, or returns undefined when the account has as many as the plan allows. Count and insert are one transaction. */
export function createBot(
  db: Database,
  system: System,
  order: {
    readonly accountId: number
    readonly payload: BotPayload & { readonly isDemo: true }
    /** Market time. */
    readonly now: number
  },
): BotRecord | undefined {
  const { accountId, payload, now } = order
  const id = `bot_${Buffer.from(system.randomBytes(10)).toString('hex')}`
  const created = db
    .transaction(() => {
      if ((botsOfAccount.first(db, { accountId })?.count ?? 0) >= PLAN_BOTS) return false
      const times = { created_at_ms: now, updated_at_ms: now }
      const row = { id, account_id: accountId, payload_json: JSON.stringify(payload), is_demo: 1, ...times }
      runBuilt(db, query.insertInto('bots').values(row))
      return true
    })
    .immediate()
  return created ? findBot(db, accountId, id) : undefined
}

export function findBot(db: Database, accountId: number, id: string): BotRecord | undefined {
  const row = botOfAccount.first(db, { accountId, id })
  return row === undefined ? undefined : toRecord(db, row)
}

/** Newest first; one more than `limit` when there are more. */
export function listBots(db: Database, { accountId, limit, before }: BotPage): BotRecord[] {
  const page = { accountId, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }
  return pageOfBots.all(db, page).map((row) => toRecord(db, row))
}

/** Records a command. Call it in the transaction in which the command was decided. */
export function commandBot(db: Database, id: string, command: LiveCommand): void {
  const config = command.kind === 'stop' ? null : JSON.stringify(command.config)
  const closes = command.kind === 'stop' ? Number(command.closePosition) : null
  const row = { bot_id: id, kind: command.kind, at_ms: command.at, config_json: config, close_position: closes }
  runBuilt(db, query.insertInto('bot_commands').values(row))
  runBuilt(db, query.updateTable('bots').set({ updated_at_ms: command.at }).where('id', '=', id))
}

export function changePayload(db: Database, id: string, payload: BotPayload, now: number): void {
  const changed = { payload_json: JSON.stringify(payload), updated_at_ms: now }
  runBuilt(db, query.updateTable('bots').set(changed).where('id', '=', id))
}

export function fixTerms(db: Database, id: string, terms: LiveTerms): void {
  const fixed = { terms_json: JSON.stringify(terms) }
  runBuilt(db, query.updateTable('bots').set(fixed).where('id', '=', id).where('terms_json', 'is', null))
}

/** Removes its commands and terms, as before its first start. */
export function forgetLife(db: Database, id: string): void {
  runBuilt(db, query.deleteFrom('bot_commands').where('bot_id', '=', id))
  runBuilt(db, query.updateTable('bots').set({ terms_json: null }).where('id', '=', id))
}

function toRecord(db: Database, row: BotRow): BotRecord {
  return {
    seq: row.seq,
    id: row.id,
    payload: JSON.parse(row.payload_json), // written from a checked payload, as are terms and configs
    terms: row.terms_json === null ? null : JSON.parse(row.terms_json),
    commands: commandsOfBot.all(db, { id: row.id }).map(toCommand),
    createdAt: row.created_at_ms,
    updatedAt: row.updated_at_ms,
  }
}

function toCommand({ kind, at_ms: at, config_json, close_position }: CommandRow): LiveCommand {
  if (kind === 'stop') return { kind, at, closePosition: close_position === 1 }
  const config: DcaSpotConfig = JSON.parse(config_json ?? 'null') // the table's check guarantees a config for these kinds
  return { kind, at, config }
}
