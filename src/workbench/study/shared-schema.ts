/** Parts that a study file and a config file have in common. */
import * as z from 'zod'
import { findMarket } from '../../contract/market.ts'
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
import { expecting } from './expectation.ts'
import { describe } from './path.ts'
import { readInstant } from './spans.ts'

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
  return z
    .number(expecting(`a percentage from 0 to below ${COST_BELOW}`))
    .refine(isCostPercent, {
      error: ({ input }) => `expected a percentage from 0 to below ${COST_BELOW}, found ${String(input)}`,
    })
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
