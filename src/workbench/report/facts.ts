/** The facts about a study's trials, computed once for all parts of its section. Pure. */
import { CONFIG, CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import {
  METRIC_NAMES,
  METRICS,
  type MetricName,
  type MetricsAsRead,
  metricValue,
  withCompanions,
} from '../../contract/metrics.ts'
import { type ImportanceReading, parameterImportance } from '../analysis/importance.ts'
import type { TrialRecord } from '../store/records.ts'
import { triedInWords } from '../store/tried-in-words.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import { type ConfigRanking, type ConfigStanding, rankConfigs } from '../study/objective.ts'
import type { Study } from '../study/study.ts'
import { formatMetricWithUnit, formatValue, lowerTitle, type Quote, quoteDecimals, sharpeErrorText } from './format.ts'
import type { StudyInput } from './input.ts'
import { type ColumnName, STANDINGS, type Standing } from './model/blocks.ts'
import type { Beside, Blanks } from './model/document.ts'
import type { TrialNumbers } from './model/heat.ts'
import { digitsThatDiffer } from './model/trial-table.ts'

/** A trial whose result could be read. */
export type FinishedTrial = TrialRecord & { readonly metrics: MetricsAsRead }

type Configured = Pick<TrialRecord, 'config'>

export interface Facts {
  readonly input: StudyInput
  readonly study: Study
  /** `exchange/BASE-QUOTE`: what follows is of this market alone, in the order of the ranking over all markets of the study. */
  readonly market: string
  /** Whether the study has others. */
  readonly isOneOfSeveral: boolean
  /** The configurations with their trials on all markets. */
  readonly configs: ConfigRanking<FinishedTrial>
  readonly quote: Quote
  /** Fields that the study varies, in its order. */
  readonly varied: readonly ConfigField[]
  /** Every trial with a readable result, in grid order. */
  readonly finished: readonly FinishedTrial[]
  /** Of configurations inside the objective's bounds, best first. */
  readonly ranked: readonly FinishedTrial[]
  readonly outside: readonly FinishedTrial[]
  /** Finished, but without a value of the objective's metric, here or on another market. */
  readonly noValue: readonly FinishedTrial[]
  /** Of configurations that a screen took for comparison and did not choose. */
  readonly samples: readonly FinishedTrial[]
  /** All four, as the page has them. */
  readonly ordered: OrderedTrials<FinishedTrial>
  /** Ended without a result, or waiting for a person's decision (undecided). */
  readonly failed: readonly TrialRecord[]
  /** Not submitted yet, or not ended yet. */
  readonly pending: readonly TrialRecord[]
  readonly best: FinishedTrial | undefined
  /** The fingerprint of a trial’s configuration. */
  readonly fingerprintOf: (trial: Configured) => string
  /** Its first digits, by which commands and the page know it. */
  readonly idOf: (trial: Configured) => string
  readonly simulated: boolean
  readonly synthetic: boolean
  /** Importance of the parameters for the objective's metric. */
  readonly importance: ImportanceReading
}

const FAILED_STATES: ReadonlySet<TrialRecord['state']> = new Set(['failed', 'stalled', 'gone', 'undecided'])

export function readFacts(input: StudyInput): Facts {
  const { study, chosen } = input
  const market = marketName(input.market)
  const isHere = (trial: TrialRecord) => marketName(trial.market) === market
  const trials = input.trials.filter(isHere)
  const finished = trials.filter(isFinished)
  const configs = rankConfigs(input.trials.filter(isFinished), {
    objective: study.objective,
    markets: study.markets.length,
    chosen,
  })
  const here = (standings: readonly ConfigStanding<FinishedTrial>[]) =>
    standings.flatMap((standing) => standing.trials.find(isHere) ?? [])
  const ranked = here(configs.ranked)
  const groups = {
    ranked,
    outside: here(configs.outside),
    noValue: here(configs.noValue),
    sample: here(configs.compared),
  }
  const varied = variedFields(study, trials)
  const fingerprints = new Map<Configured, string>(finished.map((trial) => [trial, configFingerprint(trial.config)]))
  const fingerprintOf = (trial: Configured) => fingerprints.get(trial) ?? configFingerprint(trial.config)
  const digits = digitsThatDiffer([...fingerprints.values()])
  return {
    input,
    study,
    market,
    isOneOfSeveral: study.markets.length > 1,
    configs,
    quote: { asset: input.market.quoteAsset, decimals: quoteDecimals(investmentOf(input)) },
    varied,
    finished,
    ranked,
    outside: groups.outside,
    noValue: groups.noValue,
    samples: groups.sample,
    ordered: inOrder(groups),
    failed: trials.filter((trial) => FAILED_STATES.has(trial.state) || (trial.state === 'done' && !isFinished(trial))),
    pending: trials.filter((trial) => trial.state !== 'done' && !FAILED_STATES.has(trial.state)),
    best: ranked.at(0),
    fingerprintOf,
    idOf: (trial) => fingerprintOf(trial).slice(0, digits),
    simulated: trials.some(({ simulated }) => simulated),
    synthetic: trials.some(({ candles }) => candles?.synthetic === true),
    importance: parameterImportance(
      finished.map(({ config, metrics }) => ({
        values: { ...config },
        score: metricValue(metrics, study.objective.metric) ?? Number.NaN,
      })),
      varied,
    ),
  }
}

function isFinished(trial: TrialRecord): trial is FinishedTrial {
  return trial.state === 'done' && trial.metrics !== null
}

/** The fields of the axes; in a study without axes, the fields in which its trials differ. */
function variedFields(study: Study, trials: readonly TrialRecord[]): ConfigField[] {
  const fromAxes = study.axes.filter(({ values }) => new Set(values).size > 1).map(({ field }) => field)
  if (fromAxes.length > 0) return fromAxes
  return CONFIG_FIELDS.filter((field) => new Set(trials.map(({ config }) => config[field])).size > 1)
}

function investmentOf({ study, trials }: StudyInput): number {
  return trials.at(0)?.config.investment ?? study.base.investment ?? Number.NaN
}

/** How many configurations were tried, of which the best was picked, in the words of `dcalab leaderboard`; null when none was counted. */
export function triedOf({ input: { tried }, best }: Facts): { readonly total: number; readonly words: string } | null {
  const total = tried.shown + tried.scanned
  return total === 0 ? null : { total, words: triedInWords(best === undefined ? 'one' : 'best', tried) }
}

/** Daily returns of a result; where its equity is not kept, the days of the study. */
function daysOf({ dailyEquity }: MetricsAsRead, { period }: Pick<Study, 'period'>): number {
  return dailyEquity.length || (period.to - period.from) / 86_400_000
}

/** Behind a Sharpe ratio of a trial its standard error; empty for every other metric. */
export function errorOf(metrics: MetricsAsRead, name: MetricName, { study }: Pick<Facts, 'study'>): string {
  return sharpeErrorText(name, metricValue(metrics, name), daysOf(metrics, study))
}

/** A metric of a trial in a sentence: with its unit, and a Sharpe ratio with its standard error. */
export function metricInWords(metrics: MetricsAsRead, name: MetricName, facts: Pick<Facts, 'study' | 'quote'>): string {
  return valueInWords(metricValue(metrics, name), name, metrics, facts)
}

/** The same of a value that several markets have together, of which `metrics` are of one. */
export function valueInWords(
  value: number | null,
  name: MetricName,
  metrics: MetricsAsRead,
  { study, quote }: Pick<Facts, 'study' | 'quote'>,
): string {
  return `${formatMetricWithUnit(name, value, quote)}${sharpeErrorText(name, value, daysOf(metrics, study))}`
}

/** What a metric must not be shown without, to stand behind it: ", unrealized profit −12.50 USDT, longest deal 3 d 4 h"; mostly empty. */
export function companionsInWords(
  metrics: MetricsAsRead,
  name: MetricName,
  facts: Pick<Facts, 'study' | 'quote'>,
): string {
  const others = withCompanions(name).filter((each) => each !== name)
  return others.map((each) => `, ${lowerTitle(each)} ${metricInWords(metrics, each, facts)}`).join('')
}

/** A trial's numbers as the rules that Node and the page share ask for them. */
export function readTrial(metrics: MetricsAsRead, facts: Pick<Facts, 'study' | 'quote'>) {
  return {
    value: (name: MetricName) => metricValue(metrics, name),
    inWords: (name: MetricName) => metricInWords(metrics, name, facts),
  }
}

/** "net profit", "lowest max drawdown" or "ROI (median of 3 markets)": the objective as it stands in a sentence after "by". */
export function objectiveInWords({ objective, markets }: Study): string {
  const title = lowerTitle(objective.metric)
  const usual = METRICS[objective.metric].better === 'lower' ? 'minimize' : 'maximize'
  const words =
    objective.direction === usual ? title : `${objective.direction === 'maximize' ? 'highest' : 'lowest'} ${title}`
  return markets.length === 1 ? words : `${words} (${objective.across ?? 'median'} of ${markets.length} markets)`
}

/** "TP % 1.5 · orders 5": the fields in which a trial differs from the others of its study. */
export function describeConfig(trial: Pick<TrialRecord, 'config'>, fields: readonly ConfigField[]): string {
  return fields.map((field) => `${CONFIG[field].title} ${formatValue(trial.config[field])}`).join(' · ')
}

/** Buy & hold from the result of the best trial, else from any finished one. */
export function holdOf({
  best,
  finished,
}: Facts): { returnPercent: number; drawdownPercent: number | null; exposedPercent: number | null } | undefined {
  for (const { metrics } of best === undefined ? finished : [best, ...finished]) {
    const returnPercent = metricValue(metrics, 'buyAndHoldPercent')
    if (returnPercent !== null) {
      // The exposure is that of the best trial: of another one it would compare with nothing that is shown.
      const exposedPercent = metrics === best?.metrics ? metricValue(metrics, 'exposedHoldPercent') : null
      return { returnPercent, drawdownPercent: metricValue(metrics, 'buyAndHoldMaxDrawdownPercent'), exposedPercent }
    }
  }
  return undefined
}

/** What buying and holding the whole investment earned, quote; null = not known. */
export function holdProfit(facts: Facts): number | null {
  const trial = facts.best ?? facts.finished.at(0)
  const percent = holdOf(facts)?.returnPercent
  return percent === undefined || trial === undefined ? null : (percent / 100) * trial.config.investment
}

/** The plain ladder and holding, as rows of the table. */
export function besideOf(facts: Facts): readonly Beside[] {
  const { plain } = facts.input.best ?? { plain: null }
  const [hold, netProfit] = [holdOf(facts), holdProfit(facts)]
  const { config } = facts.best ?? facts.finished.at(0) ?? {}
  return [
    ...(plain === null ? [] : [{ name: 'plain ladder', numbers: { ...plain.config, ...metricsOf(plain.metrics) } }]),
    ...(hold === undefined || netProfit === null || config === undefined
      ? []
      : [
          {
            name: 'buy & hold',
            numbers: {
              netProfit,
              'usedCapital.average': config.investment,
              netProfitPerUsedPercent: hold.returnPercent,
              roiPercent: hold.returnPercent,
              ...(hold.drawdownPercent === null ? {} : { maxDrawdownPercent: hold.drawdownPercent }),
            },
          },
        ]),
  ]
}

function metricsOf(metrics: MetricsAsRead): Beside['numbers'] {
  return Object.fromEntries(
    METRIC_NAMES.flatMap((name) => {
      const value = metricValue(metrics, name)
      return value === null ? [] : [[name, value]]
    }),
  )
}

// The trials of a section in the order in which the page has them, and their numbers as columns.

interface NumberedTrial {
  readonly config: DcaSpotConfig
  readonly metrics: MetricsAsRead
}

interface OrderedTrials<T> {
  /** The ranked ones first, best first; then the others by standing. */
  readonly trials: readonly T[]
  /** Of each. */
  readonly standings: readonly Standing[]
  /** Of every field and every metric. */
  readonly numbers: TrialNumbers
}

function inOrder<T extends NumberedTrial>(groups: Readonly<Record<Standing, readonly T[]>>): OrderedTrials<T> {
  const trials = STANDINGS.flatMap((standing) => groups[standing])
  return {
    trials,
    standings: STANDINGS.flatMap((standing) => groups[standing].map(() => standing)),
    numbers: numbersOf(trials),
  }
}

/** Made when the first is asked for. */
function numbersOf(trials: readonly NumberedTrial[]): TrialNumbers {
  let columns: ReadonlyMap<ColumnName, Float64Array> | undefined
  return {
    count: trials.length,
    values(name) {
      columns ??= columnsOf(trials)
      return columns.get(name)
    },
  }
}

/** Trial by trial: in the order of a ranking results lie all over the memory, and to go there once a column takes four times as long. */
function columnsOf(trials: readonly NumberedTrial[]): ReadonlyMap<ColumnName, Float64Array> {
  const empty = () => new Float64Array(trials.length)
  const fields = CONFIG_FIELDS.map((name) => ({ name, values: empty() }))
  const metrics = METRIC_NAMES.map((name) => ({ name, values: empty() }))
  for (const [trial, of] of trials.entries()) {
    for (const { name, values } of fields) values[trial] = of.config[name]
    for (const { name, values } of metrics) values[trial] = metricValue(of.metrics, name) ?? Number.NaN
  }
  return new Map([...fields, ...metrics].map(({ name, values }): [ColumnName, Float64Array] => [name, values]))
}

// Which fields the heat matrix pairs, and what it means that a pair of values has no trial.

/** Six have fifteen pairs: as many as can be told apart at a glance. */
export const MOST_PAIRED = 6

/** The most important fields first; where importance is not known, in the order of the study. */
export function pairedFields({ varied, importance, finished }: Facts): ConfigField[] {
  const fields = varied.filter((field) => new Set(finished.map(({ config }) => config[field])).size > 1)
  if (importance.kind !== 'found') return fields.slice(0, MOST_PAIRED)
  const place = (field: ConfigField) => importance.parameters.findIndex((each) => each.field === field)
  return fields.toSorted((a, b) => place(a) - place(b)).slice(0, MOST_PAIRED)
}

export function blanksOf({ study, failed, pending }: Facts): Blanks {
  if (study.search.method !== 'grid') return 'untried'
  return failed.length + pending.length === 0 ? 'breaksLimit' : 'either'
}
