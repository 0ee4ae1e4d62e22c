/** R1, R2 at length: 1,000 of the 2,000 days of `npm run test:reliability` (two files, so that two cores share them). */
import { it } from 'vitest'
import { storm } from './storm.ts'

it('no trial is paid for twice and no finished result is lost in 1,000 days', () =>
  storm({ from: 20_000, days: 1_000 }))
