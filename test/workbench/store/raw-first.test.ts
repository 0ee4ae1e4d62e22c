/** H21, H22: the share of every run; 10,000 are in the long one. */
import { it } from 'vitest'
import { holdMutants } from './raw-first.ts'

it('a reply with anything wrong in it is kept byte for byte, and what is derived from it is finite or explained', () =>
  holdMutants(1_000))
