/** Schemas of what a job or a bot is computed with, as bodies state it and as a job may ask for it. */
import { z } from 'zod'
import type { CostsBody, JobSettingsBody, SymbolRulesBody } from '../../contract/bodies.ts'
import { CONVENTION_VALUES, forEachChoice, SAFETY_ORDER_SIZE } from '../../engine/conventions.ts'
import { COST_BELOW } from '../../engine/read-settings.ts'
import { maybe, number } from './field-schemas.ts'

const above0 = maybe(number.gt(0))
const costPercent = number.min(0).lt(COST_BELOW)

export const conventions = z.strictObject({
  ...forEachChoice((name) => z.enum(CONVENTION_VALUES[name])),
  safetyOrderSize: maybe(number.gt(SAFETY_ORDER_SIZE.above)),
})

export const costs = z.strictObject({
  feePercent: costPercent,
  slippagePercent: costPercent,
}) satisfies z.ZodType<CostsBody>

export const symbolRules = z.strictObject({
  tick: above0,
  lot: above0,
  minNotional: maybe(number.min(0)),
}) satisfies z.ZodType<SymbolRulesBody>

const note =
  'An extension of this service, ignored where it is served undisclosed; an absent part is the service’s own.'

/** In a body: what is asked. In a job: what is in force. */
export const settings = z
  .strictObject({
    conventions: conventions.exactOptional(),
    costs: costs.exactOptional(),
    symbol: symbolRules.exactOptional(),
  })
  .describe(note) satisfies z.ZodType<JobSettingsBody>
