import { fateAtEveryRequest } from './every-fate.ts'

fateAtEveryRequest({ trials: 12, every: 1 })
