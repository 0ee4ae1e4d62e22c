/** R1, R2: 100 simulated days of storms, half of what CI runs (two files, so that two cores share them). */
import { it } from 'vitest'
import { storm } from './storm.ts'

it('no trial is paid for twice and no finished result is lost in 100 days', { timeout: 900_000 }, () =>
  storm({ from: 1000, days: 100 }),
)
