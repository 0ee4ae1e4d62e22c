/** Studies as they were run: definitions, their trials in grid order, and one row per run. */
import { sql } from 'kysely'
import { type Market, marketName } from '../../contract/market.ts'
import { firstRow, runBuilt, runEach, statement } from '../../sqlite/statements.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { parseStudy } from '../study/parse.ts'
import { type Replacement, writeReplacement } from '../study/rerun.ts'
import type { Settings } from '../study/settings.ts'
import type { Study, Trial } from '../study/study.ts'
import type { StudyRecord } from './records.ts'
import { type ServiceRecord, saveService } from './services.ts'
import { findStudySettings, type KeptSettings, type MarketSettings, NO_SETTINGS } from './settings.ts'
import { settingsToRow } from './settings-row.ts'
import { type Store, write } from './store.ts'
import { configToColumns, isoTime, msOf, query } from './tables.ts'
import { countTried, triedKey } from './tried-count.ts'

interface StartedRun {
  readonly id: number
  /** What its submissions ask to be computed under, by market. */
  readonly settings: MarketSettings
}

/** Who asked for a run; people are not named. */
type Asker = 'agent'

/**
 * Saves the study, its trials and the start of a run on a service. The definition of a file becomes the current one of its name; a rerun never
 * does, whenever it is run.
 * `settingsOn`: what a service of ours is asked to compute under on a market; a revision that was run before keeps what it asked then. Null =
 * the service is asked for nothing.
 */
export function startStudyRun(
  store: Store,
  {
    study,
    trials,
    service,
    settingsOn,
    rerun = null,
    askedBy = null,
  }: {
    readonly study: Study
    readonly trials: readonly Trial[]
    readonly rerun?: Rerun | null
    readonly service: ServiceRecord
    readonly settingsOn: ((market: Market) => Settings) | null
    /** Who asked for it; null = a person. */
    readonly askedBy?: Asker | null
  },
): Promise<StartedRun> {
  const now = store.clock.wall()
  return write(store, () => {
    saveService(store, service, now)
    if (rerun === null) saveDefinition(store, study, { now, replaced: null })
    else {
      // A name always has a current definition.
      if (!hasCurrent(store, study.name)) saveDefinition(store, rerun.of, { now, replaced: null })
      saveDefinition(store, study, { now, replaced: rerun.replaced })
    }
    planStudy(store, study, trials)
    const { period, tried } = study
    if (tried !== undefined)
      for (const market of study.markets.map(marketName))
        countTried(store, { market, period, source: 'backtest', key: triedKey(study.name), configs: tried })
    const row = { study: study.name, study_fingerprint: study.fingerprint, identity: service.identity }
    const run = runBuilt(
      store.db,
      query.insertInto('study_run').values({ ...row, started_at: isoTime(now), asked_by: askedBy }),
    )
    return {
      id: Number(run.lastInsertRowid),
      settings: new Map(
        settingsOn === null
          ? []
          : study.markets.map((market) => [
              marketName(market),
              keepStudySettings(store, study, market, settingsOn(market)),
            ]),
      ),
    }
  })
}

/** Call inside a transaction. */
export function keepSettings(store: Store, settings: Settings): KeptSettings {
  const row = settingsToRow(settings)
  if (row === null) return NO_SETTINGS
  runBuilt(
    store.db,
    query
      .insertInto('settings')
      .values(row)
      .onConflict((known) => known.doNothing()),
  )
  const kept = firstRow(store.db, query.selectFrom('settings').select('id').where('hash', '=', row.hash))
  if (kept === undefined) throw new Error('Settings were stored and cannot be found')
  return { id: kept.id, settings }
}

/** A revision keeps what it first resolved, so that a later listing of candles or symbol rules does not change its question. Call inside a transaction. */
function keepStudySettings(store: Store, study: Study, market: Market, settings: Settings): KeptSettings {
  const known = findStudySettings(store, study, market)
  if (known !== undefined) return known
  const kept = keepSettings(store, settings)
  if (kept.id !== null) {
    const row = { study: study.name, study_fingerprint: study.fingerprint, market: marketName(market) }
    runBuilt(store.db, query.insertInto('study_settings').values({ ...row, settings_id: kept.id }))
  }
  return kept
}

/** The definition that a rerun was made of, and what was replaced in it; without any part, a stored definition run again as it is. */
export interface Rerun {
  readonly of: Study
  readonly replaced: Replacement
}

function hasCurrent(store: Store, name: string): boolean {
  const own = query.selectFrom('study').select('number').where('name', '=', name).where('rerun_json', 'is', null)
  return firstRow(store.db, own) !== undefined
}

/** `replaced` null = a file's own definition. What is a file's own already stays that, and stays as old as it is, when it is run again by other means. */
function saveDefinition(
  store: Store,
  study: Study,
  { now, replaced }: { readonly now: number; readonly replaced: Replacement | null },
): void {
  const { source, ...definition } = study
  const latest = firstRow(
    store.db,
    query
      .selectFrom('study')
      .select(({ fn }) => [fn.max('saved_at').as('saved_at'), fn.max('number').as('number')])
      .where('name', '=', study.name),
  )
  // Later than every other definition of the name, even when the wall clock was set back.
  const savedAt = isoTime(Math.max(now, latest?.saved_at ? Date.parse(latest.saved_at) + 1 : 0))
  const row = {
    name: study.name,
    fingerprint: study.fingerprint,
    number: (latest?.number ?? 0) + 1,
    source,
    definition_json: JSON.stringify(definition),
    first_saved_at: savedAt,
    saved_at: savedAt,
    rerun_json: replaced === null ? null : JSON.stringify(writeReplacement(replaced)),
  }
  const saved = query.insertInto('study').values(row)
  runBuilt(
    store.db,
    saved.onConflict((known) =>
      known
        .columns(['name', 'fingerprint'])
        .doUpdateSet(({ ref }) => ({
          source: ref('excluded.source'),
          saved_at: ref('excluded.saved_at'),
          // A rerun by its number replaces nothing more.
          rerun_json: sql<string | null>`case when excluded.rerun_json is not null then study.rerun_json end`,
        }))
        .where(({ eb, or }) => or([eb('excluded.rerun_json', 'is', null), eb('study.rerun_json', 'is not', null)])),
    ),
  )
}

function planStudy(store: Store, study: Study, trials: readonly Trial[]): void {
  if (isPlanned(store, study, trials)) return
  saveTrials(store, trials)
  const { name, fingerprint: study_fingerprint } = study
  const places = trials.map(({ fingerprint }, position) => ({ study: name, study_fingerprint, position, fingerprint }))
  runEach(store.db, places, (row) =>
    query
      .insertInto('study_trial')
      .values(row)
      .onConflict((known) => known.doNothing()),
  )
}

/** Whether this definition was run before: then all its trials are stored. */
function isPlanned(store: Store, study: Study, trials: readonly Trial[]): boolean {
  const planned = query
    .selectFrom('study_trial')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('study', '=', study.name)
    .where('study_fingerprint', '=', study.fingerprint)
  return firstRow(store.db, planned)?.count === trials.length
}

/** Call inside a transaction. Known trials are not changed. */
export function saveTrials(store: Store, trials: readonly Trial[]): void {
  const rows = trials.map(({ fingerprint, market, period, config }) => ({
    fingerprint,
    config_fingerprint: configFingerprint(config),
    market: marketName(market),
    exchange: market.exchange,
    base_asset: market.baseAsset,
    quote_asset: market.quoteAsset,
    period_from: isoTime(period.from),
    period_to: isoTime(period.to),
    ...configToColumns(config),
  }))
  runEach(store.db, rows, (row) =>
    query
      .insertInto('trial')
      .values(row)
      .onConflict((known) => known.doNothing()),
  )
}

/** Records the progress of a run; `stoppedBy` undefined = it still runs, null = it is done. */
export function recordStudyRun(
  store: Store,
  run: { id: number; requests: number; stoppedBy?: string | null },
): Promise<void> {
  return write(store, () => {
    const ended = run.stoppedBy !== undefined
    const ended_at = ended ? isoTime(store.clock.wall()) : null
    const progress = { requests: run.requests, stopped_by: run.stoppedBy ?? null, ended_at }
    runBuilt(store.db, query.updateTable('study_run').set(progress).where('id', '=', run.id))
  })
}

const runStarts = statement(({ identity, from }: { readonly identity: string; readonly from: number }) =>
  query
    .selectFrom('study_run')
    .select(['id', 'started_at'])
    .where('id', '>=', from)
    .where('identity', '=', identity)
    .orderBy('id'),
)

/** When the runs on a service began, from the run `from` on, in the order in which they did: ms UTC of the clock of each. */
export function readRunStarts(
  store: Store,
  given: { readonly identity: string; readonly from: number },
): readonly { readonly id: number; readonly at: number }[] {
  return runStarts.all(store.db, given).map(({ id, started_at }) => ({ id, at: msOf(started_at) }))
}

/** A saved study, under the name that the store has it by: it may have been renamed since its file was read. @throws Failure studyInvalid */
export function storedStudy(record: StudyRecord, file = `${record.name} (as stored)`): Study {
  return { ...parseStudy(record.source, { file }), name: record.name }
}
