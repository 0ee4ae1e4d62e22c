/** What of a command's JSON an agent gets, by tool: what it decides by, as tables. The JSON itself is that of `--json`, read as it comes. */
import type { DcaSpotConfig } from '../../contract/bot.ts'
import { COMPANIONS } from '../../contract/metrics.ts'
import { configFingerprint, shortIds } from '../study/fingerprint.ts'
import { type Call, callOf, isBudgetSpent, type JsonFields, tableOf } from './to-answer.ts'

/** Arguments of the tools, as far as answers depend on them. */
interface Given {
  readonly detail?: string
  readonly study?: string | undefined
  readonly text?: string | undefined
  readonly market?: string | undefined
  readonly period?: string | undefined
  readonly service?: string | undefined
}

const of = (value: unknown): JsonFields => Object(value ?? {})
const listOf = (value: unknown): readonly JsonFields[] => (Array.isArray(value) ? value.map(of) : [])

/** Those of the fields that there are, in this order. */
function pick(value: unknown, names: string): JsonFields {
  const fields = of(value)
  return Object.fromEntries(names.split(' ').flatMap((name) => (name in fields ? [[name, fields[name]]] : [])))
}

/** With the service again, where one was named. */
function call(tool: string, given: JsonFields, { service }: Given = {}): Call {
  return { tool, arguments: service === undefined ? given : { ...given, service } }
}

/** The command that a verdict or the state of the work names: as a call, else as what a person is to be asked for. */
function after(command: unknown, why: unknown, given: Given = {}) {
  const found = typeof command === 'string' ? callOf(command) : undefined
  if (found !== undefined) return { next: [call(found.tool, found.arguments, given)] }
  return { next: [], ...(typeof command === 'string' ? { askUser: why } : {}) }
}

/** "2025-05-20..2025-08-18", as arguments take it. */
function spanText(span: unknown): string {
  const ends = [of(span).from, of(span).to].map((at) => new Date(typeof at === 'number' ? at : String(at)))
  return ends.map((at) => at.toISOString().replace(/(?:T00:00:00)?\.000Z$/, '')).join('..')
}

/** null = it was not judged. */
function briefly(verdict: unknown): JsonFields | null {
  if (verdict === null || verdict === undefined) return null
  return pick(verdict, `grade headline sentence judgedAt${of(verdict).isStale === true ? ' isStale' : ''}`)
}

/** Without series. */
function scalars(metrics: unknown): JsonFields {
  const kept = Object.entries(of(metrics)).filter(([, value]) => !Array.isArray(value))
  return Object.fromEntries(
    kept.map(([name, value]) => [name, typeof value === 'object' && value !== null ? scalars(value) : value]),
  )
}

function valuesOf(metrics: unknown, names: readonly string[]): JsonFields {
  const valueAt = (path: string) => path.split('.').reduce((at: unknown, name) => of(at)[name], metrics)
  return Object.fromEntries(names.map((name) => [name, valueAt(name) ?? null]))
}

/** A configuration in a ranking: its fields, the objective, on several markets that of each, else its companions; in full every metric. */
function rankingRow(row: JsonFields, metric: string, { detail }: Given): JsonFields {
  const { rank, id, config, markets, metrics } = row
  const results = listOf(markets)
  const own = valuesOf(metrics, [metric])[metric]
  const beside =
    results.length > 1
      ? Object.fromEntries(results.map((one) => [one.market, valuesOf(one.metrics, [metric])[metric]]))
      : valuesOf(metrics, COMPANIONS)
  const value = row.objective ?? row.value ?? own
  return { rank, id, ...of(config), [metric]: value, ...(detail === 'full' ? scalars(metrics) : beside) }
}

function leaderboardOf(json: unknown, given: Given): JsonFields {
  const rows = listOf(json)
  const { study } = given
  if (rows.length === 0) return { study, ...tableWithSame([]), next: [call('list_studies', {})] }
  const [best] = rows
  const metric = String(best.metric)
  const verdict = briefly(best.verdict)
  const markets = listOf(best.markets).map(({ market }) => market)
  const isOneOfSeveral = markets.length > 1
  return {
    ...{ study, ...pick(best, 'revision service'), markets },
    ...{ period: spanText(best.period), objective: metric },
    ...tableWithSame(
      rows.map((row) => ({ ...rankingRow(row, metric, given), verdict: of(row.verdict).grade ?? null })),
    ),
    plainLadder: best.plainLadder === null ? null : plainOf(of(best.plainLadder), metric),
    ...{ verdict, tried: best.tried },
    next: [
      verdict === null
        ? call('verdict', { target: study }, given)
        : call('show_configuration', { id: best.id, study, ...(isOneOfSeveral ? { market: markets[0] } : {}) }, given),
    ],
  }
}

/** As the rows beside it. */
function plainOf(plain: JsonFields, metric: string): JsonFields {
  const results = listOf(plain.markets)
  if (results.length < 2) return valuesOf(plain.metrics, [...new Set([metric, ...COMPANIONS])])
  const each = results.map((one) => [one.market, valuesOf(one.metrics, [metric])[metric]])
  return { [metric]: plain.objective ?? null, ...Object.fromEntries(each) }
}

/** A table without the columns in which several rows are equal; what they have there stands in `same`. */
function tableWithSame(objects: readonly JsonFields[]) {
  const { columns, rows } = tableOf(objects)
  const isSame = columns.map((_, at) => rows.length > 1 && rows.every((row) => row[at] === rows[0][at]))
  return {
    columns: columns.filter((_, at) => !isSame[at]),
    rows: rows.map((row) => row.filter((_, at) => !isSame[at])),
    same: Object.fromEntries(columns.flatMap((column, at) => (isSame[at] ? [[column, rows[0][at]]] : []))),
  }
}

const SHOWN = 'id service settings market period state failure config costs candles'
const BESIDE = 'metricFlags openDeal tried tags notes promotions drifts'

function configurationOf(json: unknown, given: Given): JsonFields {
  const trial = of(json)
  const { exchange, baseAsset, quoteAsset } = of(trial.market)
  const { hash, ...candles } = of(trial.candles)
  const verdict = briefly(trial.verdict)
  const { monthlyReturns, dailyEquity } = of(trial.metrics)
  return {
    ...pick(trial, SHOWN),
    ...{ market: `${exchange}/${baseAsset}-${quoteAsset}`, period: spanText(trial.period), candles },
    ...{ metrics: scalars(trial.metrics), verdict, ...pick(trial, BESIDE) },
    ...(given.detail === 'full'
      ? {
          ...pick(trial, 'conventions symbol revised jobId'),
          ...{ months: tableOf(listOf(monthlyReturns)), days: tableOf(listOf(dailyEquity)) },
          deals: tableOf(listOf(trial.deals)),
        }
      : {}),
    next:
      verdict === null && trial.state === 'done'
        ? [call('verdict', { target: trial.id, ...(given.study === undefined ? {} : { study: given.study }) }, given)]
        : [],
  }
}

const COMPARED = ['netProfitPerUsedPercent', ...COMPANIONS, 'winRatePercent', 'dealDuration.max', 'usedCapital.average']

function comparisonOf(json: unknown, { detail }: Given): JsonFields {
  const { trials, equity } = of(json)
  const rows = listOf(trials).map(({ id, state, facts, metrics }) => ({
    ...{ id, state, ...of(facts), ...(detail === 'full' ? scalars(metrics) : valuesOf(metrics, COMPARED)) },
  }))
  const pairs = listOf(equity).map(({ ids, days, correlation }) => ({ ids, days, correlation }))
  return { ...tableWithSame(rows), dailyReturns: tableOf(pairs) }
}

const HEAD = 'study revision id rank market service judgedAt grade headline sentence'

/** Of several markets each headline; the reasons are asked for one by one. */
function verdictsOf(json: unknown, given: Given & { readonly target: string }): JsonFields {
  const judged = Array.isArray(json) ? listOf(json) : [of(json)]
  const [first] = judged
  if (judged.length > 1) {
    const next = judged.map(({ market }) => call('verdict', { target: given.target, market }, given))
    return {
      ...pick(first, 'study service judgedAt'),
      ...tableOf(judged.map((one) => pick(one, 'market id grade headline sentence'))),
      next,
    }
  }
  const { expect, next, reasons, also, stretches } = first
  return {
    ...pick(first, HEAD),
    reasons: listOf(reasons).map((one) => pick(one, 'code hard sentence remedy')),
    ...{ also: listOf(also).map(({ sentence }) => sentence), ...pick(first, 'excess plain holdout tried unknown') },
    expect: expect === null ? null : { ...of(expect), ...tableOf(listOf(of(expect).rows)) },
    ...(given.detail === 'full'
      ? { ...pick(first, 'honest stressed onMarket'), stretches: tableOf(listOf(stretches)) }
      : {}),
    ...after(of(next).command, of(next).why, given),
  }
}

/** By the command that comes next. */
const FOR_A_PERSON: Readonly<Record<string, string>> = {
  demo: 'store candles: there are none yet',
  study: 'which market and period a first study should have',
  service: 'say what became of the unresolved submissions',
  bots: 'compare or start the demo bot',
  report: 'make the report',
  holdout: 'test the hold-out',
  promote: 'decide about a demo bot',
}

function studiesOf(json: unknown): JsonFields {
  const { studies, bots, next } = of(json)
  const why = FOR_A_PERSON[String(next).split(' ')[1]]
  return { ...tableOf(listOf(studies)), bots: tableOf(listOf(bots)), ...after(next, why) }
}

/** Of SQL. */
function rowsOf(json: unknown): JsonFields {
  return tableOf(listOf(json))
}

function candlesOf(json: unknown): JsonFields {
  return tableOf(listOf(json).map(({ hash, ...series }) => series))
}

function checkOf(json: unknown, { study, text, market, period }: Given): JsonFields {
  const { name, jobs, history, warnings, ...checked } = of(json)
  const again = { study, text, market, period }
  return {
    ...{ study: name, ...pick(checked, 'trials configs allowance walkForward'), backtests: jobs },
    history: tableOf(listOf(history).map((one) => pick(one, 'market judgedOn isEnough stored'))),
    warnings: listOf(warnings).map(({ message }) => message),
    next: [call('screen_study', again), ...(of(checked.trials).toRun === 0 ? [] : [call('run_study', again)])],
    ...(listOf(history).some(({ fetch }) => fetch !== null)
      ? { askUser: 'fetch more history of these markets: verdicts rest on it' }
      : {}),
  }
}

function screenOf(json: unknown, given: Given): JsonFields {
  const { study, metric, top, candles, markets, configs, ...screen } = of(json)
  const on = candles === undefined ? listOf(markets).map((one) => of(one.candles)) : [of(candles)]
  const ids = shortIds(listOf(top).map(({ config }) => configFingerprint(config as DcaSpotConfig))) // our own program wrote it
  const rows = listOf(top).map((row, at) => rankingRow({ ...row, id: ids[at] }, String(metric), given))
  return {
    ...{
      study,
      markets: on.map(({ market, interval, missing }) => `${market} ${interval}, ${missing} candles missing`),
    },
    ...{ ...(on.length === 0 ? {} : { period: spanText(on[0]) }), tried: configs },
    ...{ ...pick(screen, 'distinct complete folded'), objective: metric, ...tableWithSame(rows) },
    next: [call('check_study', pick(given, 'study text market period'))],
  }
}

function backtestOf(json: unknown, { detail }: Given): JsonFields {
  const { candles, metrics, takeProfitCurve, deals, ...result } = of(json)
  const { envelope, ...curve } = of(takeProfitCurve) // to draw; what it says is beside it
  return {
    ...{ ...pick(candles, 'market interval missing'), period: spanText(candles), metrics: scalars(metrics) },
    ...{ ...pick(result, 'costs starts ladderLength openDeal') },
    ...(takeProfitCurve === undefined ? {} : { takeProfitCurve: curve }),
    ...(detail === 'full' ? { ...pick(result, 'conventions'), deals: tableOf(listOf(deals)) } : {}),
  }
}

function runOf(json: unknown): JsonFields {
  const { study, revision, trials, best } = of(json)
  const found = of(best)
  const name = { study: revision ?? study }
  const goesOn = of(trials).pending !== 0 && !isBudgetSpent(json)
  return {
    ...pick(json, 'study revision trials stoppedBy allowance'),
    best:
      best === null
        ? null
        : {
            ...{ id: found.id, [String(found.metric)]: found.objective, ...valuesOf(found.metrics, COMPANIONS) },
            verdict: briefly(found.verdict),
          },
    next: [...(goesOn ? [call('run_study', name)] : []), ...(best === null ? [] : [call('leaderboard', name)])],
  }
}

/** From the JSON of a command, and the arguments of the call. */
export const ANSWERS = {
  leaderboard: leaderboardOf,
  configuration: configurationOf,
  comparison: comparisonOf,
  verdicts: verdictsOf,
  studies: studiesOf,
  rows: rowsOf,
  candles: candlesOf,
  check: checkOf,
  screen: screenOf,
  backtest: backtestOf,
  run: runOf,
}
