/** The schema of a study: its structure, and every check of one part that needs no other part. */
import * as z from 'zod'
import { CONFIG, CONFIG_BOUNDS, type ConfigField, findBoundProblem, forEachField } from '../../contract/bot.ts'
import { findMarket, INTERVAL_NAMES, marketName } from '../../contract/market.ts'
import { LEAST_IN_DEAL_PERCENT, METRIC_NAMES } from '../../contract/metrics.ts'
import {
  CHOICES,
  CONVENTION_VALUES,
  DEFAULT_COSTS,
  forEachChoice,
  PRESET_NAMES,
  SAFETY_ORDER_SIZE,
} from '../../engine/conventions.ts'
import { resolveConventions } from '../../engine/read-conventions.ts'
import { COST_BELOW, isCostPercent } from '../../engine/read-settings.ts'
import { readAxis } from './axis.ts'
import { describe } from './path.ts'
import { expecting } from './problems.ts'
import { readDays, readHoldout, readInstant } from './spans.ts'
import { METHOD_NAMES, REDUCERS, SEARCH_METHODS, SHAPE_MEASURES, type ShapeMeasure } from './study.ts'

// Parts that a study file and a config file have in common.

function asset(description: string) {
  return z
    .string(expecting('a ticker (in quotes when it looks like a number, true or null)'))
    .refine((name) => findMarket(`a/${name}-A`) !== undefined, {
      error: ({ input }) => `expected a ticker in capitals and digits, such as BTC; found ${describe(input)}`,
    })
    .meta({ description })
}

/** The three parts of a market, each checked by the grammar of market names. */
export const marketParts = {
  exchange: z
    .string(expecting('the name of an exchange (in quotes when it looks like a number, true or null)'))
    .refine((name) => findMarket(`${name}/A-A`) !== undefined, {
      error: ({ input }) => `expected an exchange in lower case, such as binance; found ${describe(input)}`,
    })
    .meta({ description: 'Lower case, as in the candle folder: binance' }),
  baseAsset: asset('What is bought and sold: BTC'),
  quoteAsset: asset('What it is paid with: USDT'),
}

const instant = z
  .string(expecting('a date (2021-04-21) or an instant (2021-04-21T06:30:00Z)'))
  .transform((text, context) => {
    const read = readInstant(text)
    if ('ms' in read) return read.ms
    context.addIssue({ code: 'custom', message: `expected ${read.expected}, found ${describe(text)}` })
    return z.NEVER
  })

export const periodSchema = z
  .strictObject(
    {
      from: instant.meta({
        description: 'The first candle opens at or after this: a date (00:00Z) or an instant with Z or an offset',
      }),
      to: instant.meta({ description: 'Every candle opens before this' }),
    },
    expecting('a mapping { from, to }'),
  )
  .superRefine(({ from, to }, context) => {
    if (from < to) return
    const message = `expected an instant after from (${new Date(from).toISOString()}), found ${new Date(to).toISOString()}`
    context.addIssue({ code: 'custom', path: ['to'], message })
  })
  .meta({ description: 'Which candles: from ≤ open time < to' })

function costPercent(description: string, standard: number) {
  const wanted = `a number of percent from 0 to below ${COST_BELOW}, such as 0.1`
  return z
    .number(expecting(wanted))
    .refine(isCostPercent, { error: ({ input }) => `expected ${wanted}, found ${String(input)}` })
    .default(standard)
    .meta({ description, minimum: 0, exclusiveMaximum: COST_BELOW })
}

export const costsSchema = z
  .strictObject(
    {
      feePercent: costPercent('Fee of every fill, in percent of its quote', DEFAULT_COSTS.feePercent),
      slippagePercent: costPercent('How much worse market orders fill, in percent', DEFAULT_COSTS.slippagePercent),
    },
    expecting('a mapping { feePercent, slippagePercent }'),
  )
  .meta({ description: 'What trading costs, on the local engine and on a service of ours' })

const preset = z.enum(PRESET_NAMES).meta({ description: 'A set of conventions under one name' })

const conventionOverrides = forEachChoice((name) =>
  z.enum(CONVENTION_VALUES[name]).optional().meta({ description: CHOICES[name].question }),
)

/** Checked together with the other conventions, so that all problems are reported at once. */
function judgeSize(input: { readonly safetyOrderSize?: unknown }, context: z.RefinementCtx): void {
  const { safetyOrderSize: size } = input
  if (size !== undefined && size !== null && !Number.isFinite(size)) return // its own schema reports this
  const resolved = resolveConventions(input)
  const problem = 'problems' in resolved ? resolved.problems.find(({ path }) => path === 'safetyOrderSize') : undefined
  if (problem !== undefined) context.addIssue({ code: 'custom', path: [problem.path], message: problem.message })
}

export const conventionsSchema = z
  .union(
    [
      preset,
      z
        .strictObject({
          preset: preset.optional(),
          ...conventionOverrides,
          safetyOrderSize: z.number().nullable().optional().meta({ description: SAFETY_ORDER_SIZE.question }),
        })
        .superRefine(judgeSize, { when: ({ value }) => typeof value === 'object' && value !== null }),
    ],
    expecting(`a preset (${PRESET_NAMES.join(', ')}) or a mapping { preset, …overrides }`),
  )
  .transform((input, context) => {
    const resolved = resolveConventions(input)
    if ('conventions' in resolved) return resolved.conventions
    for (const { path, message } of resolved.problems) {
      context.addIssue({ code: 'custom', path: path === '' ? [] : path.split('.'), message })
    }
    return z.NEVER
  })
  .meta({
    description:
      'How the local engine and a service of ours read what platforms disagree on: a preset, or a preset with overrides',
  })

// The fields of a DCA_SPOT configuration as files write them: bounds from the contract, descriptions for editors.

/** One number within the contract's bounds. */
export function configNumber(field: ConfigField) {
  return z
    .number(expecting('a number'))
    .superRefine((value, context) => {
      const message = findBoundProblem(field, value)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .meta({ description: CONFIG[field].says, ...boundKeywords(field) })
}

/** The contract's bounds as keywords of JSON Schema. */
function boundKeywords(field: ConfigField): Readonly<Record<string, unknown>> {
  const { above, min, max, integer } = CONFIG_BOUNDS[field]
  return {
    ...(integer ? { type: 'integer' } : {}),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(min === undefined ? {} : { minimum: min }),
    maximum: max,
  }
}

// How a study file says by which method its grid is searched.

/** More are screened locally, not paid for. */
const MOST_CONFIGS = 10_000

function count(description: string, { from, to }: { readonly from: number; readonly to: number }) {
  const expected = `a whole number from ${from} to ${to}`
  return z
    .number(expecting(expected))
    .refine((value) => Number.isInteger(value) && value >= from && value <= to, {
      error: ({ input }) => `expected ${expected}, found ${String(input)}`,
    })
    .optional()
    .meta({ description, type: 'integer', minimum: from, maximum: to })
}

const searchSchema = z
  .strictObject(
    {
      method: z
        .enum(METHOD_NAMES)
        .default('grid')
        .meta({
          description: METHOD_NAMES.map((name) => `${name}: ${SEARCH_METHODS[name].what}`).join('. '),
        }),
      configs: count('Configurations sent at most; default 40. Not for grid', {
        from: 1,
        to: MOST_CONFIGS,
      }),
      samples: count('screen: control configurations among them, spread over the grid; default 8', {
        from: 0,
        to: MOST_CONFIGS,
      }),
      calibrate: z
        .enum(['auto', 'off'])
        .optional()
        .meta({ description: 'screen: whether a service that does not state its conventions is calibrated first' }),
      seed: count('Seed of the drawn points; default 1', { from: 0, to: 2 ** 32 - 1 }),
    },
    expecting('a mapping { method: screen, configs: 40 }'),
  )
  .meta({ description: 'How the grid is searched' })

// How a study file says what is kept aside of its period, and how its choice is tested on the rest.

const HOLDOUT_FORMS = 'a share of the period (25%), days (30d) or a date (2025-07-01)'

const holdoutSchema = z
  .string(expecting(HOLDOUT_FORMS))
  .transform((text, context) => {
    const read = readHoldout(text)
    if (read !== undefined) return read
    context.addIssue({ code: 'custom', message: `expected ${HOLDOUT_FORMS}, found ${describe(text)}` })
    return z.NEVER
  })
  .optional()
  .meta({
    description: `The newest part of the period, unused before its one test: ${HOLDOUT_FORMS}`,
  })

/** Days as ms. @param form what is expected, in words */
function daysSchema(form: string, { leastMs }: { readonly leastMs: number }) {
  return z.string(expecting(form)).transform((text, context) => {
    const read = readDays(text)
    if (read !== undefined && read >= leastMs) return read
    context.addIssue({ code: 'custom', message: `expected ${form}, found ${describe(text)}` })
    return z.NEVER
  })
}

const embargoSchema = daysSchema('days (3d)', { leastMs: 0 }).prefault('0d').meta({
  description: 'Days left out before the hold-out and before each test window; default 0d',
})

const lengthSchema = daysSchema('days (30d), one at least', { leastMs: 1 })

const walkForwardSchema = z
  .strictObject(
    {
      train: lengthSchema.meta({ description: 'Days that a configuration is chosen on' }),
      test: lengthSchema.meta({
        description: 'Days after them that it is tested on; each window starts this much later',
      }),
      anchored: z
        .boolean()
        .default(false)
        .meta({ description: 'Every in-sample period starts on the first day, so each is longer' }),
    },
    expecting('a mapping { train, test, anchored }'),
  )
  .optional()
  .meta({
    description:
      'Chooses on one period and tests on the next, repeatedly before the hold-out; local and free, in whole UTC days',
  })

const validateSchema = z
  .strictObject(
    { holdout: holdoutSchema, embargo: embargoSchema, walkForward: walkForwardSchema },
    expecting('a mapping { holdout, embargo, walkForward }'),
  )
  .optional()
  .meta({ description: 'The hold-out to test the winner on, and walk-forward tests before it' })

/** Windows reserves these names for devices, also in front of `.html`: a report with such a name could not be written there. */
const RESERVED_NAMES = /^(con|prn|aux|nul|com[0-9]|lpt[0-9])$/

export const studyNameSchema = z
  .string(expecting('a name of a-z, 0-9 and dashes (in quotes when it looks like a number)'))
  .refine((name) => /^[a-z0-9][a-z0-9-]{0,63}$/.test(name) && !RESERVED_NAMES.test(name), {
    error: ({ input }) =>
      `expected 1 to 64 of a-z, 0-9 and dashes, no dash first, no reserved name such as con; found ${describe(input)}`,
  })
  .meta({ description: 'a-z, 0-9 and dashes; also the report’s file name', pattern: '^[a-z0-9][a-z0-9-]{0,63}$' })

const market = z.strictObject(marketParts, expecting('a mapping { exchange, baseAsset, quoteAsset }'))

const marketSchema = market.optional().meta({ description: 'The market to backtest on; or several in markets' })

const marketsSchema = z
  .array(market, expecting('a list of { exchange, baseAsset, quoteAsset }'))
  .superRefine((markets, context) => {
    if (markets.length === 0) context.addIssue({ code: 'custom', message: 'expected at least one market, found none' })
    markets.forEach((one, at) => {
      const isRepeated = markets.findIndex((other) => marketName(other) === marketName(one)) < at
      const message = `expected each market once, found ${marketName(one)} again`
      if (isRepeated) context.addIssue({ code: 'custom', path: [at], message })
    })
  })
  .optional()
  .meta({ description: 'Several markets: every configuration is tried on each, one job for each', minItems: 1 })

const rangeSchema = z
  .strictObject(
    {
      from: z.number().meta({ description: 'First value' }),
      to: z.number().meta({ description: 'Last value' }),
      step: z.number().optional().meta({ description: 'Distance between values; must reach `to` exactly' }),
      count: z
        .number()
        .optional()
        .meta({ description: 'How many values, ends included; computed to 12 significant digits' }),
      scale: z.enum(['linear', 'log']).optional().meta({ description: 'With count: equal distances or equal ratios' }),
    },
    expecting('a mapping { from, to, step }, { from, to, count } or, for random and sobol, { from, to }'),
  )
  .meta({ not: { required: ['step', 'count'] } })

const grid = forEachField((field, { says }) =>
  z
    .union(
      [z.array(z.number()).meta({ minItems: 1, items: { type: 'number', ...boundKeywords(field) } }), rangeSchema],
      {
        ...expecting('a list, { from, to, step } or { from, to, count }'),
      },
    )
    .transform((input, context) => {
      const read = readAxis(field, input)
      if ('spec' in read) return read.spec
      for (const { path, message } of read.problems) context.addIssue({ code: 'custom', path: [...path], message })
      return z.NEVER
    })
    .optional()
    .meta({ description: `Varies ${field}. ${says}` }),
)

const bounds = z
  .strictObject(
    { min: z.number().optional(), max: z.number().optional() },
    expecting('bounds { min }, { max } or { min, max }'),
  )
  .superRefine(({ min, max }, context) => {
    if (min === undefined && max === undefined) {
      context.addIssue({ code: 'custom', message: 'expected min, max or both, found neither' })
    } else if (min !== undefined && max !== undefined && min > max) {
      context.addIssue({ code: 'custom', message: `nothing lies between: min ${min} is above max ${max}` })
    }
  })
  .meta({ anyOf: [{ required: ['min'] }, { required: ['max'] }] })

const MEASURE_DESCRIPTIONS: Readonly<Record<ShapeMeasure, string>> = {
  ladderCost: 'Quote that base order and all safety orders cost, fees included',
  ladderDepthPercent: 'How far the deepest safety order is below the base order, in percent',
  safetyOrders: 'Safety orders that are really placed',
  lastToFirstSize: 'Size of the last safety order over that of the base order',
  stopLossToDepth:
    'stopLoss / ladder depth; below 1 the stop loss is above the last safety order. Without stop or ladder it counts as infinite',
}

const where = Object.fromEntries(
  SHAPE_MEASURES.map((measure) => [measure, bounds.meta({ description: MEASURE_DESCRIPTIONS[measure] }).optional()]),
) as Record<ShapeMeasure, z.ZodOptional<typeof bounds>> // one entry per measure

const metric = z.enum(METRIC_NAMES, { error: () => 'the name of a metric (the JSON Schema lists them)' })

const objectiveSchema = z
  .strictObject(
    {
      maximize: metric.optional().meta({ description: 'The metric to make large' }),
      minimize: metric.optional().meta({ description: 'The metric to make small' }),
      where: z
        .partialRecord(metric, bounds)
        .optional()
        .meta({ description: 'Limits on metrics: a trial outside them is not ranked' }),
      across: z
        .strictObject(
          {
            markets: z.enum(REDUCERS).default('median').meta({
              description: 'How values on several markets become one; worst by the objective',
            }),
          },
          expecting('a mapping { markets: median }'),
        )
        .optional()
        .meta({ description: 'How values become one where a configuration has several' }),
      folds: z
        .enum(REDUCERS)
        .optional()
        .meta({ description: 'How the test values of validate.walkForward become one; default mean' }),
    },
    expecting('a mapping { maximize: <metric> } or { minimize: <metric> }'),
  )
  .superRefine(({ maximize, minimize }, context) => {
    if (maximize === 'exposedHoldPercent' || minimize === 'exposedHoldPercent') {
      const message =
        'expected a metric of the bot, found exposedHoldPercent, which ranks by capital used alone; write stressedPerUsed'
      context.addIssue({ code: 'custom', path: [maximize === undefined ? 'minimize' : 'maximize'], message })
    }
    if ((maximize === undefined) !== (minimize === undefined)) return
    const found = maximize === undefined ? 'neither' : 'both'
    context.addIssue({ code: 'custom', message: `expected either maximize or minimize, found ${found}` })
  })
  .meta({
    description: `What makes a trial better; default { maximize: stressedPerUsed, where: { timeInDealPercent: { min: ${LEAST_IN_DEAL_PERCENT} } } }`,
  })

export const studySchema = z
  .strictObject(
    {
      name: studyNameSchema,
      market: marketSchema,
      markets: marketsSchema,
      period: periodSchema,
      interval: z
        .enum(INTERVAL_NAMES)
        .optional()
        .meta({ description: 'Default: the finest stored one that covers the period' }),
      costs: costsSchema.prefault({}),
      validate: validateSchema,
      base: z
        .strictObject(
          forEachField((field) => configNumber(field).optional()),
          expecting('a mapping of config fields'),
        )
        .optional()
        .meta({ description: 'Fields kept at one value, named as in the API document' }),
      grid: z
        .strictObject(grid, expecting('a mapping of config fields to their values'))
        .refine((axes) => Object.keys(axes).length > 0, {
          error: 'expected at least one field to vary, found an empty grid',
        })
        .meta({ description: 'What the study varies; every combination is a point', minProperties: 1 }),
      where: z
        .strictObject(where, expecting('a mapping of measures to bounds'))
        .optional()
        .meta({ description: 'Which combinations of the grid are tried, by their safety orders' }),
      search: searchSchema.optional(),
      objective: objectiveSchema.optional(),
      conventions: conventionsSchema.optional(),
      tried: z
        .int(expecting('a whole number'))
        .min(1, expecting('a number of configurations, 1 or more'))
        .optional()
        .meta({ description: 'Configurations tried by hand before, such as in a report; a verdict counts them' }),
    },
    expecting('a mapping with name, market, period, base and grid'),
  )
  .meta({
    title: 'DCA Lab study',
    description: 'One question about a DCA bot: which market, which candles, which configurations',
    oneOf: [{ required: ['market'] }, { required: ['markets'] }],
  })

export type StudyFields = z.output<typeof studySchema>

/** JSON Schema (draft 7) of study files, for editors. */
export function studyJsonSchema(): object {
  return z.toJSONSchema(studySchema, { io: 'input', target: 'draft-7' })
}
