/** How a study file says by which method its grid is searched. */
import { z } from 'zod'
import { expecting } from './expectation.ts'
import { METHOD_NAMES, SEARCH_METHODS } from './study.ts'

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

export const searchSchema = z
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
