/**
 * Names that are hashes are computed again: a trial, settings or a reply that is not what its name says would be taken for what we or
 * others paid for.
 */
import { hash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import type Database from 'better-sqlite3'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { nameTrialsOn, settingsFingerprint, type TrialNames } from '../../study/fingerprint.ts'
import { columnsToConfig } from '../config-columns.ts'
import { settingsFromColumns } from '../settings-row.ts'
import type { RowOf } from '../tables.ts'
import { msOf } from '../times.ts'

/** No reply is read beyond 8 MiB. */
const mostUnpacked = 16e6

/** Trials in the order of their names are of one span and another by turns; a store has few spans, and one from elsewhere may have any. */
const mostSpans = 1_000

/** Whether a trial is what its names say. */
function trialJudge(): (row: RowOf<'trial'>) => boolean {
  const namers = new Map<string, (config: DcaSpotConfig) => TrialNames>()
  const namerOf = (row: RowOf<'trial'>) => {
    const span = `${row.exchange}\0${row.base_asset}\0${row.quote_asset}\0${row.period_from}\0${row.period_to}`
    const known = namers.get(span)
    if (known !== undefined) return known
    const market = { exchange: row.exchange, baseAsset: row.base_asset, quoteAsset: row.quote_asset }
    const namer = nameTrialsOn({ market, period: { from: msOf(row.period_from), to: msOf(row.period_to) } })
    if (namers.size >= mostSpans) namers.clear()
    namers.set(span, namer)
    return namer
  }
  return (row) => {
    const { fingerprint, configFingerprint } = namerOf(row)(columnsToConfig(row))
    const { exchange, base_asset: baseAsset, quote_asset: quoteAsset } = row
    return (
      row.fingerprint === fingerprint &&
      row.config_fingerprint === configFingerprint &&
      row.market === marketName({ exchange, baseAsset, quoteAsset })
    )
  }
}

function areSettings(row: RowOf<'settings'>): boolean {
  return row.hash === settingsFingerprint(settingsFromColumns(row))
}

/** What is found first in each table. `tell` is called now and then, with how many replies were read. */
export async function findFalseNames(
  db: Database.Database,
  tell: (replies: number) => void | Promise<void>,
): Promise<readonly string[]> {
  const found: string[] = []
  const isTrial = trialJudge()
  for (const row of db.prepare<[], RowOf<'trial'>>('select * from trial').iterate()) {
    if (holds(() => isTrial(row))) continue
    found.push(`the trial ${row.fingerprint} is not what its fingerprint names`)
    break
  }
  for (const row of db.prepare<[], RowOf<'settings'>>('select * from settings').iterate()) {
    if (holds(() => areSettings(row))) continue
    found.push(`the settings ${row.id} are not what their hash names`)
    break
  }
  return [...found, ...(await findFalseReplies(db, tell))]
}

async function findFalseReplies(
  db: Database.Database,
  tell: (replies: number) => void | Promise<void>,
): Promise<readonly string[]> {
  const portion = db.prepare<[number], { id: number; sha256: string; body: Uint8Array }>(
    'select id, sha256, body from reply where id > ? and body is not null order by id limit 500',
  )
  let read = 0
  for (let rows = portion.all(Number.MIN_SAFE_INTEGER); rows.length > 0; rows = portion.all(rows[rows.length - 1].id)) {
    const wrong = rows.find(({ sha256, body }) => !holds(() => sha256 === hashOf(body)))
    if (wrong !== undefined) return [`the reply ${wrong.id} is not the text that its hash names`]
    read += rows.length
    await tell(read)
  }
  return []
}

/** The last four bytes of a gzip say how long the text is: a hint for the buffer, not a promise. */
function hashOf(body: Uint8Array): string {
  const said = body.length < 4 ? 0 : new DataView(body.buffer, body.byteOffset + body.length - 4).getUint32(0, true)
  const chunkSize = Math.min(Math.max(said, 64) + 1, 1_000_000)
  return hash('sha256', gunzipSync(body, { chunkSize, maxOutputLength: mostUnpacked }), 'hex')
}

/** What cannot even be computed is not right: a time that is none, a text that is not compressed. */
function holds(check: () => boolean): boolean {
  try {
    return check()
  } catch {
    return false
  }
}
