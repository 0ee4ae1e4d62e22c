/** Demo bots: stored as they were ordered. */
import type { BotBody } from '../contract/bodies.ts'
import type { System } from '../system.ts'
import type { Database } from './database.ts'
import type { BotPayload } from './payload.ts'

/** Bots per account. */
export const PLAN_BOTS = 20

interface BotRow {
  readonly id: string
  readonly payload_json: string
  readonly state: BotBody['state']
  readonly created_at_ms: number
  readonly updated_at_ms: number
  readonly started_at_ms: number | null
  readonly stopped_at_ms: number | null
}

const selectBots = `
  select id, payload_json, state, created_at_ms, updated_at_ms, started_at_ms, stopped_at_ms from bots where account_id = ?`

/** Stores a demo bot, or answers undefined when the plan's number is reached. Count and insert are one transaction. */
export function createBot(
  db: Database,
  system: System,
  { accountId, payload }: { readonly accountId: number; readonly payload: BotPayload & { readonly isDemo: true } },
): BotBody | undefined {
  const id = `bot_${Buffer.from(system.randomBytes(10)).toString('hex')}`
  const created = db
    .transaction(() => {
      const { count } = db
        .prepare<[number], { count: number }>('select count(*) as count from bots where account_id = ?')
        .get(accountId) ?? { count: 0 }
      if (count >= PLAN_BOTS) return false
      const now = Math.floor(system.clock.wall())
      db.prepare(
        `insert into bots (id, account_id, payload_json, is_demo, state, created_at_ms, updated_at_ms)
         values (?, ?, ?, 1, 'created', ?, ?)`,
      ).run(id, accountId, JSON.stringify(payload), now, now)
      return true
    })
    .immediate()
  return created ? findBot(db, accountId, id) : undefined
}

export function findBot(db: Database, accountId: number, id: string): BotBody | undefined {
  const row = db.prepare<[number, string], BotRow>(`${selectBots} and id = ?`).get(accountId, id)
  return row === undefined ? undefined : toBody(row)
}

/** Newest first; the plan keeps the list short enough for one page. */
export function listBots(db: Database, accountId: number): BotBody[] {
  return db.prepare<[number], BotRow>(`${selectBots} order by seq desc`).all(accountId).map(toBody)
}

function toBody(row: BotRow): BotBody {
  const payload: BotPayload = JSON.parse(row.payload_json) // written by createBot from a checked payload
  return {
    id: row.id,
    ...payload,
    state: row.state,
    createdAt: new Date(row.created_at_ms).toISOString(),
    updatedAt: new Date(row.updated_at_ms).toISOString(),
    startedAt: row.started_at_ms === null ? null : new Date(row.started_at_ms).toISOString(),
    stoppedAt: row.stopped_at_ms === null ? null : new Date(row.stopped_at_ms).toISOString(),
    stopReason: null,
    tradedUntil: null,
  }
}
