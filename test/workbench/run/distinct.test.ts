import { it } from 'vitest'
import { payOnce } from './distinct.ts'

it('12 grids that overlap: each different configuration is paid for once', () => payOnce(6))
