/**
 * The tools: each is a command with `--json`, and says what that says. There is none for what creates, starts, stops, opens a hold-out or touches a
 * key, and no argument is a path: an agent gives a text, or the name of a stored study.
 */
import { z } from 'zod'
import { findMarket } from '../../contract/market.ts'
import { type AgentTool, tool, usualSeconds } from './tool-row.ts'

const longestText = 100_000

const serviceName = z
  .string()
  .max(300)
  .optional()
  .describe('results of this service, as a note names it; absent = the configured one if it has results')
const storedName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,63}(?:@[1-9]\d{0,8})?$/, 'expected the name of a stored study: my-ladder or my-ladder@2')
const trialName = z
  .string()
  .regex(
    /^[0-9a-fA-F]{4,64}(?::[0-9a-fA-F]{4,64})?$/,
    'expected 4 or more hex digits of a trial; with settings 3fa94c01:9be2',
  )
const marketName = z
  .string()
  .max(200)
  .refine((text) => findMarket(text) !== undefined, 'expected exchange/BASE-QUOTE')
  .describe('exchange/BASE-QUOTE')
const span = z
  .string()
  .regex(/^[0-9TZ:.+-]{10,64}$/, 'expected from..to')
  .describe('another period, from..to: 2025-01-01..2025-03-01')
const seconds = (most: number, usual = usualSeconds) =>
  z.number().min(1).max(most).default(usual).describe('interrupt it after so long; returns what was found')

const STUDY_FILE = 'study.yaml'
const CONFIG_FILE = 'config.yaml'

/** A study by its stored name or as a text. */
const givenStudy = {
  study: storedName.optional().describe('name of a stored study; give this or text'),
  text: z.string().max(longestText).optional().describe('a study file, YAML or JSON (resource dcalab://study-schema)'),
  period: span.optional(),
  market: marketName.optional().describe('on another market: exchange/BASE-QUOTE'),
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

type Value = string | number | null

/** As `--param` reads it: in quotes everything is text. */
function parameter([name, value]: [string, Value]): string {
  return `--param=${name}=${typeof value === 'string' ? `'${value}'` : String(value)}`
}

/** Those that spend nothing. */
export const READING_TOOLS: Readonly<Record<string, AgentTool>> = {
  studies: tool({
    title: 'Stored studies',
    description: 'Studies that the store knows, with revision, services and when they were saved.',
    input: z.strictObject({}),
    words: () => ['study', 'list', '--json'],
  }),
  leaderboard: tool({
    title: 'Leaderboard of a study',
    description: 'Configurations of a stored study, best first by its objective, with metrics and verdict.',
    input: z.strictObject({ study: storedName, top: z.int().min(1).max(100).default(20), service: serviceName }),
    words: ({ study, top, service }) => [
      ...['leaderboard', '--json', `--top=${top}`, ...flag('service', service)],
      ...['--', study],
    ],
  }),
  show: tool({
    title: 'One trial',
    description:
      'Everything the store has of one result: configuration, every metric, verdict, how many were tried on its market and time.',
    input: z.strictObject({
      trial: trialName,
      settings: trialName.optional(),
      service: serviceName,
    }),
    words: ({ trial, settings, service }) => [
      ...['show', '--json', ...flag('settings', settings), ...flag('service', service)],
      ...['--', trial],
    ],
  }),
  compare: tool({
    title: 'Trials side by side',
    description: 'Two to ten trials: what differs, their metrics, the correlation of their daily returns.',
    input: z.strictObject({ trials: z.array(trialName).min(2).max(10), service: serviceName }),
    words: ({ trials, service }) => ['compare', '--json', ...flag('service', service), '--', ...trials],
  }),
  sql: tool({
    title: 'Read-only SQL',
    description:
      'One SELECT over the views of the store (resource dcalab://views), or a question of the cookbook by its name (resource dcalab://questions). Texts in rows may be a service’s: they come as { untrusted }.',
    input: z.strictObject({
      select: z.string().max(longestText).optional().describe('one statement; :name for parameters'),
      example: z
        .string()
        .regex(/^[a-z0-9-]{1,64}$/)
        .optional()
        .describe('name of a question of the cookbook'),
      parameters: z
        .record(z.string().regex(/^[A-Za-z_]\w{0,63}$/), z.union([z.string(), z.number(), z.null()]))
        .default({}),
      rows: z.int().min(1).max(1000).default(100).describe('at most this many rows; a note says if there are more'),
      seconds: seconds(600, 10),
    }),
    wrong: ({ select, example }) =>
      (select === undefined) === (example === undefined) ? 'expected exactly one of select and example' : undefined,
    words: ({ select, example, parameters, rows }) => [
      ...['sql', '--json', `--limit=${rows}`, ...flag('example', example)],
      ...Object.entries(parameters).map(parameter),
      ...(select === undefined ? [] : ['--', select]),
    ],
    ownTexts: 'none',
  }),
  allowance: tool({
    title: 'The allowance',
    description: 'Backtests left, counted here and by the service, and what is left of the budget of agents.',
    input: z.strictObject({}),
    words: () => ['service', 'limits', '--json'],
    meetsService: true,
  }),
  check: tool({
    ownTexts: 'all',
    title: 'Check a study',
    description: 'Checks a study (free). Returns grid, known results, backtests and days needed, warnings.',
    input: z.strictObject(givenStudy),
    ...ofStudy,
    words: (given) => studyWords(['study', 'check'], given),
  }),
  verdict: tool({
    title: 'Whether to believe it',
    description:
      'Judges a study’s best, or a trial, on stretches of stored history against holding and a plain ladder: a grade, a sentence, three reasons, what to expect. Free.',
    input: z.strictObject({
      target: z.union([trialName, storedName]).describe('name of a stored study, or the first digits of a trial'),
      market: marketName.optional().describe('of a study with several, the one to judge'),
      service: serviceName,
      horizon: z.number().int().min(1).max(3650).default(30).describe('days you will wait'),
    }),
    words: ({ target, market, service, horizon }) => [
      ...['verdict', '--json', '--horizon', String(horizon), ...flag('market', market), ...flag('service', service)],
      ...['--', target],
    ],
  }),
  examine: tool({
    ownTexts: 'all',
    title: 'How sure one can be',
    description:
      'Recomputes a study’s best, or a trial, on local candles (free): every start, every take profit, fill order, walk-forward, holding. Returns checks and verdict.',
    input: z.strictObject({
      target: z.union([trialName, storedName]).describe('name of a stored study, or the first digits of a trial'),
      market: marketName.optional().describe('one market of a study with several'),
      service: serviceName,
      seconds: seconds(3600),
    }),
    words: ({ target, market, service }) => [
      ...['examine', '--json', ...flag('market', market), ...flag('service', service)],
      ...['--', target],
    ],
  }),
  backtest: tool({
    ownTexts: 'all',
    title: 'One backtest on local candles',
    description:
      'One configuration on stored candles: every metric and deal; on demand how much of its profit is the minute of the start or the last digit of the take profit. Free; it counts as a configuration tried on this market and time. Days of an untested hold-out are refused.',
    input: z.strictObject({
      text: z
        .string()
        .max(longestText)
        .describe('YAML or JSON: config, and optionally conventions, costs, symbol, period { from, to }'),
      market: marketName,
      conventions: z
        .string()
        .regex(/^[a-z0-9-]{1,64}$/)
        .optional()
        .describe('a preset: default or three-commas'),
      starts: z.boolean().default(false).describe('the same bot from every candle of the first day'),
      takeProfits: z
        .string()
        .regex(/^[\d.]{1,20}$/, 'expected from..to, in percent')
        .optional()
        .describe(
          'profit over all of these take profits, exactly, as from..to in percent: 0.5..5. Each counts as tried',
        ),
    }),
    texts: ({ text }) => ({ [CONFIG_FILE]: text }),
    words: ({ market, conventions, starts, takeProfits }) => [
      ...['backtest', '--json', `--candles=${market}`, ...flag('conventions', conventions)],
      ...[...(starts ? ['--starts'] : []), ...flag('take-profits', takeProfits)],
      ...['--', CONFIG_FILE],
    ],
  }),
  screen: tool({
    ownTexts: 'all',
    title: 'Screen a whole grid',
    description:
      'Every point of a study’s grid on local candles, the best first. Free; every configuration counts as tried. Days of an untested hold-out are refused.',
    input: z.strictObject({ ...givenStudy, top: z.int().min(1).max(100).default(20), seconds: seconds(3600) }),
    ...ofStudy,
    words: (given) => studyWords(['screen'], given, [`--top=${given.top}`]),
  }),
}

/** With a budget. */
export const SPENDING_TOOLS: Readonly<Record<string, AgentTool>> = {
  run: tool({
    title: 'Run a study',
    description:
      'Runs a study’s backtests within the budget of agents and the daily limit, and collects results. The same call continues; no trial is paid for twice.',
    input: z.strictObject({
      ...givenStudy,
      max: z.int().min(1).max(10_000).optional().describe('send at most this many now'),
      seconds: seconds(3600),
    }),
    ...ofStudy,
    words: (given) => studyWords(['run'], given, flag('max', given.max)),
    meetsService: true,
    spends: true,
  }),
}
