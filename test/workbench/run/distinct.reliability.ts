import { it } from 'vitest'
import { payOnce } from './distinct.ts'

it('10,000 grids that overlap: each different configuration is paid for once', () => payOnce(5_000))
