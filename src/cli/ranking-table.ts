import { existsSync } from 'node:fs'
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../contract/bot.ts'
import { marketName } from '../contract/market.ts'
import { METRIC_NAMES, type MetricName, metricValue } from '../contract/metrics.ts'
import { parameterImportance } from '../workbench/analysis/importance.ts'
import { compareSettings } from '../workbench/analysis/warnings/find-in-settings.ts'
import type { ServiceQuestion } from '../workbench/store/choose-service.ts'
import { idsIn } from '../workbench/store/find-trial.ts'
import type { StudyRecord, TrialRecord } from '../workbench/store/records.ts'
import type { Store } from '../workbench/store/store.ts'
import {
  type RankedConfig,
  rankStored,
  type StoredRanking,
  type WeighedConfig,
} from '../workbench/store/stored-ranking.ts'
import { countStudies } from '../workbench/store/study-counts.ts'
import { findDefinition, findStudy, unknownStudy } from '../workbench/store/study-records.ts'
import { countTriedOn, type TriedCount } from '../workbench/store/tried-count.ts'
import { triedInWords } from '../workbench/store/tried-in-words.ts'
import type { KeptVerdict } from '../workbench/store/verdicts.ts'
import { readStoredDefinition, type StoredDefinition } from '../workbench/study/definition.ts'
import { configFingerprint } from '../workbench/study/fingerprint.ts'
import { reduceAcross } from '../workbench/study/objective.ts'
import { isoSpan } from '../workbench/study/spans.ts'
import type { Axis, Objective } from '../workbench/study/study.ts'
import type { Grade } from '../workbench/verdict/judge.ts'
import type { CommonOptions, Context } from './context.ts'
import { writeRows } from './formats.ts'
import {
  columnTitle,
  describeSame,
  distinctDigits,
  fieldTitle,
  type Measured,
  metricColumns,
  rankingColumns,
  scalarMetrics,
  withError,
} from './metrics-table.ts'
import { chooseFormat, type FormatOptions } from './option.ts'
import { countOf, formatTime, type Line, printAnswer, printJson, say } from './output.ts'
import {
  describeLastVerdict,
  headingOf,
  lastVerdictOn,
  noteService,
  type ServiceOptions,
  serviceQuestion,
  shownService,
} from './shown-service.ts'
import { type Column, fittingTable } from './table.ts'
import { pathsOf, withStoreToRead } from './workbench.ts'

// The rows of `dcalab leaderboard`: a configuration each, with what it came to on every market of its study.

interface RankedRow {
  /** From 1; null = it is not ranked. */
  readonly rank: number | null
  /** Of its configuration, as it is typed; of the plain ladder its name. */
  readonly id: string
  readonly value: number | null
  /** Its trial on the first market. */
  readonly record: TrialRecord
  /** On every market, in their order. */
  readonly records: readonly TrialRecord[]
}

/** For `--json`: what is not ranked has no ids, and was computed here. */
function plainAsJson({ value, record, records }: RankedRow) {
  const markets = records.map(({ market, metrics }) => ({
    market: marketName(market),
    metrics: scalarMetrics(metrics),
  }))
  return { objective: value, config: record.config, metrics: scalarMetrics(record.metrics), markets }
}

/** The plain ladder beside the best, on all of its markets; undefined where one of them has no candles here. Computed here, and free. */
async function plainRow(
  store: Store,
  best: RankedRow,
  { study, candlesFolder }: { readonly study: Omit<StoredDefinition, 'axes'>; readonly candlesFolder: string },
): Promise<RankedRow | undefined> {
  if (!existsSync(candlesFolder)) return undefined
  const [{ plainBeside }, { findKnownTerms }] = await Promise.all([
    import('../workbench/verdict/plain-ladder.ts'),
    import('./known-terms.ts'),
  ])
  const known = findKnownTerms(store, best.record.identity)
  const records = best.records.flatMap((record) => {
    const plain = plainBeside(record, { study, known, candlesFolder })
    return plain === null ? [] : [{ ...record, ...plain, metricFlags: {} }]
  })
  const [record] = records
  if (record === undefined || records.length < best.records.length) return undefined
  const { metric } = study.objective
  const value = reduceAcross(
    records.map(({ metrics }) => metricValue(metrics, metric)),
    study.objective,
  )
  return { rank: null, id: 'plain ladder', value, record, records }
}

/** @param idOf the id of a configuration by its fingerprint */
export function rowsOf(top: readonly RankedConfig[], idOf: (fingerprint: string) => string): readonly RankedRow[] {
  return top.flatMap(({ value, trials }, index) => {
    const [record] = trials
    if (record === undefined) return []
    return [{ rank: index + 1, id: idOf(configFingerprint(record.config)), value, record, records: trials }]
  })
}

/** The time doubles with each. */
const MOST_WEIGHED = 6

/** What a study varies, in the order in which it decides the objective, where that follows from these rows. */
export function byImportance(
  configs: readonly WeighedConfig[],
  varied: readonly ConfigField[],
): readonly ConfigField[] {
  if (configs.length === 0 || varied.length > MOST_WEIGHED) return varied
  const scored = configs.map(({ config, value }) => ({ values: { ...config }, score: value }))
  const reading = parameterImportance(scored, varied)
  if (reading.kind !== 'found') return varied
  const share = new Map<string, number>(reading.parameters.map((one) => [one.field, one.share]))
  return varied.toSorted((a, b) => (share.get(b) ?? 0) - (share.get(a) ?? 0))
}

/** Configurations tried on the market and time of a ranking, of all studies and revisions, local ones included; by market. */
type TriedByMarket = ReadonlyMap<string, TriedCount>

/** For `--json`. What is not of all markets is of the first, and stands under `markets` for each. */
export function jsonOfRow({ rank, id, value, record, records }: RankedRow, tried: TriedByMarket) {
  const triedOn = (trial: TrialRecord) => tried.get(marketName(trial.market)) ?? null
  return {
    rank,
    id,
    fingerprint: record.fingerprint,
    configFingerprint: configFingerprint(record.config),
    objective: value,
    config: record.config,
    metrics: scalarMetrics(record.metrics),
    tried: triedOn(record),
    markets: records.map((trial) => ({
      market: marketName(trial.market),
      trial: trial.fingerprint,
      metrics: scalarMetrics(trial.metrics),
      tried: triedOn(trial),
    })),
  }
}

/** A configuration in a ranking, wherever it was computed. */
interface Placed {
  /** From 1; null = it is not ranked. */
  readonly rank: number | null
  readonly id: string
  readonly config: DcaSpotConfig
  /** The objective, made of its values on the markets. */
  readonly value: number | null
  /** By market, in the order of the study; null where there is none. */
  readonly results: readonly (Measured | null)[]
  /** What it was judged last. */
  readonly verdict?: string | null
}

/** Fields with more than one value. */
export function variedFields(axes: readonly Axis[]): readonly ConfigField[] {
  return axes.filter(({ values }) => new Set(values).size > 1).map(({ field }) => field)
}

interface RankingHead {
  readonly objective: Objective
  /** What the study varies, most important first. */
  readonly varied: readonly ConfigField[]
  /** `exchange/BASE-QUOTE`. */
  readonly markets: readonly string[]
}

/** On one market the metrics, on several the reduced objective and what it is on each; below it what no row differs in. */
export function rankingTable(rows: readonly Placed[], { objective, varied, markets }: RankingHead): Line[] {
  const { metric } = objective
  const columns: Column<Placed>[] = [
    { title: '#', role: 'id', value: ({ rank }) => rank ?? '–' },
    { title: 'id', role: 'id', value: ({ id }) => id },
    { title: 'verdict', role: 'alarm', value: ({ verdict }) => verdict ?? '' },
    ...variedColumns(rows, varied, ({ config }) => config),
  ]
  const [first, ...others] = markets
  if (others.length === 0) return [fittingTable(rows, [...columns, ...rankingColumns(metric, ofMarket(0))]), ...same()]
  const exchange = `${first.split('/')[0]}/`
  const isOneExchange = markets.every((market) => market.startsWith(exchange))
  const reduced: Column<Placed> = {
    title: `${columnTitle(metric)} ${objective.across ?? 'median'}`,
    role: 'objective',
    value: ({ value, results }) => withError(metric, value, results[0]),
  }
  const onMarkets = markets.flatMap((market, at) =>
    metricColumns(metric, ofMarket(at), { prefix: isOneExchange ? market.slice(exchange.length) : market }),
  )
  return [fittingTable(rows, [...columns, reduced, ...onMarkets]), ...same()]

  function same(): string[] {
    return describeSame(rows.at(0)?.config, varied)
  }

  function ofMarket(at: number) {
    return ({ results }: Placed) => results[at] ?? null
  }
}

/** Columns of fields in which rows differ, with four significant digits or as many as tell them apart. */
function variedColumns<Row>(
  rows: readonly Row[],
  fields: readonly ConfigField[],
  configOf: (row: Row) => DcaSpotConfig,
): Column<Row>[] {
  return fields.map((field) => ({
    title: fieldTitle(field),
    role: 'varied',
    value: (row) => configOf(row)[field],
    digits: distinctDigits(rows.map((row) => configOf(row)[field])),
  }))
}

/** Below the table: how many configurations were tried, by market. */
function describeTried(best: RankedRow | undefined, tried: TriedByMarket): string[] {
  const markets = (best?.records ?? []).map(({ market }) => marketName(market))
  return markets.flatMap((market) => {
    const count = tried.get(market)
    const counted = count === undefined ? '' : triedInWords('best', count)
    return counted === '' ? [] : [markets.length === 1 ? counted : `${market}: ${counted}`]
  })
}

/** What is not in the table. */
export function describeRest(ranking: StoredRanking, shown: number): string[] {
  const { markets, ranked, outside, noValue, partial, compared } = ranking
  const missing = markets === 1 ? 'without a value to rank by' : 'without a value on every market'
  const rest = [
    ranked > shown ? `${ranked - shown} more ranked` : '',
    outside > 0 ? `${outside} outside the limits` : '',
    noValue > 0 ? `${noValue} ${missing}` : '',
    compared > 0 ? `${countOf(compared, 'control')}` : '',
  ].filter((text) => text !== '')
  const total = ranked + outside + noValue
  return [
    ...(rest.length > 0 ? [`not shown: ${rest.join(', ')}`] : []),
    ...(markets > 1 && partial > 0
      ? [`${partial} of ${total} configurations still lack a market and are not ranked`]
      : []),
  ]
}

export interface LeaderboardOptions extends CommonOptions, ServiceOptions, FormatOptions {
  readonly top: number
}

/** Grades as a column has them, worst first. */
const GRADE_WORDS = {
  doNotUse: 'do not use',
  notJudged: 'not judged',
  holdingDidBetter: 'below holding',
  holdingAsGood: 'as holding',
  noBetterThanPlain: 'as plain',
  ahead: 'ahead',
  beat: 'beat',
} as const satisfies Readonly<Record<Grade, string>>

export function showLeaderboard(context: Context, name: string, options: LeaderboardOptions): Promise<void> {
  return withStoreToRead(context, pathsOf(context, options).store, async (store) => {
    const question = await serviceQuestion(context, store, options)
    const format = chooseFormat(options)
    const asked = { top: options.top, question, isTable: format === 'table' }
    const { study, revision, shown, ...ranking } = await rankStudy(store, name, asked)
    const { terminal } = context.system
    for (const { message } of await findOtherTerms(study, ranking.stated)) say(terminal, `note: ${message}`)
    const rows = rowsOf(ranking.top, idsIn(store))
    const best = rows.at(0)
    const tried = await triedAt(store, best?.records ?? [])
    const verdicts = await lastVerdicts(store, study.name, rows)
    const { candlesFolder } = pathsOf(context, options)
    const plain =
      best === undefined || (format !== 'table' && format !== 'json')
        ? undefined
        : await plainRow(store, best, { study, candlesFolder })
    if (format !== 'table' && format !== 'json') {
      noteService(terminal, shown)
      return writeRows(
        terminal,
        format,
        rows.map((row) => ({ ...flatRow(row), grade: verdicts.get(row)?.grade ?? null })),
        FLAT_COLUMNS,
      )
    }
    if (format === 'json') {
      noteService(terminal, shown)
      const list = rows.map((row) => ({
        ...jsonOfRow(row, tried),
        metric: study.objective.metric,
        period: isoSpan(row.record.period),
        service: shown?.name ?? null,
        revision,
        verdict: verdicts.get(row) ?? null,
        plainLadder: row === best && plain !== undefined ? plainAsJson(plain) : null,
      }))
      await printJson(terminal, list)
      for (const text of describeRest(ranking, rows.length)) say(terminal, text)
      return
    }
    const last = { now: context.system.clock.wall(), target: name }
    const placed = (plain === undefined ? rows : [...rows, plain]).map((row) => ({
      ...{ rank: row.rank, id: row.id, value: row.value, config: row.record.config, results: row.records },
      verdict: gradeWord(verdicts.get(row)),
    }))
    const markets = (best?.records ?? []).map(({ market }) => marketName(market))
    const { varied } = ranking
    await printAnswer(terminal, [
      ...(best === undefined ? [] : [describeQuestion(name, best.record, { markets, metric: study.objective.metric })]),
      ...headingOf(shown),
      ...(best === undefined ? ['no configuration ranked yet'] : rankingTable(placed, { ...study, varied, markets })),
      ...describeTried(best, tried),
      ...(best === undefined ? [] : describeLastVerdict(verdicts.get(best), last)),
    ])
    for (const text of describeRest(ranking, rows.length)) say(terminal, text)
  })
}

/** null = it was not judged. */
function gradeWord(found: Pick<KeptVerdict, 'grade'> | undefined): string | null {
  return found === undefined ? null : GRADE_WORDS[found.grade]
}

/** "my-ladder · binance/ETH-USDT · 2025-05-20 to 2025-08-18 · by ROI %". */
function describeQuestion(
  name: string,
  { period }: TrialRecord,
  { markets, metric }: { readonly markets: readonly string[]; readonly metric: MetricName },
): string {
  const [from, to] = [period.from, period.to].map((ms) => formatTime(ms).slice(0, 10))
  const where = markets.length === 1 ? markets[0] : `${markets.length} markets`
  return `${name} · ${where} · ${from} to ${to} · by ${columnTitle(metric)}`
}

/** What `flatRow` has and its grade, for a table without rows. */
const FLAT_COLUMNS = [
  ...['rank', 'id', 'trial', 'objective', ...CONFIG_FIELDS],
  ...[...METRIC_NAMES.filter((name) => !name.includes('.')), 'sampleSize', 'grade'],
]

/** A row of the other formats: rank, trial, configuration and metrics on the first market. */
function flatRow({ rank, id, value, record }: RankedRow): Readonly<Record<string, string | number | null>> {
  const metrics = Object.entries(scalarMetrics(record.metrics) ?? {}).flatMap(([name, metric]) =>
    typeof metric === 'object' && metric !== null ? [] : [[name, metric ?? null] as const],
  )
  return { rank, id, trial: record.fingerprint, objective: value, ...record.config, ...Object.fromEntries(metrics) }
}

/** By row; those that were judged. */
async function lastVerdicts(
  store: Store,
  study: string,
  rows: readonly RankedRow[],
): Promise<ReadonlyMap<RankedRow, KeptVerdict>> {
  const found = await Promise.all(
    rows.map(async (row) => [row, await lastVerdictOn(store, study, row.records)] as const),
  )
  return new Map(found.flatMap(([row, verdict]) => (verdict === undefined ? [] : [[row, verdict] as const])))
}

/** At the markets and times of a configuration's trials. */
async function triedAt(store: Store, trials: readonly TrialRecord[]): Promise<TriedByMarket> {
  if (trials.length === 0) return new Map()
  const named = trials.map(({ market, period }) => ({ market: marketName(market), period }))
  return new Map(named.map((span) => [span.market, countTriedOn(store, span)]))
}

/** The best configurations of a stored study, or of a revision of it, by its objective, and how many there are of the others. @throws Failure notFound, usage */
async function rankStudy(
  store: Store,
  name: string,
  { top, question, isTable }: { readonly top: number; readonly question: ServiceQuestion; readonly isTable: boolean },
) {
  const record = findStudy(store, name)
  if (record === undefined) throw unknownStudy(store, name)
  // The whole reading of a study file takes longer than all the rest: it is for studies that an older program stored.
  const definition =
    readStoredDefinition(findDefinition(store, record)) ??
    (await import('../workbench/store/studies.ts')).storedStudy(record)
  const study: SourcedDefinition = { name: record.name, source: record.source, ...definition }
  const [count] = countStudies(store, { study: name, ...question })
  const on = count.service === null ? {} : { identity: count.service.identity }
  const orderVaried = (best: readonly WeighedConfig[]) => byImportance(best, variedFields(study.axes))
  const order = isTable ? { orderVaried } : {}
  const ranking = rankStored(store, { study: name, objective: study.objective, top, ...on, ...order })
  return { study, revision: record.revision, shown: shownService(count, question), ...ranking }
}

type SourcedDefinition = StoredDefinition & Pick<StudyRecord, 'name' | 'source'>

/** Whether the results were computed with the study's costs and conventions, on its candles. */
async function findOtherTerms(study: SourcedDefinition, stated: StoredRanking['stated']) {
  const { costs, conventions, interval } = study
  // Whether the file names its settings matters only where a result does not state them.
  const isStated = stated.every(
    (result) => result.costs !== null && Object.keys(result.conventions ?? {}).some((name) => name in conventions),
  )
  const asked = isStated
    ? { costs, conventions, interval, names: { costs: false, conventions: false, interval: interval !== null } }
    : (await import('../workbench/study/parse.ts')).askedSettings(study)
  return compareSettings(asked, { results: stated })
}
