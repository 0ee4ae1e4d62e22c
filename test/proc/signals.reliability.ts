/** R13 at length: `npm run test:reliability`. */
import { it } from 'vitest'
import { interruptMany } from './signals.ts'

it('200 signals at random moments: no submission after one, an end within 11 s, the right exit code', () =>
  interruptMany(200, 1_300))
