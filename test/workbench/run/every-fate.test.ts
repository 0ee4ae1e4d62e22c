/** H2: one job per trial and every result at home, whichever request meets which fate. The long run looks at every single one. */
import { fateAtEveryRequest } from './every-fate.ts'

fateAtEveryRequest({ trials: 4, every: 4 })
