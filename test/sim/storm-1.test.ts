/** R1, R2: half of the simulated days of storms, half a one in every run (here) and 2,000 at length (two files, so that two cores share them). */
import { it } from 'vitest'
import { inWords, share } from '../support/share.ts'
import { storm } from './storm.ts'

const some = share({ usual: { from: 3000, days: 0.5 }, long: { from: 10_000, days: 1_000 } })

it(`no trial is paid for twice and no finished result is lost in ${inWords(some.days)} days`, () => storm(some))
