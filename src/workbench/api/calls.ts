/**
 * The calls to a service, one typed function per documented operation. Reads come back as `ReadOutcome`, writes as `PostOutcome`.
 * The scheduler takes `JobOperations`, promotion takes `BotOperations`, and neither can do more. `client.ts` makes them.
 */
import type { JobRequestBody } from '../../contract/bodies.ts'
import type { DemoBotPayload } from '../../contract/bot.ts'
import type { PostOutcome, ReadOutcome } from './outcome.ts'
import type { ProbeReading, ReadEndpoint } from './reading/probe.ts'
import type {
  BotReading,
  BotReply,
  ExecutionReading,
  JobReading,
  LimitsReading,
  OrderReading,
  Page,
  PnlReading,
  SymbolReading,
  ValidationReading,
} from './reading/readings.ts'
import type { CallOptions } from './wire/gate.ts'
import type { ProvenDemoBot } from './wire/send.ts'

export interface ServiceIdentity {
  /** `embedded:<service id>` for our own service on this machine, else origin # SHA-256 of the API key. */
  readonly identity: string
  /** Our embedded service: results are simulated. */
  readonly simulated: boolean
  readonly origin: string
  readonly limits: LimitsReading
}

export interface JobListOptions extends CallOptions {
  /** Jobs per page; the service may give fewer. */
  readonly limit?: number
  /** Jobs changed at or after this time, ms UTC. */
  readonly since?: number | undefined
  /** `next` of the previous page; `limit` and `since` are then not sent again. */
  readonly next?: string | undefined
}

export interface JobOperations {
  identify(options?: CallOptions): Promise<ReadOutcome<ServiceIdentity>>
  limits(options?: CallOptions): Promise<ReadOutcome<LimitsReading>>
  /** One page, newest first. */
  listJobs(options?: JobListOptions): Promise<ReadOutcome<Page<JobReading>>>
  readJob(id: string, options?: CallOptions): Promise<ReadOutcome<JobReading>>
  createJob(request: JobRequestBody, options?: CallOptions): Promise<PostOutcome<JobReading>>
  /** What a kept reply says of its job by the present dialect, without a request; null = it cannot be read. */
  rereadJob(text: string): JobReading | null
  /** A job that is already gone is `rejected` with status 404. */
  deleteJob(id: string, options?: CallOptions): Promise<PostOutcome<{ readonly id: string }>>
}

export interface BotOperations {
  identify(options?: CallOptions): Promise<ReadOutcome<ServiceIdentity>>
  /** One page of the account's bots. */
  listBots(
    userEmail: string,
    options?: CallOptions & { readonly next?: string },
  ): Promise<ReadOutcome<Page<BotReading>>>
  readBot(id: string, options?: CallOptions): Promise<ReadOutcome<BotReading>>
  /** An invalid payload may also come back as `rejected`. */
  validateBot(payload: DemoBotPayload, options?: CallOptions): Promise<PostOutcome<ValidationReading>>
  createBot(payload: DemoBotPayload, options?: CallOptions): Promise<PostOutcome<BotReading>>
}

/** A bot that was just read back; it has a `proof` only when it is a demo. */
interface DemoCheck {
  readonly bot: BotReading
  /** null when the service's text does not say clearly that it is a demo bot. */
  readonly proof: ProvenDemoBot | null
}

/**
 * What changes a bot. Starting, updating and selling take the proof that the bot was read back as a demo at most five seconds
 * ago; with an older proof the call ends as `notSent` with `stale`. Stopping needs none, because it trades nothing.
 */
export interface BotControls {
  proveDemo(id: string, options?: CallOptions): Promise<ReadOutcome<DemoCheck>>
  startBot(proof: ProvenDemoBot, options?: CallOptions): Promise<PostOutcome<BotReply>>
  updateBot(proof: ProvenDemoBot, payload: DemoBotPayload, options?: CallOptions): Promise<PostOutcome<BotReply>>
  /** Cancels its orders and keeps what it holds. */
  stopBot(id: string, options?: CallOptions): Promise<PostOutcome<BotReply>>
  /** Stops it and sells its position at the market price. */
  closeBot(proof: ProvenDemoBot, options?: CallOptions): Promise<PostOutcome<BotReply>>
}

interface ActivityListOptions extends CallOptions {
  /** Items per page; the service may give fewer. */
  readonly limit?: number
  /** `next` of the previous page; the other options are then not sent again. */
  readonly next?: string
}

export interface ActivityOperations {
  /** One page, newest first. `since`: executed at or after it, ms UTC. */
  listExecutions(
    id: string,
    options?: ActivityListOptions & { readonly since?: number },
  ): Promise<ReadOutcome<Page<ExecutionReading>>>
  /** One page, newest first. */
  listOrders(
    id: string,
    options?: ActivityListOptions & { readonly state?: 'open' | 'filled' | 'cancelled' },
  ): Promise<ReadOutcome<Page<OrderReading>>>
  readPnl(id: string, options?: CallOptions): Promise<ReadOutcome<PnlReading>>
}

/** Calls one read endpoint and reports how its body was understood. Only GET requests are possible. */
interface ProbeOperations {
  probe(
    endpoint: ReadEndpoint,
    options?: CallOptions & { readonly parameter?: string; readonly query?: Readonly<Record<string, string>> },
  ): Promise<ReadOutcome<ProbeReading>>
}

interface MarketOperations {
  listSymbols(
    request: { readonly exchange: string; readonly quote?: string | undefined },
    options?: CallOptions,
  ): Promise<ReadOutcome<readonly SymbolReading[]>>
}

export interface Client
  extends JobOperations,
    BotOperations,
    BotControls,
    ActivityOperations,
    MarketOperations,
    ProbeOperations {}
