/** R1, R2: half of the simulated days of storms, 1 in every run and 2,000 at length (two files, so that two cores share them). */
import { it } from 'vitest'
import { inWords, isLong } from '../support/share.ts'
import { storm } from './storm.ts'

const some = { from: 20_000, days: 1_000 }

it.runIf(isLong)(`no trial is paid for twice and no finished result is lost in ${inWords(some.days)} days`, () =>
  storm(some),
)
