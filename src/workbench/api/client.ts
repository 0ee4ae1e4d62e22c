/** Creates the client: makes the calls of `calls.ts` from an address, keys and a dialect. Its calls throw only when a read is interrupted. */
import type { System } from '../../system.ts'
import { makeBotCalls } from './bot-calls.ts'
import type { Client, ServiceIdentity } from './calls.ts'
import { makeJobCalls } from './job-calls.ts'
import type { ServiceLine } from './line.ts'
import type { Dialect } from './reading/dialect.ts'
import { probeBody, type ReadEndpoint } from './reading/probe.ts'
import { readLimitsBody, readSymbolBody } from './reading/read-account.ts'
import type { LimitsReading } from './reading/readings.ts'
import { saysItFailed } from './reading/spoken-refusal.ts'
import { checkBaseUrl } from './wire/address.ts'
import { Gate, type RateLog } from './wire/gate.ts'
import type { Keys } from './wire/keys.ts'
import type { Operation } from './wire/operations.ts'
import { type HeardReply, hearReply, identityBehind, ownServiceName, type Transport } from './wire/send.ts'
import { type AskedCall, toPostOutcome, toReadOutcome, type Understand } from './wire/to-outcome.ts'

interface ClientOptions {
  readonly baseUrl: string
  readonly keys: Keys
  readonly system: System
  readonly dialect: Dialect
  readonly rateLog: RateLog
  /** NODE_TLS_REJECT_UNAUTHORIZED=0 was set; only loopback is then allowed. */
  readonly tlsUnverified?: boolean
  /** Limit for one request with its reply, body included. */
  readonly timeoutMs?: number
  /** Called with the reason when a request has to wait. */
  readonly onWait?: (reason: string) => void
  /** Called every minute while slow replies leave nothing else to be said; absent where somebody else reports how far it is. */
  readonly onSilence?: (words: string) => void
  /** Called with what is to be kept of a reply, before it is understood. It must neither throw nor take long. */
  readonly onReply?: (reply: HeardReply) => void
}

const defaultTimeoutMs = 30_000

/** Opens no connection. @throws Failure settingInvalid when the base address cannot be used */
export function createClient(options: ClientOptions): Client {
  const { keys, system, dialect, rateLog } = options
  const base = checkBaseUrl(options.baseUrl, { tlsUnverified: options.tlsUnverified ?? false })
  const transport: Transport = { system, base, keys, timeoutMs: options.timeoutMs ?? defaultTimeoutMs }
  const gate = new Gate({
    transport,
    rateLog,
    onWait: options.onWait ?? (() => {}),
    onSilence: options.onSilence,
    onReply: (operation, reply) => {
      const heard = hearReply(transport, operation, reply)
      if (heard !== null) options.onReply?.(heard)
    },
  })
  const askedBy = ({ endpoint }: Operation): AskedCall => ({
    endpoint,
    refusal: dialect.refusal,
    now: system.clock.wall(),
  })
  const line: ServiceLine = {
    dialect,
    service: transport,
    read: async (operation, understand, call = {}) =>
      toReadOutcome(await gate.read(operation, call), understand, askedBy(operation)),
    write: async (operation, understand, call = {}) =>
      toPostOutcome(await gate.write(operation, call), understand, askedBy(operation)),
  }
  const understandLimits: Understand<LimitsReading> = (body) => {
    const limits = readLimitsBody(dialect.limits(body))
    return limits !== null && hasNoCount(limits) && saysItFailed(body) ? null : limits
  }
  const understandIdentity: Understand<ServiceIdentity> = (body, reply) => {
    const limits = understandLimits(body, reply)
    const simulated = ownServiceName(base, reply.announced) !== undefined
    return limits && { identity: identityBehind(transport, reply), simulated, origin: base.origin, limits }
  }
  return {
    identify: (call) => line.read({ endpoint: 'readLimits' }, understandIdentity, call),
    limits: (call) => line.read({ endpoint: 'readLimits' }, understandLimits, call),
    ...makeJobCalls(line),
    ...makeBotCalls(line),
    listSymbols: ({ exchange, quote }, call) =>
      line.read(
        { endpoint: 'listSymbols', parameter: exchange, query: { type: 'spot', ...(quote && { quote }) } },
        (body) => {
          const items = dialect.symbols(body)
          return Array.isArray(items) ? items.map(readSymbolBody).filter((symbol) => symbol !== null) : null
        },
        call,
      ),
    probe: (endpoint, { query: given, parameter, ...call } = {}) => {
      const query = { ...firstPage(endpoint, dialect), ...given }
      const operation = { endpoint, query, ...(parameter === undefined ? {} : { parameter }) }
      return line.read(operation, (body) => probeBody(endpoint, body, { dialect, query }), call)
    },
  }
}

function hasNoCount({ limit, used, remaining }: LimitsReading): boolean {
  return limit === null && used === null && remaining === null
}

/** What a dialect puts into the query of a list's first page beside what the command asks for. */
function firstPage(endpoint: ReadEndpoint, dialect: Dialect): Readonly<Record<string, string>> {
  if (endpoint === 'listJobs') return dialect.jobListQuery({ limit: undefined, since: undefined })
  if (endpoint === 'listExecutions') return dialect.executionListQuery({ limit: undefined, since: undefined })
  if (endpoint === 'listOrders') return dialect.orderListQuery({ limit: undefined, state: undefined })
  return {}
}
