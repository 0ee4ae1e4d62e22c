import { it } from 'vitest'
import { shareTheKey } from './foreign.ts'

it('another client of the key, in 600 worlds: no trial fails, and a full service is left alone', () => shareTheKey(600))
