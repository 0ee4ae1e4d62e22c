import { it } from 'vitest'
import { share } from '../../support/share.ts'
import { shareTheKey } from './foreign.ts'

const worlds = share({ usual: 6, long: 600 })

it(`another client of the key, in ${worlds} worlds: no trial fails, and a full service is left alone`, () =>
  shareTheKey(worlds))
