/** `dcalab leaderboard`: a study's trials, best first by its objective. */
import { marketName } from '../../contract/market.ts'
import { type MetricName, type MetricsAsRead, metricValue } from '../../contract/metrics.ts'
import { Failure } from '../../errors.ts'
import type { LookCount } from '../../workbench/store/look-count.ts'
import type { StudyRecord, TrialRecord } from '../../workbench/store/records.ts'
import type { Store } from '../../workbench/store/store.ts'
import type { StoredRanking } from '../../workbench/store/stored-ranking.ts'
import type { StoredDefinition } from '../../workbench/study/definition.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { describeLooks } from '../looks.ts'
import { metricTitle } from '../metrics-table.ts'
import { whole } from '../option.ts'
import { formatTable, printJson, printLines, say } from '../output.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface LeaderboardOptions extends CommonOptions {
  readonly revision?: number
  readonly top: number
}

export const leaderboardCommand: Register = (program, context) => {
  const command = program
    .command('leaderboard')
    .description('results of a study, best first by its objective')
    .argument('<study>', 'name of a study in the store, or of a revision: my-ladder@2')
    .addOption(whole('--top <n>', 'how many', { minimum: 1, default: 20 }))
    .addOption(
      whole('--revision <n>', 'rank the trials of this revision', { minimum: 1, otherwise: 'the current one' }),
    )
  withExamples(withStore(command), [
    'dcalab leaderboard btc-may-2021',
    'dcalab leaderboard demo --top 5 --json',
  ]).action((text: string, options: LeaderboardOptions) =>
    withKnownStore(context, pathsOf(context, options).store, async (store) => {
      const name = nameWith(text, options.revision)
      const { study, top, ranked, outside, unranked, stated } = await rankStudy(store, name, options.top)
      const { terminal } = context.system
      for (const { message } of await findDoubtsOfResults(study, stated)) say(terminal, `note: ${message}`)
      const looks = await looksAt(store, top.at(0))
      const rows = top.map((record, i) => ({ rank: i + 1, record }))
      if (options.json) {
        return printJson(
          terminal,
          rows.map(({ rank, record }) => ({
            rank,
            fingerprint: record.fingerprint,
            config: record.config,
            metrics: scalarMetrics(record.metrics),
            looks,
          })),
        )
      }
      const varied = study.axes.map((axis) => axis.field)
      await printLines(
        terminal,
        formatTable(
          rows,
          [
            { title: 'rank', value: (row) => row.rank },
            { title: 'trial', value: (row) => row.record.fingerprint.slice(0, 12) },
            ...varied.map((field) => ({
              title: field.replace(/^dca/, ''),
              value: (row: (typeof rows)[number]) => String(row.record.config[field]),
            })),
            ...shownMetrics(study.objective.metric).map((metric) => ({
              title: metricTitle(metric),
              value: (row: (typeof rows)[number]) =>
                row.record.metrics === null ? null : metricValue(row.record.metrics, metric),
            })),
          ],
          { narrow: true },
        ),
      )
      const words = looks === null ? '' : describeLooks('best', looks)
      if (words !== '') await printLines(terminal, [words])
      const rest = [
        ranked > rows.length ? `${ranked - rows.length} more ranked` : '',
        outside > 0 ? `${outside} outside the objective’s bounds` : '',
        unranked > 0 ? `${unranked} without a result` : '',
      ].filter((text) => text !== '')
      if (rest.length > 0) say(terminal, `and ${rest.join(', ')}`)
    }),
  )
}

/** @throws Failure usage when name and option name different revisions */
function nameWith(name: string, revision: number | undefined): string {
  if (revision === undefined) return name
  if (!name.includes('@')) return `${name}@${revision}`
  throw new Failure('usage', `${name} names a revision already; leave out --revision`)
}

/** Every look at the market and time of a ranking: of all studies and revisions, local ones included. */
async function looksAt(store: Store, best: TrialRecord | undefined): Promise<LookCount | null> {
  if (best === undefined) return null
  const { countLooks } = await import('../../workbench/store/look-count.ts')
  return countLooks(store, { market: marketName(best.market), period: best.period })
}

/** The best trials of a stored study, or of a revision of it, by its objective, and how many there are of the others. @throws Failure notFound */
async function rankStudy(store: Store, name: string, top: number) {
  const [{ findDefinition, findStudy }, { readStoredDefinition }, { rankStored }] = await Promise.all([
    import('../../workbench/store/study-records.ts'),
    import('../../workbench/study/definition.ts'),
    import('../../workbench/store/stored-ranking.ts'),
  ])
  const record = findStudy(store, name)
  if (record === undefined) throw new Failure('notFound', `the store holds no study "${name}"`)
  const definition = readStoredDefinition(findDefinition(store, record)) ?? (await parseStored(record, name))
  const study: RankedStudy = { source: record.source, ...definition }
  return { study, ...rankStored(store, { study: name, objective: study.objective, top }) }
}

type RankedStudy = StoredDefinition & Pick<StudyRecord, 'source'>

/** The whole reading of a study file, which takes longer than all the rest: for studies that an older program stored. */
async function parseStored(record: StudyRecord, name: string): Promise<StoredDefinition> {
  const { storedStudy } = await import('../../workbench/store/stored-study.ts')
  return storedStudy(record, { file: `${name} (as stored)` })
}

/** Doubts about whether the results were computed with the study's costs and conventions, on its candles. */
async function findDoubtsOfResults(study: RankedStudy, stated: StoredRanking['stated']) {
  const { costs, conventions, interval } = study
  const { compareSettings } = await import('../../workbench/analysis/doubts/find-in-settings.ts')
  // Whether the file names its settings matters only where a result does not state them.
  const isStated = stated.every(
    (result) => result.costs !== null && Object.keys(result.conventions ?? {}).some((name) => name in conventions),
  )
  const asked = isStated
    ? { costs, conventions, interval, names: { costs: false, conventions: false, interval: interval !== null } }
    : (await import('../../workbench/study/settings.ts')).askedSettings(study)
  return compareSettings(asked, { results: stated })
}

/** Metrics without their series: what lists and summaries print. */
export function scalarMetrics(metrics: MetricsAsRead | null) {
  if (metrics === null) return null
  const { monthlyReturns, dailyEquity, ...scalars } = metrics
  return scalars
}

/** The objective first, then the metrics of every ranking. */
export function shownMetrics(objective: MetricName): MetricName[] {
  const usual: readonly MetricName[] = [
    'netProfit',
    'roiPercent',
    'maxDrawdownPercent',
    'closedDeals',
    'winRatePercent',
    'stopLosses',
    'ambiguousCandles',
  ]
  return [...new Set([objective, ...usual])]
}
