/** What an exercise needs to know of a service, and what it finds out. */
import type { EndpointName, Scope } from '../../src/contract/endpoints.ts'
import type { Pair } from './exercise-asker.ts'

export interface ExerciseKeys {
  /** All three scopes. */
  readonly all: Pair
  /** What else there is; a question that needs an absent pair is not asked. */
  readonly only?: Readonly<Record<Scope, Pair>>
  readonly revoked?: Pair
  /** Bound to other addresses than ours. */
  readonly elsewhere?: Pair
  /** Of an account of its own; its rate and its allowance are used up. */
  readonly spendable?: Pair
}

export interface ExerciseOptions {
  /** Default true: nothing but GET is sent. */
  readonly readOnly?: boolean
  /** Awaited before every request that the rate counts. */
  readonly pace: () => Promise<void>
  readonly userEmail: string
  /** A market of the service and a period of its candles. */
  readonly exchange: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly from: string
  readonly to: string
}

export interface Finding {
  readonly endpoint: EndpointName
  readonly question: string
  /** Whose answer it is: the document's, or the one of ours with this number. */
  readonly basis: 'document' | `A-${number}`
  readonly expected: string
  readonly found: string
  readonly holds: boolean
}
