/** H45, the long run: 20,000 sequences of what may and may not happen to submissions. */
import { it } from 'vitest'
import { holdSequences } from './attempt-model.ts'

it('20,000 sequences of submissions, outcomes and forbidden moves', () => holdSequences(20_000), 3_600_000)
