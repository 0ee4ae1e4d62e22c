/** The fields of a DCA_SPOT configuration as files write them: bounds from the contract, descriptions for editors. */
import { z } from 'zod'
import { CONFIG_BOUNDS, CONFIG_FIELDS, type ConfigField, findBoundProblem } from '../../contract/bot.ts'
import { expecting } from './expectation.ts'

export const FIELD_DESCRIPTIONS: Readonly<Record<ConfigField, string>> = {
  investment: 'The bot’s capital in quote currency: the cash it starts with and the denominator of ROI',
  leverage: 'Always 1: the strategy is spot',
  dcaTotalBudget: 'Hard cap on the quote spent in one deal, fees included',
  dcaInitialOrderSize: 'Quote size of the base order',
  dcaMaxSafetyOrders: 'How many safety orders rest below the base order (0 to 100)',
  dcaPriceScalePercent: 'Step from the base order to the first safety order, in percent',
  dcaVolumeScale: 'Each safety order is this many times the size of the one before',
  dcaPriceStepMultiplier: 'Each further step is this many times the step before',
  takeProfit: 'Percent above the average price at which the whole position is sold',
  stopLoss: 'Percent below the base order at which the whole position is sold; 0 = none',
}

/** One number within the contract's bounds. */
export function configNumber(field: ConfigField) {
  return z
    .number(expecting('a number'))
    .superRefine((value, context) => {
      const message = findBoundProblem(field, value)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    })
    .meta({ description: FIELD_DESCRIPTIONS[field], ...boundKeywords(field) })
}

/** The contract's bounds in the words of JSON Schema. */
export function boundKeywords(field: ConfigField): Readonly<Record<string, unknown>> {
  const { above, min, max, integer } = CONFIG_BOUNDS[field]
  return {
    ...(integer ? { type: 'integer' } : {}),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(min === undefined ? {} : { minimum: min }),
    maximum: max,
  }
}

/** `make` for every config field, in their order. */
export function forEachField<T>(make: (field: ConfigField) => T): Record<ConfigField, T> {
  return Object.fromEntries(CONFIG_FIELDS.map((field) => [field, make(field)])) as Record<ConfigField, T> // one entry per field
}

/** What a field is when neither base nor grid names it; the others have no default. */
export const CONFIG_DEFAULTS: Readonly<Partial<Record<ConfigField, number>>> = { leverage: 1, stopLoss: 0 }
