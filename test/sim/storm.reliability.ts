/** R1, R2 at length: `npm run test:reliability`. */
import { it } from 'vitest'
import { storm } from './storm.ts'

it('no trial is paid for twice and no finished result is lost in 2,000 days', () =>
  storm({ from: 10_000, days: 2_000 }))
