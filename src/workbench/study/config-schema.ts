/** The fields of a DCA_SPOT configuration as files write them: bounds from the contract, descriptions for editors. */
import { z } from 'zod'
import { CONFIG, CONFIG_BOUNDS, type ConfigField, findBoundProblem } from '../../contract/bot.ts'
import { expecting } from './expectation.ts'

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
export function boundKeywords(field: ConfigField): Readonly<Record<string, unknown>> {
  const { above, min, max, integer } = CONFIG_BOUNDS[field]
  return {
    ...(integer ? { type: 'integer' } : {}),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(min === undefined ? {} : { minimum: min }),
    maximum: max,
  }
}
