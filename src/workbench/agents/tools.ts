/**
 * The tools: each is a command with `--json`, and says what that says. There is none for what creates, starts, stops, opens a hold-out or touches a
 * key, and no argument is a path: an agent gives a text, or the name of a stored study.
 */
import * as z from 'zod'
import { findMarket } from '../../contract/market.ts'
import { COOKBOOK } from '../store/cookbook/cookbook.ts'
import { VIEW_ROWS } from '../store/views.ts'
import { ANSWERS } from './answers.ts'
import { type AgentTool, tableOf, tool, usualSeconds } from './to-answer.ts'

const longestText = 100_000

const serviceName = z
  .string()
  .max(300)
  .optional()
  .describe('results of this service, as a note names it; absent = the configured one if it has results')
const storedName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}(?:@[1-9]\d{0,8})?$/, 'expected the name of a stored study: my-ladder or my-ladder@2')
const id = z
  .string()
  .regex(
    /^[0-9a-fA-F]{4,64}(?:@[\w/-]{1,100})?(?::[0-9a-fA-F]{4,64})?$/,
    'expected an id of 8 hex digits: 46330614, 46330614@ETH-USDT, 46330614:9be2',
  )
  .describe('8 hex digits, as leaderboard has them; 46330614@ETH-USDT picks a market')
const inStudy = storedName.optional().describe('where several studies tried an id')
const marketName = z
  .string()
  .max(200)
  .refine((text) => findMarket(text) !== undefined, 'expected exchange/BASE-QUOTE')
  .describe('exchange/BASE-QUOTE')
const span = z
  .string()
  .regex(/^[0-9TZ:.+-]{10,64}$/, 'expected from..to')
  .describe('another period, from..to: 2025-01-01..2025-03-01')
const detail = z.enum(['usual', 'full']).default('usual').describe('full: more fields, every digit, at most 40 kB')
const from = z.int().min(1).max(1_000_000).default(1).describe('first row; a cut answer says the next')
const count = (most: number, usual: number) => z.int().min(1).max(most).default(usual).describe('rows')
const seconds = (most: number, usual = usualSeconds) =>
  z.number().min(1).max(most).default(usual).describe('interrupt it after so long; returns what was found')

const STUDY_FILE = 'study.yaml'
const CONFIG_FILE = 'config.yaml'

/** A study by its stored name or as a text. */
const givenStudy = {
  study: storedName.optional().describe('name of a stored study; give this or text'),
  text: z
    .string()
    .max(longestText)
    .optional()
    .describe('a study, YAML or JSON, as in the instructions (whole: resource dcalab://study-schema)'),
  period: span.optional(),
  market: marketName.optional().describe('on another market: exchange/BASE-QUOTE'),
  from,
}

interface GivenArguments {
  readonly study?: string | undefined
  readonly text?: string | undefined
  readonly period?: string | undefined
  readonly market?: string | undefined
}

const ofStudy = {
  wrong: ({ study, text }: GivenArguments) =>
    (study === undefined) === (text === undefined) ? 'expected exactly one of study and text' : undefined,
  texts: ({ text }: GivenArguments) => ({ [STUDY_FILE]: text }),
}

function studyWords(
  command: readonly string[],
  { study = STUDY_FILE, period, market }: GivenArguments,
  more: string[] = [],
) {
  return [...command, '--json', ...flag('period', period), ...flag('market', market), ...more, '--', study]
}

function flag(name: string, value: string | number | undefined): string[] {
  return value === undefined ? [] : [`--${name}=${value}`]
}

/** "46330614:9be2" on a market is "46330614@binance/ETH-USDT:9be2". */
function onMarket(id: string, market: string | undefined): string {
  if (market === undefined || id.includes('@')) return id
  const [digits, ...settings] = id.split(':')
  return [`${digits}@${market}`, ...settings].join(':')
}

type Value = string | number | null

/** As `--param` reads it: in quotes everything is text. */
function parameter([name, value]: [string, Value]): string {
  return `--param=${name}=${typeof value === 'string' ? `'${value}'` : String(value)}`
}

const called = z.strictObject({ tool: z.string(), arguments: z.record(z.string(), z.unknown()) })
const tableFields = { columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) }
const table = z.looseObject(tableFields)
const some = z.record(z.string(), z.unknown())
const next = z.array(called).describe('calls that may follow')
const verdict = z
  .looseObject({ grade: z.string(), headline: z.string(), sentence: z.string() })
  .nullable()
  .describe('as judged last; null = not yet')
const service = z.string().nullable()

/** Those that spend nothing. */
export const READING_TOOLS: Readonly<Record<string, AgentTool>> = {
  list_studies: tool({
    description:
      'Lists the stored studies with their progress, and the demo bots made of them. Call it first. Returns a table of studies: revision, service, backtests done, running, waiting, failed, unresolved.',
    input: z.strictObject({ from, service: serviceName }),
    output: z.looseObject({ ...tableFields, bots: table, next }),
    words: ({ service }) => ['status', '--json', ...flag('service', service)],
    answer: ANSWERS.studies,
  }),
  list_candles: tool({
    ownTexts: 'all',
    description:
      'Lists the price history stored here, by market and interval. Call it before a study, a screen or a backtest is written: they work on these candles. Returns a table with period, number of candles, missing ones and whether they are synthetic.',
    input: z.strictObject({ from }),
    output: z.looseObject(tableFields),
    words: () => ['candles', 'list', '--json'],
    answer: ANSWERS.candles,
  }),
  leaderboard: tool({
    description:
      'Ranks the configurations of a stored study by its objective, best first. Call it for the ids and results of a study. Returns a table, what all of its rows have in common once (`same`), the plain ladder to compare with, and the verdict on the best.',
    input: z.strictObject({ study: storedName, from, count: count(100, 10), detail, service: serviceName }),
    output: z.looseObject({ ...tableFields, study: z.string(), same: some, verdict: verdict.optional(), next }),
    words: ({ study, from, count, service }) => [
      // One more says whether there are more.
      ...['leaderboard', '--json', `--top=${from + count}`, ...flag('service', service)],
      ...['--', study],
    ],
    answer: ANSWERS.leaderboard,
  }),
  show_configuration: tool({
    description:
      'Shows one result: the configuration to copy, its metrics, verdict, tags, notes and demo bots. Call it with an id of another answer. Returns an object; `detail: full` adds every deal, day and month.',
    input: z.strictObject({
      ...{ id, study: inStudy, market: marketName.optional() },
      ...{ settings: id.optional().describe('where it has several results'), service: serviceName, detail, from },
    }),
    output: z.looseObject({
      id: z.string(),
      service: z.unknown(),
      market: z.string(),
      config: some,
      metrics: some,
      verdict,
    }),
    words: ({ id, study, market, settings, service }) => [
      ...['show', '--json', ...flag('study', study), ...flag('settings', settings)],
      ...[...flag('service', service), '--', onMarket(id, market)],
    ],
    answer: ANSWERS.configuration,
  }),
  compare_configurations: tool({
    description:
      'Compares two to ten results: what differs, their metrics, and whether they lose on the same days. Call it with ids of a leaderboard. Returns a table, what all have in common (`same`), and the correlation of daily returns by pair.',
    input: z.strictObject({ ids: z.array(id).min(2).max(10), study: inStudy, detail, service: serviceName }),
    output: z.looseObject({ ...tableFields, same: some, dailyReturns: table }),
    words: ({ ids, study, service }) => [
      ...['compare', '--json', ...flag('study', study), ...flag('service', service), '--', ...ids],
    ],
    answer: ANSWERS.comparison,
  }),
  verdict: tool({
    description:
      'Judges the best of a study, or one configuration, on stretches of stored history against holding and a plain ladder; free. Call it before you say that a bot is good. Returns a grade, a sentence to quote, at most three reasons, and what to expect.',
    input: z.strictObject({
      target: z.union([id, storedName]).describe('a stored study, or an id'),
      market: marketName.optional().describe('of a study with several'),
      study: inStudy,
      service: serviceName,
      horizon: z.number().int().min(1).max(3650).default(30).describe('days your user will wait'),
      ...{ detail, from, seconds: seconds(3600) },
    }),
    output: z.looseObject({
      study: z.unknown(),
      service,
      judgedAt: z.string(),
      headline: z.string().optional(),
      sentence: z.string().optional(),
      next,
    }),
    words: ({ target, market, study, service, horizon, detail }) => [
      ...['verdict', '--json', `--horizon=${horizon}`, ...(detail === 'full' ? ['--stretches'] : [])],
      ...[...flag('market', market), ...flag('study', study), ...flag('service', service), '--', target],
    ],
    answer: ANSWERS.verdicts,
    keeps: true,
  }),
  check_study: tool({
    ownTexts: 'all',
    description:
      'Checks a study for mistakes and says what it would cost; free. Call it before screen_study or run_study, as often as you change the text. Returns the size of the grid, backtests and days needed, history stored, warnings, or every problem with its place.',
    input: z.strictObject(givenStudy),
    ...ofStudy,
    output: z.looseObject({
      study: z.string(),
      trials: some,
      backtests: z.number(),
      warnings: z.array(z.string()),
      next,
    }),
    words: (given) => studyWords(['study', 'check'], given),
    answer: ANSWERS.check,
  }),
  screen_study: tool({
    ownTexts: 'all',
    description:
      'Backtests every point of a study on local candles; free, but each configuration counts as tried. Call it to choose ranges before service backtests are spent. Returns the best as a table; days of an untested hold-out are refused.',
    input: z.strictObject({ ...givenStudy, count: count(100, 10), detail, seconds: seconds(3600) }),
    ...ofStudy,
    keeps: true,
    output: z.looseObject({ ...tableFields, study: z.string(), complete: z.boolean(), same: some, next }),
    words: (given) => studyWords(['screen'], given, [`--top=${given.from + given.count}`]),
    answer: ANSWERS.screen,
  }),
  backtest: tool({
    ownTexts: 'all',
    description:
      'Backtests one configuration on local candles; free, and it counts as tried on that market and period. Call it to try a change, or with starts and takeProfits to see how much of a profit is chance. Returns metrics; `detail: full` adds every deal.',
    input: z.strictObject({
      text: z
        .string()
        .max(longestText)
        .describe('YAML or JSON: { config, period: { from, to } }; optional costs, conventions, symbol'),
      market: marketName,
      conventions: z
        .string()
        .regex(/^[a-z0-9-]{1,64}$/)
        .optional()
        .describe('default or three-commas'),
      starts: z.boolean().default(false).describe('start the bot at every candle of the first day'),
      takeProfits: z
        .string()
        .regex(/^[\d.]{1,20}$/, 'expected from..to, in percent')
        .optional()
        .describe('profit of every take profit, as from..to in percent: 0.5..5; each counts as tried'),
      ...{ detail, from, seconds: seconds(3600) },
    }),
    keeps: true,
    texts: ({ text }) => ({ [CONFIG_FILE]: text }),
    output: z.looseObject({ market: z.string(), interval: z.string(), period: z.string(), metrics: some }),
    words: ({ market, conventions, starts, takeProfits }) => [
      ...['backtest', '--json', `--candles=${market}`, ...flag('conventions', conventions)],
      ...[...(starts ? ['--starts'] : []), ...flag('take-profits', takeProfits)],
      ...['--', CONFIG_FILE],
    ],
    answer: ANSWERS.backtest,
  }),
  query_sql: tool({
    ownTexts: 'none',
    description:
      'Answers one SELECT over the views of the store, or a cookbook question by its name. Call it for what no other tool answers, after describe_views. Returns a table; texts of a service come as { untrusted }.',
    input: z.strictObject({
      select: z.string().max(longestText).optional().describe('one statement; :name for parameters'),
      question: z
        .string()
        .regex(/^[a-z0-9-]{1,64}$/)
        .optional()
        .describe('of the cookbook; give this or select'),
      parameters: z
        .record(z.string().regex(/^[A-Za-z_]\w{0,63}$/), z.union([z.string(), z.number(), z.null()]))
        .default({}),
      ...{ from, count: count(1000, 100), detail, seconds: seconds(600) },
    }),
    wrong: ({ select, question }) =>
      (select === undefined) === (question === undefined) ? 'expected exactly one of select and question' : undefined,
    output: z.looseObject(tableFields),
    words: ({ select, question, parameters, from, count }) => [
      ...['sql', '--json', `--limit=${from + count}`, ...flag('example', question)],
      ...Object.entries(parameters).map(parameter),
      ...(select === undefined ? [] : ['--', select]),
    ],
    answer: ANSWERS.rows,
  }),
  describe_views: tool({
    ownTexts: 'all',
    description:
      'Describes the views that SQL may ask. Call it before query_sql: without arguments for the views and cookbook questions, with a view or a word for columns. Returns a table: columns with unit, meaning and when they are null.',
    input: z.strictObject({
      view: z.enum(Object.keys(VIEW_ROWS)).optional(),
      word: z.string().min(2).max(60).optional().describe('in names or meanings of columns: drawdown'),
      from,
    }),
    output: z.looseObject({ ...tableFields, questions: z.array(z.string()).optional() }),
    answer: (_, { view, word }) => describeViews(view, word?.toLowerCase()),
  }),
  limits: tool({
    description:
      'Asks the service how many backtests are left today. Call it before run_study, or when a run stopped. Returns the daily limit as this store and as the service count it, when the next backtest fits, and what is left of the budget of agents.',
    input: z.strictObject({}),
    output: z.looseObject({ ledger: some, service: some, budget: some.nullable().optional() }),
    words: () => ['service', 'limits', '--json'],
    meetsService: true,
    answer: Object,
  }),
}

/** With a budget. */
export const SPENDING_TOOLS: Readonly<Record<string, AgentTool>> = {
  run_study: tool({
    description:
      'Runs the service backtests of a study, within the budget of agents and the daily limit. Call it after check_study; the same call continues, and no configuration is paid for twice. Returns what is done, the best with its verdict, why it stopped, and the budget left.',
    input: z.strictObject({
      ...givenStudy,
      max: z.int().min(1).max(10_000).optional().describe('send at most this many now'),
      seconds: seconds(3600),
    }),
    ...ofStudy,
    output: z.looseObject({
      study: z.string(),
      trials: some,
      stoppedBy: z.string().nullable(),
      best: some.nullable(),
      budget: some.optional(),
      next,
    }),
    words: (given) => studyWords(['run'], given, flag('max', given.max)),
    answer: ANSWERS.run,
    meetsService: true,
    spends: true,
  }),
}

function describeViews(view: string | undefined, word: string | undefined) {
  if (view === undefined && word === undefined) {
    const views = Object.entries(VIEW_ROWS).map(([name, { rows }]) => ({ view: name, rows: rows.split('. ')[0] }))
    return { ...tableOf(views), questions: Object.keys(COOKBOOK) }
  }
  const columns = Object.entries(VIEW_ROWS).flatMap(([name, one]) =>
    view !== undefined && view !== name
      ? []
      : Object.entries(one.columns).map(([column, { unit, meaning, whenNull }]) => ({
          ...(view === undefined ? { view: name } : {}),
          ...{ column, unit, meaning, whenNull },
        })),
  )
  const isMeant = (text: string) => word === undefined || text.toLowerCase().includes(word)
  return tableOf(columns.filter(({ column, meaning }) => isMeant(column) || isMeant(meaning)))
}
