/** How a study file says what is kept aside of its period, and how its choice is tested on the rest. */
import { z } from 'zod'
import { describe } from './describe.ts'
import { expecting } from './expectation.ts'
import { HOLDOUT_FORMS, readDays, readHoldout } from './spans.ts'

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

const embargoSchema = daysSchema('days (3d)', { leastMs: 0 })
  .prefault('0d')
  .meta({ description: 'Days before the hold-out and before every test that are left out of everything; default 0d' })

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

export const validateSchema = z
  .strictObject(
    { holdout: holdoutSchema, embargo: embargoSchema, walkForward: walkForwardSchema },
    expecting('a mapping { holdout, embargo, walkForward }'),
  )
  .optional()
  .meta({ description: 'The hold-out to test the winner on, and walk-forward tests before it' })
