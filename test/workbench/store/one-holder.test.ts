import { it } from 'vitest'
import { reachAtOnce } from './one-holder.ts'

it('of 8 processes that reach for the same key at once exactly one gets it, 50 times', () => reachAtOnce(50))
