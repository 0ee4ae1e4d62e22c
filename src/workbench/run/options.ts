/** What a run is given, and what it says while it goes on. */
import type { Market } from '../../contract/market.ts'
import type { System } from '../../system.ts'
import type { Warning } from '../analysis/warnings/warnings.ts'
import type { JobOperations } from '../api/calls.ts'
import type { Searching } from '../store/kept-proposals.ts'
import type { Store } from '../store/store.ts'
import type { Rerun } from '../store/studies.ts'
import type { Settings } from '../study/settings.ts'
import type { Study, Trial } from '../study/study.ts'
import type { TrialPart } from './labs.ts'
import type { Progress } from './progress.ts'

export interface RunOptions {
  /** Whose allowance it is, on our embedded service; real services know it by the key. */
  readonly account?: string
  /** The service is on this machine: settle times are short. */
  readonly loopback?: boolean
  /** Sleep until the allowance reopens, and outlast outages, instead of ending. */
  readonly wait?: boolean
  /** Submit at most so many now. */
  readonly limit?: number | undefined
  /** Submit the trials of this part alone; other labs submit the others. Absent = all. */
  readonly part?: TrialPart | undefined
  /** Say what would be submitted; one read of the limits, nothing else. */
  readonly dryRun?: boolean
  /** How long an unanswered submission may still arrive. Default 15 min, 5 s on loopback. */
  readonly settleMs?: number
  /** Stop after so many rejects in a row at the start. Default 3. */
  readonly maxRejects?: number | undefined
  /** Submit again what already has an outcome. */
  readonly rerun?: boolean
  /** Submit again what the service rejected before this run. */
  readonly retryRejected?: boolean
  /** In place of the documented 100 per 24 hours. */
  readonly allowance?: number | undefined
  readonly allowanceWindowMs?: number
  /** Units to leave untouched. */
  readonly reserve?: number | undefined
  /** This machine's clock is right, although submissions in the store are later: they count as made now. */
  readonly trustClock?: boolean
  /** Go on although the first results contradict themselves. */
  readonly anyway?: boolean
  /** An agent asks: so many backtests of agents fit into a window, on all services together. Absent = a person asks. */
  readonly agentBudget?: number
  /** Requests a minute that the client lets out, where they are not the usual 110: for the time that is left. */
  readonly ratePerMinute?: number | undefined
  /** Where the lock of the key lies. Default: beside the store; a folder of the user also catches two stores with one key. */
  readonly lockFolder?: string | undefined
  /** Interrupts: nothing new is sent, what is on its way is recorded. */
  readonly signal?: AbortSignal
  /** Requests that have left this program; absent = those the run asked for, without the gate's own repeats of a failed read. */
  readonly countRequests?: () => number
  /** What a service of ours is asked to compute with on a market. Default: what the study says. */
  readonly settingsOn?: ((market: Market) => Settings) | undefined
  /** Called before results are compared: adds to the study's what its service does not report. */
  readonly complete?: () => Promise<void>
  readonly onProgress?: (event: RunEvent) => void
}

export type RunEvent =
  | (Progress & { readonly kind: 'progress' })
  /** Something a person may want to know, in one sentence. */
  | {
      readonly kind:
        | 'waiting'
        | 'search'
        | 'refused'
        | 'rejected'
        | 'unsure'
        | 'resolved'
        | 'found'
        | 'observed'
        | 'stopped'
      readonly message: string
    }
  | (Pick<Warning, 'code' | 'message'> & { readonly kind: 'warning' })

export interface RunInput {
  readonly system: System
  readonly store: Store
  readonly client: JobOperations
  readonly study: Study
  /** What the study is a rerun of; absent = it is a file's own. */
  readonly rerun?: Rerun
  /** All there are to submit; with a search, what it proposes is. */
  readonly trials: readonly Trial[]
  readonly search?: Searching | undefined
  readonly options?: RunOptions
}
