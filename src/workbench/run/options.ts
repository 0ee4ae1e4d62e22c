/** What a run is given, and what it says while it goes on. */

import type { System } from '../../system.ts'
import type { Doubt } from '../analysis/doubts/doubts.ts'
import type { JobOperations } from '../api/calls.ts'
import type { Store } from '../store/store.ts'
import type { Settings } from '../study/settings.ts'
import type { Study, Trial } from '../study/study.ts'
import type { Progress } from './progress.ts'

export interface RunOptions {
  /** Whose allowance it is, on our embedded service; real services tell it by the key. */
  readonly account?: string
  /** The service is on this machine: settle times are short. */
  readonly loopback?: boolean
  /** Sleep until the allowance reopens, and outlast outages, instead of ending. */
  readonly wait?: boolean
  /** Submit at most so many now. */
  readonly limit?: number
  /** Say what would be submitted; one read of the limits, nothing else. */
  readonly dryRun?: boolean
  /** How long an unanswered submission may still arrive. Default 15 min, 5 s on loopback. */
  readonly settleMs?: number
  /** Stop after so many rejects in a row at the start. Default 3. */
  readonly maxRejects?: number
  /** Submit again what already has an outcome. */
  readonly rerun?: boolean
  /** In place of the documented 100 per 24 hours. */
  readonly allowance?: number
  readonly allowanceWindowMs?: number
  /** Units to leave untouched. */
  readonly reserve?: number
  /** Requests a minute that the client lets out, where they are not the usual 110: for the time that is left. */
  readonly ratePerMinute?: number
  /** Where the lock of the key lies. Default: beside the store; a folder of the user also catches two stores with one key. */
  readonly lockFolder?: string
  /** Interrupts: nothing new is sent, what is on its way is recorded. */
  readonly signal?: AbortSignal
  /** Requests that have left this program; absent = those the run asked for, without the gate's own repeats of a failed read. */
  readonly countRequests?: () => number
  /** What a service of ours is asked to compute with. Default: what the study says. */
  readonly settings?: Settings
  readonly onProgress?: (event: RunEvent) => void
}

export type RunEvent =
  | (Progress & { readonly kind: 'progress' })
  /** Something a person may want to know, in one sentence. */
  | {
      readonly kind: 'waiting' | 'refused' | 'rejected' | 'unsure' | 'resolved' | 'found' | 'observed' | 'stopped'
      readonly message: string
    }
  | (Pick<Doubt, 'code' | 'message'> & { readonly kind: 'warning' })

export interface RunInput {
  readonly system: System
  readonly store: Store
  readonly client: JobOperations
  readonly study: Study
  readonly trials: readonly Trial[]
  readonly options?: RunOptions
}
