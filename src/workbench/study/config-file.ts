/** The file of `dcalab backtest`: one configuration, and optionally conventions, costs, symbol rules, a period and an interval. */
import * as z from 'zod'
import { type BOT_FIELDS, type DcaSpotConfig, forEachField, STRATEGY_TYPE } from '../../contract/bot.ts'
import { INTERVAL_NAMES, type Interval, marketName } from '../../contract/market.ts'
import { CONVENTION_PRESETS, type Conventions, type Costs, type SymbolRules } from '../../engine/conventions.ts'
import { Failure } from '../../errors.ts'
import { valueAt } from './path.ts'
import { decodeDocument, expecting, type SchemaWords } from './problems.ts'
import { configNumber, conventionsSchema, costsSchema, marketParts, periodSchema } from './schema.ts'
import { placeProblems, readSourceDocument } from './source-document.ts'
import type { Period } from './study.ts'

export interface ConfigFile {
  readonly config: DcaSpotConfig
  readonly conventions: Conventions
  readonly costs: Costs
  /** null = not given: the rules of the market that the candles are of. */
  readonly symbol: SymbolRules | null
  /** null = all candles given. */
  readonly period: Period | null
  /** Of stored candles; null = the finest that cover the period. */
  readonly interval: Interval | null
  /** `exchange/BASE-QUOTE` when the config names all three, else null. */
  readonly market: string | null
}

const rule = (description: string) =>
  z
    .number(expecting('a number from 0'))
    .refine((value) => value >= 0, { error: ({ input }) => `expected at least 0, found ${String(input)}` })
    .nullable()
    .default(null)
    .meta({ description: `${description}; 0 or absent = not enforced` })

/** Only the numbers are used; the other fields of a bot's payload are allowed, so that a whole payload can be pasted. */
const configSchema = z.strictObject(
  {
    ...forEachField((field, { fallback }) =>
      fallback === undefined ? configNumber(field) : configNumber(field).default(fallback),
    ),
    exchange: marketParts.exchange.optional(),
    baseAsset: marketParts.baseAsset.optional(),
    quoteAsset: marketParts.quoteAsset.optional(),
    strategyType: z.literal(STRATEGY_TYPE).optional(),
    userEmail: z.string().optional(),
    name: z.string().optional(),
    isDemo: z.boolean().optional(),
  } satisfies Record<keyof typeof BOT_FIELDS, unknown>,
  expecting('a mapping of config fields'),
)

const configFileSchema = z.strictObject(
  {
    config: configSchema,
    conventions: conventionsSchema.optional(),
    costs: costsSchema.prefault({}),
    symbol: z
      .strictObject(
        {
          tick: rule('Price step in quote'),
          lot: rule('Quantity step in base'),
          minNotional: rule('Smallest order in quote'),
        },
        expecting('a mapping { tick, lot, minNotional }'),
      )
      .optional(),
    period: periodSchema.optional(),
    interval: z.enum(INTERVAL_NAMES).optional(),
  },
  expecting('a mapping with config, and optionally conventions, costs, symbol, period, interval'),
)

const WORDS: SchemaWords = {
  jsonSchema: () => z.toJSONSchema(configFileSchema, { io: 'input', target: 'draft-7' }),
  keyNotes: {
    grid: 'a config file holds one configuration; a study file holds a grid (`dcalab study init`)',
    '<<': 'merge keys are not supported; write the values out',
  },
}

/**
 * Reads a config file (YAML 1.2 or JSON). Pure. `conventions` is a preset that replaces the file's, as flags do; single overrides
 * of the file stay.
 * @throws Failure configInvalid with every problem as `file:line:column` and dotted path; usage when `conventions` is no preset
 */
export function parseConfigFile(
  text: string,
  options: { readonly file: string; readonly conventions?: string | undefined },
): ConfigFile {
  return buildConfigFile(parseDocument(text, options).data)
}

/** The file of `dcalab bots create` and `update`: the same file, whose config may also name the bot and its owner. */
export interface BotFile {
  readonly config: DcaSpotConfig
  /** `exchange/BASE-QUOTE` when the config names all three, else null. */
  readonly market: string | null
  readonly name: string | null
  readonly userEmail: string | null
}

/** @throws Failure configInvalid as above, and for `isDemo: false`: only demo bots are made from files */
export function parseBotFile(text: string, { file }: { readonly file: string }): BotFile {
  const { document, data } = parseDocument(text, { file })
  const { name, userEmail, isDemo } = data.config
  if (isDemo === false) {
    const offset = document.offsetOf(['config', 'isDemo'], 'value')
    const problem = {
      offset,
      message: 'config.isDemo: expected true or nothing; real bots are neither made nor changed here',
    }
    throw new Failure('configInvalid', `${file} asks for a real bot`, { problems: placeProblems(document, [problem]) })
  }
  const { config, market } = buildConfigFile(data)
  return { config, market, name: name ?? null, userEmail: userEmail ?? null }
}

function parseDocument(text: string, options: { readonly file: string; readonly conventions?: string | undefined }) {
  const { file, conventions: preset } = options
  if (preset !== undefined && !Object.hasOwn(CONVENTION_PRESETS, preset)) {
    throw new Failure(
      'usage',
      `--conventions: expected one of ${Object.keys(CONVENTION_PRESETS).join(', ')}, found "${preset}"`,
    )
  }
  const document = readSourceDocument(text, file)
  const value = preset === undefined ? document.value : withPreset(document.value, preset)
  const subject = `${file} is not a valid config`
  return { document, data: decodeDocument(document, { schema: configFileSchema, words: WORDS, subject, value }) }
}

function buildConfigFile({
  config,
  conventions,
  costs,
  symbol,
  period,
  interval,
}: z.output<typeof configFileSchema>): ConfigFile {
  const { exchange, baseAsset, quoteAsset } = config
  const isNamed = exchange !== undefined && baseAsset !== undefined && quoteAsset !== undefined
  return {
    config: forEachField((field) => config[field]),
    conventions: conventions ?? CONVENTION_PRESETS.default,
    costs,
    symbol: symbol ?? null,
    period: period ?? null,
    interval: interval ?? null,
    market: isNamed ? marketName({ exchange, baseAsset, quoteAsset }) : null,
  }
}

/** The file's value with its preset replaced and its overrides kept. */
function withPreset(value: unknown, preset: string): unknown {
  if (typeof value !== 'object' || value === null) return value
  const given = valueAt(value, ['conventions'])
  const overrides = typeof given === 'object' && given !== null && !Array.isArray(given) ? given : {}
  return Object.assign(Object.create(null), value, { conventions: { ...overrides, preset } })
}
