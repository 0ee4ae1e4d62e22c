/** The closed deals of a result, one row each: instants as milliseconds, so that a hundred of them take eight kilobytes. */
import type Database from 'better-sqlite3'
import type { DealBody } from '../../contract/bodies.ts'
import { runBuilt, runEach, statement } from '../../sqlite/statements.ts'
import { query, type RowOf } from './tables.ts'

const ofResult = statement(({ jobId }: { readonly jobId: number }) =>
  query.selectFrom('deal').selectAll().where('job_id', '=', jobId).orderBy('n'),
)

/** Call inside a transaction. */
export function insertDeals(db: Database.Database, jobId: number, deals: readonly DealBody[]): void {
  const rows = deals.map((deal, index) => toRow(jobId, index + 1, deal))
  runEach(db, rows, (row) => query.insertInto('deal').values(row))
}

/** Whether the stored deals of a result are others than these. */
export function dealsDiffer(db: Database.Database, jobId: number, deals: readonly DealBody[]): boolean {
  const rows = ofResult.all(db, { jobId })
  return rows.length !== deals.length || deals.some((deal, at) => !isAlike(toRow(jobId, at + 1, deal), rows[at]))
}

function isAlike<Row extends object>(one: Row, other: Row): boolean {
  for (const name in one) if (one[name] !== other[name]) return false
  return true
}

/** Call inside a transaction. */
export function replaceDeals(db: Database.Database, jobId: number, deals: readonly DealBody[]): void {
  runBuilt(db, query.deleteFrom('deal').where('job_id', '=', jobId))
  insertDeals(db, jobId, deals)
}

/** In the order of the reply. */
export function readDeals(db: Database.Database, jobId: number): readonly DealBody[] {
  return ofResult.all(db, { jobId }).map((row) => ({
    openedAt: new Date(row.opened_ms).toISOString(),
    closedAt: new Date(row.closed_ms).toISOString(),
    exit: row.exit,
    safetyOrders: row.safety_orders,
    quantity: row.quantity,
    cost: row.cost,
    proceeds: row.proceeds,
    profit: row.profit,
    price: row.price,
    lowestValue: row.lowest_value,
  }))
}

function toRow(jobId: number, n: number, deal: DealBody): RowOf<'deal'> {
  return {
    job_id: jobId,
    n,
    opened_ms: Date.parse(deal.openedAt),
    closed_ms: Date.parse(deal.closedAt),
    exit: deal.exit,
    safety_orders: deal.safetyOrders,
    quantity: deal.quantity,
    cost: deal.cost,
    proceeds: deal.proceeds,
    profit: deal.profit,
    price: deal.price,
    lowest_value: deal.lowestValue,
  }
}
