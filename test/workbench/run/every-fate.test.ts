/** H2: one job per trial and every result at home, whichever request meets which fate. The long run looks at every single one. */
import { share } from '../../support/share.ts'
import { fateAtEveryRequest } from './every-fate.ts'

fateAtEveryRequest(share({ usual: { trials: 4, every: 4 }, long: { trials: 12, every: 1 } }))
