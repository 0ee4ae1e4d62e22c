/** How a study file says what is kept aside of its period. */
import { z } from 'zod'
import { describe } from './describe.ts'
import { expecting } from './expectation.ts'
import { notBuiltYet } from './not-built.ts'
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
    description: `The newest part of the period, which nothing of this study looks at before it is opened: ${HOLDOUT_FORMS}`,
  })

const embargoSchema = z
  .string(expecting('days (3d)'))
  .default('0d')
  .transform((text, context) => {
    const read = readDays(text)
    if (read !== undefined) return read
    context.addIssue({ code: 'custom', message: `expected days (3d), found ${describe(text)}` })
    return z.NEVER
  })
  .meta({ description: 'Days before the hold-out that are left out of everything; default 0d' })

export const validateSchema = z
  .strictObject(
    { holdout: holdoutSchema, embargo: embargoSchema, walkForward: notBuiltYet('walk-forward validation') },
    expecting('a mapping { holdout, embargo }'),
  )
  .optional()
  .meta({ description: 'What is kept aside to test the winner on' })
