/** What a scripted service is told to do, and what it writes into its book. */
import type { JobRequestBody } from '../../../src/contract/bodies.ts'
import type { System } from '../../../src/system.ts'
import type { ReadOutcome, RefusedCode } from '../../../src/workbench/api/outcome.ts'
import type { JobReading, JobReadingState, Page } from '../../../src/workbench/api/reading/readings.ts'

/** What becomes of one submission. */
export type Fate =
  | 'ok'
  /** Accepted, but the answer is lost. */
  | 'answerLost'
  /** Lost before it arrived; the client cannot know. */
  | 'requestLost'
  /** Delivered twice by something on the way. */
  | 'delivered twice'
  | 'notSent'
  /** Makes no job: answered with the job of that number (from 0) that it has already. */
  | { readonly answeredWith: number }
  | { readonly arrivesLate: number }
  | { readonly rejected: string }
  | { readonly refused: RefusedCode; readonly status: number }

export interface Script {
  readonly system: System
  /** Fate of submission n (from 0); default ok. */
  readonly fate?: (n: number, request: JobRequestBody) => Fate
  readonly allowance?: number
  readonly windowMs?: number
  /** How long a job takes. */
  readonly durationMs?: number
  readonly identity?: string
  /** Answer to every read, instead of the truth. */
  readonly readFailure?: () => Exclude<ReadOutcome<never>, { kind: 'ok' }> | undefined
  /** Called before and after every request: throws to end the program there. */
  readonly onRequest?: (when: 'before' | 'after') => void
  readonly pageSize?: number
  /** Services may keep quiet about names, or about everything that was asked. */
  readonly echoes?: 'all' | 'request' | 'nothing'
  /** The list leaves results out. */
  readonly bareList?: boolean
  readonly state?: (job: BookedJob) => JobReadingState | undefined
  readonly feePercent?: number
  /** Of a job's result, asked at each reply: a service may compute it again. Default: its take profit. */
  readonly netProfit?: (job: BookedJob) => number | undefined
  /** What the service says that the key may do; null = it does not say. Default: submit backtests. */
  readonly scopes?: readonly string[] | null
  /** What a page of the list says otherwise. */
  readonly page?: (page: Page<JobReading>) => Page<JobReading>
  /** Left out of the list, as by a replica that lags behind; reading by id still finds it. */
  readonly hidden?: (job: BookedJob) => boolean
}

export interface BookedJob {
  readonly id: string
  readonly request: JobRequestBody
  readonly createdAt: number
  deleted: boolean
}
