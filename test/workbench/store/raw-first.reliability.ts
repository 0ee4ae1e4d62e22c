/** H21, H22: the long run. */
import { it } from 'vitest'
import { holdMutants } from './raw-first.ts'

it('10,000 mutated replies are kept byte for byte, and what is derived is finite or explained', () =>
  holdMutants(10_000))
