import { it } from 'vitest'
import { inWords, share } from '../../support/share.ts'
import { payOnce } from './distinct.ts'

const pairs = share({ usual: 3, long: 5_000 })

it(`${inWords(2 * pairs)} grids that overlap: each different configuration is paid for once`, () => payOnce(pairs))
