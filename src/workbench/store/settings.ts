/** What results are computed under: the settings that revisions ask for, and the costs, conventions and candles that finished results state. */
import { type Market, marketName } from '../../contract/market.ts'
import { firstRow, prepared, statement } from '../../sqlite/statements.ts'
import { NOTHING_KNOWN, type Settings, type StatedByResult } from '../study/settings.ts'
import type { Study } from '../study/study.ts'
import { parsed } from './results.ts'
import { costsFromColumns, settingsFromColumns, settingsToRow, sqlAgree } from './settings-row.ts'
import type { Store } from './store.ts'
import { query, type RowOf } from './tables.ts'
import { JOB_OF_ATTEMPT, latestAttempt } from './views/latest-attempt.ts'

/** Settings with their row; `id` null = nothing of them is known or asked for, which matches everything. */
export interface KeptSettings {
  readonly id: number | null
  readonly settings: Settings
}

/** By the name of the market; a market that is not there is asked for nothing. */
export type MarketSettings = ReadonlyMap<string, KeptSettings>

/** Where the workbench asks for nothing: on a service that is not ours. */
export const NO_SETTINGS: KeptSettings = { id: null, settings: NOTHING_KNOWN }

/** The settings that a revision resolved on a market when it was first run on our own service; undefined before that. */
export function findStudySettings(
  store: Store,
  { name, fingerprint }: Pick<Study, 'name' | 'fingerprint'>,
  market: Market,
): KeptSettings | undefined {
  const kept = query
    .selectFrom('study_settings as s')
    .innerJoin('settings as x', 'x.id', 's.settings_id')
    .selectAll('x')
    .where('s.study', '=', name)
    .where('s.study_fingerprint', '=', fingerprint)
    .where('s.market', '=', marketName(market))
  const row = firstRow(store.db, kept)
  return row === undefined ? undefined : { id: row.id, settings: settingsFromColumns(row) }
}

/** Rows of settings that agree with these in every part that both know; not the rows without any. */
export function matchingSettings(store: Store, settings: Settings): ReadonlySet<number> {
  const row = settingsToRow(settings)
  const where = row === null ? '' : `where ${sqlAgree((part) => `:${part}`)}`
  const matching = prepared<[object], { id: number }>(store.db, `select x.id from settings x ${where}`)
  return new Set(matching.all(row ?? {}).map(({ id }) => id))
}

const latestStated = statement(({ identity }: Pick<StagesQuestion, 'identity'>) =>
  query
    .selectFrom('job as j')
    .innerJoin('result as r', 'r.job_id', 'j.id')
    .select(['r.conventions_json', 'r.fee_percent', 'r.slippage_percent', 'r.candle_interval'])
    .where('j.identity', '=', identity)
    .where('j.state', '=', 'done')
    .orderBy('j.id', 'desc')
    .limit(1),
)

/** Each of these trials (`f`) that was tried, with its latest attempt (`a`) and its job (`j`). */
export const TRIED = `from json_each(:fingerprints) f
  join attempt a on a.id = ${latestAttempt({
    identity: ':identity',
    fingerprint: 'f.value',
    agrees: (found) =>
      `(:matching is null or ${found} is null or ${found} in (select value from json_each(:matching)))`,
  })}
  ${JOB_OF_ATTEMPT}`

/** Of `result r`. */
export const STATED = 'r.conventions_json, r.fee_percent, r.slippage_percent, r.candle_interval'

/**
 * `results`: those of the given trials on one identity, made under settings that agree with those given; `latest`: the last result of that
 * identity, of any trial.
 */
export function readStatedSettings(
  store: Store,
  { identity, fingerprints, settings }: StagesQuestion,
): { readonly results: readonly StatedByResult[]; readonly latest: StatedByResult | null } {
  const results = prepared<[object], StatedColumns>(
    store.db,
    `select ${STATED} ${TRIED} join result r on r.job_id = j.id where j.state = 'done'`,
  )
  const latest = latestStated.first(store.db, { identity })
  return {
    results: results.all(triedParameters(store, { identity, fingerprints, settings })).map(toSettings),
    latest: latest === undefined ? null : toSettings(latest),
  }
}

/** The trials that are asked about; `settings`: those their attempts have to agree with, null = any. */
export interface StagesQuestion {
  readonly identity: string
  readonly fingerprints: readonly string[]
  readonly settings: Settings | null
}

export function triedParameters(store: Store, { identity, fingerprints, settings }: StagesQuestion) {
  return {
    identity,
    fingerprints: JSON.stringify(fingerprints),
    matching: settings === null ? null : JSON.stringify([...matchingSettings(store, settings)]),
  }
}

export type StatedColumns = Pick<
  RowOf<'result'>,
  'conventions_json' | 'fee_percent' | 'slippage_percent' | 'candle_interval'
>

export function toSettings(row: StatedColumns): StatedByResult {
  const { conventions_json, candle_interval } = row
  return {
    conventions: parsed(conventions_json),
    costs: costsFromColumns(row),
    candles: candle_interval === null ? null : { interval: candle_interval },
  }
}
