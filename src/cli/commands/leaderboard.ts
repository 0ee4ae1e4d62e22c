/** `dcalab leaderboard`: a study's configurations, best first by its objective. */
import { marketName } from '../../contract/market.ts'
import type { MetricName } from '../../contract/metrics.ts'
import { Failure } from '../../errors.ts'
import type { ServiceQuestion } from '../../workbench/store/choose-service.ts'
import type { StudyRecord, TrialRecord } from '../../workbench/store/records.ts'
import type { Store } from '../../workbench/store/store.ts'
import type { StoredRanking } from '../../workbench/store/stored-ranking.ts'
import type { KeptVerdict } from '../../workbench/store/verdicts.ts'
import type { StoredDefinition } from '../../workbench/study/definition.ts'
import { lastVerdictOn } from '../chosen-results.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { columnTitle, scalarMetrics } from '../metrics-table.ts'
import { chooseFormat, type FormatOptions, formatOption, whole } from '../option.ts'
import { formatTime, printAnswer, printJson, say } from '../output.ts'
import {
  byImportance,
  describeRest,
  describeTried,
  jsonOfRow,
  type LooksByMarket,
  plainAsJson,
  plainRow,
  type RankedRow,
  rankingTable,
  rowsOf,
  variedFields,
} from '../ranking-table.ts'
import {
  headingOf,
  noteService,
  type ServiceOptions,
  serviceQuestion,
  shownService,
  withServiceOption,
} from '../shown-service.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'

interface LeaderboardOptions extends CommonOptions, ServiceOptions, FormatOptions {
  readonly revision?: number
  readonly top: number
}

export const leaderboardCommand: Register = (program, context) => {
  const command = program
    .command('leaderboard')
    .description('rank the results of a study, best first')
    .argument('<study>', 'name of a study in the store, or of a revision: my-ladder@2')
    .addOption(whole('--top <n>', 'how many', { minimum: 1, default: 20 }))
    .addOption(formatOption())
    .addOption(
      whole('--revision <n>', 'rank the trials of this revision', { minimum: 1, otherwise: 'the current one' }),
    )
  withExamples(withServiceOption(withStore(command)), [
    'dcalab leaderboard btc-may-2021',
    'dcalab leaderboard demo --top 5 --json',
  ]).action((text: string, options: LeaderboardOptions) =>
    withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const name = nameWith(text, options.revision)
      const question = await serviceQuestion(context, store, options)
      const { study, revision, shown, ...ranking } = await rankStudy(store, name, {
        ...{ top: Math.max(options.top, WEIGHED), question },
      })
      const { idsIn } = await import('../../workbench/store/find-trial.ts')
      const { terminal } = context.system
      for (const { message } of await findOtherTerms(study, ranking.stated)) say(terminal, `note: ${message}`)
      const weighed = rowsOf(ranking.top, idsIn(store))
      const rows = weighed.slice(0, options.top)
      const best = rows.at(0)
      const tried = await triedAt(store, best?.records ?? [])
      const { describeLastVerdict, gradeWord } = await import('../last-verdict.ts')
      const verdicts = await lastVerdicts(store, rows)
      const format = chooseFormat(options)
      const { candlesFolder } = pathsOf(context, options)
      const plain =
        best === undefined || (format !== 'table' && format !== 'json')
          ? undefined
          : await plainRow(store, best, { study, candlesFolder })
      if (format !== 'table' && format !== 'json') {
        const { writeRows } = await import('../formats.ts')
        noteService(terminal, shown)
        return writeRows(
          terminal,
          format,
          rows.map((row) => ({ ...flatRow(row), grade: verdicts.get(row)?.grade ?? null })),
        )
      }
      if (format === 'json') {
        noteService(terminal, shown)
        const list = rows.map((row) => ({
          ...jsonOfRow(row, tried),
          service: shown?.name ?? null,
          revision,
          verdict: verdicts.get(row) ?? null,
          plainLadder: row === best && plain !== undefined ? plainAsJson(plain) : null,
        }))
        return printJson(terminal, list)
      }
      const last = { now: context.system.clock.wall(), target: name }
      const placed = (plain === undefined ? rows : [...rows, plain]).map((row) => ({
        ...{ rank: row.rank, id: row.id, value: row.value, config: row.record.config, results: row.records },
        verdict: gradeWord(verdicts.get(row)),
      }))
      const markets = (best?.records ?? []).map(({ market }) => marketName(market))
      const varied = byImportance(weighed, variedFields(study.axes))
      await printAnswer(terminal, [
        ...(best === undefined
          ? []
          : [describeQuestion(name, best.record, { markets, metric: study.objective.metric })]),
        ...headingOf(shown),
        ...(best === undefined ? ['no configuration ranked yet'] : rankingTable(placed, { ...study, varied, markets })),
        ...describeTried(best, tried),
        ...(best === undefined ? [] : describeLastVerdict(verdicts.get(best), last)),
      ])
      for (const text of describeRest(ranking, rows.length)) say(terminal, text)
    }),
  )
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

/** So many configurations say which parameter matters most. */
const WEIGHED = 500

/** A row of the other formats: rank, trial, configuration and metrics on the first market. */
function flatRow({ rank, id, value, record }: RankedRow): Readonly<Record<string, string | number | null>> {
  const metrics = Object.entries(scalarMetrics(record.metrics) ?? {}).flatMap(([name, metric]) =>
    typeof metric === 'object' && metric !== null ? [] : [[name, metric ?? null] as const],
  )
  return { rank, id, trial: record.fingerprint, objective: value, ...record.config, ...Object.fromEntries(metrics) }
}

/** @throws Failure usage when name and option name different revisions */
function nameWith(name: string, revision: number | undefined): string {
  if (revision === undefined) return name
  if (!name.includes('@')) return `${name}@${revision}`
  throw new Failure('usage', `${name} names a revision already; leave out --revision`)
}

/** By row; those that were judged. */
async function lastVerdicts(store: Store, rows: readonly RankedRow[]): Promise<ReadonlyMap<RankedRow, KeptVerdict>> {
  const found = await Promise.all(rows.map(async (row) => [row, await lastVerdictOn(store, row.records)] as const))
  return new Map(found.flatMap(([row, verdict]) => (verdict === undefined ? [] : [[row, verdict] as const])))
}

/** At the markets and times of a configuration's trials. */
async function triedAt(store: Store, trials: readonly TrialRecord[]): Promise<LooksByMarket> {
  if (trials.length === 0) return new Map()
  const { countLooks } = await import('../../workbench/store/look-count.ts')
  const named = trials.map(({ market, period }) => ({ market: marketName(market), period }))
  return new Map(named.map((span) => [span.market, countLooks(store, span)]))
}

/** The best configurations of a stored study, or of a revision of it, by its objective, and how many there are of the others. @throws Failure notFound, usage */
async function rankStudy(
  store: Store,
  name: string,
  { top, question }: { readonly top: number; readonly question: ServiceQuestion },
) {
  const [{ findDefinition, findStudy }, { readStoredDefinition }, { rankStored }, { countStudies }, { unknownStudy }] =
    await Promise.all([
      import('../../workbench/store/study-records.ts'),
      import('../../workbench/study/definition.ts'),
      import('../../workbench/store/stored-ranking.ts'),
      import('../../workbench/store/study-counts.ts'),
      import('../../workbench/store/study-records.ts'),
    ])
  const record = findStudy(store, name)
  if (record === undefined) throw unknownStudy(store, name)
  const definition = readStoredDefinition(findDefinition(store, record)) ?? (await parseStored(record, name))
  const study: SourcedDefinition = { name: record.name, source: record.source, ...definition }
  const [count] = countStudies(store, { study: name, ...question })
  const on = count.service === null ? {} : { identity: count.service.identity }
  const ranking = rankStored(store, { study: name, objective: study.objective, top, ...on })
  return { study, revision: record.revision, shown: shownService(count, question), ...ranking }
}

type SourcedDefinition = StoredDefinition & Pick<StudyRecord, 'name' | 'source'>

/** The whole reading of a study file, which takes longer than all the rest: for studies that an older program stored. */
async function parseStored(record: StudyRecord, name: string): Promise<StoredDefinition> {
  const { storedStudy } = await import('../../workbench/store/stored-study.ts')
  return storedStudy(record, { file: `${name} (as stored)` })
}

/** Whether the results were computed with the study's costs and conventions, on its candles. */
async function findOtherTerms(study: SourcedDefinition, stated: StoredRanking['stated']) {
  const { costs, conventions, interval } = study
  const { compareSettings } = await import('../../workbench/analysis/warnings/find-in-settings.ts')
  // Whether the file names its settings matters only where a result does not state them.
  const isStated = stated.every(
    (result) => result.costs !== null && Object.keys(result.conventions ?? {}).some((name) => name in conventions),
  )
  const asked = isStated
    ? { costs, conventions, interval, names: { costs: false, conventions: false, interval: interval !== null } }
    : (await import('../../workbench/study/asked-settings.ts')).askedSettings(study)
  return compareSettings(asked, { results: stated })
}
