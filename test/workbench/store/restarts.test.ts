import { it } from 'vitest'
import { COUNTER_KINDS, type CounterKind } from '../../sim/counters.ts'
import { inWords, share } from '../../support/share.ts'
import { restartMany } from './restarts.ts'

interface Restarts {
  readonly restarts: number
  readonly kinds: readonly CounterKind[]
  readonly before: string
}

const { restarts, kinds, before } = share<Restarts>({
  usual: { restarts: 12, kinds: ['sliding', 'fixed'], before: 'a service that slides and one of fixed minutes' },
  long: { restarts: 1000, kinds: COUNTER_KINDS, before: 'every kind of service' },
})

it(`${inWords(restarts)} restarts under full load, before ${before}, exceed no minute`, () =>
  restartMany(restarts, kinds))
