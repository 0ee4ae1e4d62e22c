/** H21, H22 */
import { it } from 'vitest'
import { share } from '../../support/share.ts'
import { holdMutants } from './raw-first.ts'

it('a reply with anything wrong in it is kept byte for byte, and what is derived from it is finite or explained', () =>
  holdMutants(share({ usual: 150, long: 10_000 })))
