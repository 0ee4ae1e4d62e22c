import { z } from 'zod'

/** A part of the file that is planned but not built: it is refused with its name and never ignored. */
export function notBuiltYet(what: string) {
  return z
    .unknown()
    .refine((value) => value === undefined, {
      error: `not built yet: ${what}; leave it out (it is never silently ignored)`,
    })
    .optional()
    .meta({ not: {}, description: `Not built yet: ${what}` })
}
