/** Demo bots as rows: how they were created and which commands they got. What a bot did is computed from these rows (`live-bots.ts`). */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import type { Interval } from '../../contract/market.ts'
import type { Conventions, Costs, SymbolRules } from '../../engine/conventions.ts'
import type { LiveCommand } from '../../engine/live-state.ts'
import type { System } from '../../system.ts'
import type { Database } from '../database.ts'
import type { BotPayload } from '../payload.ts'

/** Bots per account. */
export const PLAN_BOTS = 20

/** What a bot trades under, fixed at its first start. */
export interface LiveTerms {
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

export interface BotPage {
  readonly accountId: number
  readonly limit: number
  /** Only bots created before the one with this number. */
  readonly before: number | null
}

interface BotRow {
  readonly seq: number
  readonly id: string
  readonly payload_json: string
  readonly terms_json: string | null
  readonly created_at_ms: number
  readonly updated_at_ms: number
}

interface CommandRow {
  readonly kind: LiveCommand['kind']
  readonly at_ms: number
  readonly config_json: string | null
  readonly close_position: number | null
}

const selectBots =
  'select seq, id, payload_json, terms_json, created_at_ms, updated_at_ms from bots where account_id = ?'

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
      const { count } = db
        .prepare<[number], { count: number }>('select count(*) as count from bots where account_id = ?')
        .get(accountId) ?? { count: 0 }
      if (count >= PLAN_BOTS) return false
      db.prepare(
        `insert into bots (id, account_id, payload_json, is_demo, created_at_ms, updated_at_ms)
         values (?, ?, ?, 1, ?, ?)`,
      ).run(id, accountId, JSON.stringify(payload), now, now)
      return true
    })
    .immediate()
  return created ? findBot(db, accountId, id) : undefined
}

export function findBot(db: Database, accountId: number, id: string): BotRecord | undefined {
  const row = db.prepare<[number, string], BotRow>(`${selectBots} and id = ?`).get(accountId, id)
  return row === undefined ? undefined : toRecord(db, row)
}

/** Newest first; one more than `limit` when there are more. */
export function listBots(db: Database, { accountId, limit, before }: BotPage): BotRecord[] {
  return db
    .prepare<[number, number, number], BotRow>(`${selectBots} and seq < ? order by seq desc limit ?`)
    .all(accountId, before ?? Number.MAX_SAFE_INTEGER, limit + 1)
    .map((row) => toRecord(db, row))
}

/** Records a command. Call it in the transaction in which the command was decided. */
export function tellBot(db: Database, id: string, command: LiveCommand): void {
  const config = command.kind === 'stop' ? null : JSON.stringify(command.config)
  const closes = command.kind === 'stop' ? Number(command.closePosition) : null
  db.prepare('insert into bot_commands (bot_id, kind, at_ms, config_json, close_position) values (?, ?, ?, ?, ?)').run(
    id,
    command.kind,
    command.at,
    config,
    closes,
  )
  db.prepare('update bots set updated_at_ms = ? where id = ?').run(command.at, id)
}

export function changePayload(db: Database, id: string, payload: BotPayload, now: number): void {
  db.prepare('update bots set payload_json = ?, updated_at_ms = ? where id = ?').run(JSON.stringify(payload), now, id)
}

export function fixTerms(db: Database, id: string, terms: LiveTerms): void {
  db.prepare('update bots set terms_json = ? where id = ? and terms_json is null').run(JSON.stringify(terms), id)
}

function toRecord(db: Database, row: BotRow): BotRecord {
  const commands = db
    .prepare<[string], CommandRow>(
      'select kind, at_ms, config_json, close_position from bot_commands where bot_id = ? order by seq',
    )
    .all(row.id)
  return {
    seq: row.seq,
    id: row.id,
    payload: JSON.parse(row.payload_json), // written from a checked payload, as are terms and configs
    terms: row.terms_json === null ? null : JSON.parse(row.terms_json),
    commands: commands.map(toCommand),
    createdAt: row.created_at_ms,
    updatedAt: row.updated_at_ms,
  }
}

function toCommand({ kind, at_ms: at, config_json, close_position }: CommandRow): LiveCommand {
  if (kind === 'stop') return { kind, at, closePosition: close_position === 1 }
  const config: DcaSpotConfig = JSON.parse(config_json ?? 'null') // the table's check guarantees a config for these kinds
  return { kind, at, config }
}
