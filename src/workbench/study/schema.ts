/** The schema of a study: its structure, and every check of one part that needs no other part. */
import { z } from 'zod'
import { forEachField } from '../../contract/bot.ts'
import { INTERVAL_NAMES, marketName } from '../../contract/market.ts'
import { LEAST_IN_DEAL_PERCENT, METRIC_NAMES } from '../../contract/metrics.ts'
import { readAxis } from './axis.ts'
import { boundKeywords, configNumber } from './config-schema.ts'
import { describe } from './describe.ts'
import { expecting } from './expectation.ts'
import { searchSchema } from './search-schema.ts'
import { conventionsSchema, costsSchema, marketParts, periodSchema } from './shared-schema.ts'
import { REDUCERS, SHAPE_MEASURES, type ShapeMeasure } from './study.ts'
import { validateSchema } from './validate-schema.ts'

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
  .meta({ description: 'Several markets: every configuration is tried on each, a job for each', minItems: 1 })

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
  rungs: 'Safety orders that are really placed',
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
        .meta({ description: 'Held constant, names as in the API document' }),
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
