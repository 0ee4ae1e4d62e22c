/**
 * Reads every read endpoint of the service and reports: which answer, how the replies were understood, how far the clock is off,
 * what is left of the allowance.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ENDPOINTS, type EndpointName } from '../../../contract/endpoints.ts'
import { Failure } from '../../../errors.ts'
import type { Client, ServiceIdentity } from '../../../workbench/api/calls.ts'
import { guessJobId } from '../../../workbench/api/drafting/draft-job.ts'
import {
  bringHelpers,
  completeModule,
  DRAFTED,
  type DraftedName,
  draftAgain,
  draftFunctions,
  type SeenBodies,
  writeModule,
} from '../../../workbench/api/drafting/draft-module.ts'
import { parseLossless } from '../../../workbench/api/lossless-json.ts'
import type { ReadOutcome } from '../../../workbench/api/outcome.ts'
import type { ProbeReading, ReadEndpoint } from '../../../workbench/api/reading/probe.ts'
import type { LimitsReading } from '../../../workbench/api/reading/readings.ts'
import type { FieldReport } from '../../../workbench/api/reading/shape.ts'
import type { AllowanceReport } from '../../../workbench/run/progress.ts'
import { findLastAnswer, listKeptReplies } from '../../../workbench/store/service-replies.ts'
import type { Store } from '../../../workbench/store/store.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { accountOn, type ServiceLink, withStoreAndService } from '../../service-link.ts'
import { pathsOf } from '../../workbench.ts'

export interface EndpointHealth {
  readonly endpoint: ReadEndpoint
  readonly method: string
  readonly path: string
  readonly state: 'answers' | 'refused' | 'missing' | 'unreadable' | 'unreachable' | 'not asked'
  /** Why it does not answer; null when it does. */
  readonly note: string | null
  readonly items: number | null
  readonly fields: readonly FieldReport[]
}

export interface ServiceHealth {
  readonly service: {
    readonly identity: string
    readonly simulated: boolean
    /** Seconds the service's clock is ahead of ours; null when it sends no Date. Resolution 1 s. */
    readonly clockSkewSeconds: number | null
  } | null
  readonly allowance: { readonly ledger: AllowanceReport; readonly service: LimitsReading } | null
  readonly endpoints: readonly EndpointHealth[]
  readonly exitCode: number
  /** The replies as received, without keys; `createJob`: what the last submission that became no job was answered. */
  readonly texts: Partial<Readonly<Record<ShownEndpoint, string>>>
  /** Replies about jobs of the service that earlier runs kept, where a draft is wanted. */
  readonly kept: readonly string[]
  /** The functions that the dialect in force spells. */
  readonly spelled: ReadonlySet<string>
  /** What a dialect module wrote to its console. */
  readonly console: readonly string[]
}

export type ShownEndpoint = ReadEndpoint | 'createJob'

/** More replies than this show nothing new. */
const mostKept = 20

/** @param guessing asks about a job whose id is only guessed from the list's body */
export function probeService(
  context: Context,
  { exchange, ...options }: CommonOptions & { readonly exchange?: string },
  guessing: boolean,
): Promise<ServiceHealth> {
  const { candlesFolder } = pathsOf(context, options)
  return withStoreAndService(context, options, async (link, store) => {
    const identified = await link.client.identify({ signal: context.signal })
    const rounds = new Rounds(link.client, { signal: context.signal, guessing })
    // Every further request would wait for the same timeout.
    if (identified.kind === 'failed' && identified.unreachable) rounds.giveUp(identified)
    else await rounds.visitAll({ userEmail: link.userEmail, exchange, fallback: () => findExchange(candlesFolder) })
    const service = identified.kind === 'ok' ? identified.value : null
    const answer = service === null ? undefined : findLastAnswer(store, service.identity)
    return {
      service: service && {
        identity: service.identity,
        simulated: service.simulated,
        clockSkewSeconds: medianOf([...rounds.skewsMs, ...skewOf(identified)]),
      },
      allowance: service && (await readAllowances(context, store, link, service)),
      endpoints: rounds.visited,
      exitCode: exitCodeOf(rounds.visited),
      texts: { ...rounds.texts, ...(answer === undefined ? {} : { createJob: answer }) },
      kept: guessing && service !== null ? listKeptReplies(store, service.identity, mostKept) : [],
      spelled: link.spelled,
      console: link.console,
    }
  })
}

interface Asked {
  readonly userEmail: string
  readonly exchange: string | undefined
  /** The exchange to ask for when the service names none. */
  fallback(): Promise<string | undefined>
}

/** The documented endpoints that `probe` may ask, in the order of the document. */
export const readEndpoints = () =>
  (Object.keys(ENDPOINTS) as EndpointName[]).filter((name): name is ReadEndpoint => ENDPOINTS[name].method === 'GET')

/** Calls every read endpoint of the document once; an id in one answer is used to call the next endpoint. */
class Rounds {
  readonly visited: EndpointHealth[] = []
  readonly skewsMs: number[] = []
  readonly texts: Partial<Record<ReadEndpoint, string>> = {}
  readonly #client: Client
  readonly #signal: AbortSignal
  readonly #guessing: boolean

  constructor(client: Client, { signal, guessing }: { readonly signal: AbortSignal; readonly guessing: boolean }) {
    this.#client = client
    this.#signal = signal
    this.#guessing = guessing
  }

  /** Records that the service does not answer; the other endpoints are skipped. */
  giveUp(silence: ReadOutcome<never>): void {
    for (const endpoint of readEndpoints()) {
      if (endpoint === 'readLimits') this.#note(endpoint, silence)
      else this.#skip(endpoint, 'the service does not answer')
    }
  }

  async visitAll({ userEmail, exchange, fallback }: Asked): Promise<void> {
    await this.#visit('readLimits')
    const jobs = await this.#visit('listJobs')
    await this.#visitOne('readJob', this.#idsOf(jobs), 'there is no job to read')
    const bots =
      userEmail === ''
        ? this.#skip('listBots', 'DCALAB_USER_EMAIL is not set')
        : await this.#visit('listBots', { query: { userEmail } })
    for (const endpoint of ['readBot', 'listExecutions', 'listOrders', 'readPnl'] as const) {
      await this.#visitOne(endpoint, bots?.ids, 'there is no bot to read')
    }
    const named = exchange ?? bots?.exchange ?? jobs?.exchange ?? (await fallback())
    await this.#visitOne('listSymbols', named === undefined ? [] : [named], 'no exchange is known: give --exchange')
  }

  /** A foreign list's ids are guessed from its body, where that was asked for. */
  #idsOf(jobs: ProbeReading | undefined): readonly string[] {
    if (jobs !== undefined && jobs.ids.length > 0) return jobs.ids
    const guessed = this.#guessing ? guessJobId(parseLossless(this.texts.listJobs ?? '')?.value) : null
    return guessed === null ? [] : [guessed]
  }

  async #visitOne(endpoint: ReadEndpoint, ids: readonly string[] | undefined, otherwise: string): Promise<void> {
    const parameter = ids?.at(0)
    if (parameter === undefined) this.#skip(endpoint, otherwise)
    else await this.#visit(endpoint, { parameter, ...(endpoint === 'listSymbols' ? { query: { type: 'spot' } } : {}) })
  }

  async #visit(
    endpoint: ReadEndpoint,
    asked: { readonly parameter?: string; readonly query?: Readonly<Record<string, string>> } = {},
  ): Promise<ProbeReading | undefined> {
    const outcome = await this.#client.probe(endpoint, { ...asked, signal: this.#signal })
    return this.#note(endpoint, outcome)
  }

  #note(endpoint: ReadEndpoint, outcome: ReadOutcome<ProbeReading>): ProbeReading | undefined {
    this.skewsMs.push(...skewOf(outcome))
    if (outcome.raw !== null) this.texts[endpoint] = outcome.raw.text
    const { method, path } = ENDPOINTS[endpoint]
    const reading = outcome.kind === 'ok' ? outcome.value : undefined
    this.visited.push({
      endpoint,
      method,
      path,
      ...describeOutcome(outcome),
      items: reading?.items ?? null,
      fields: reading?.fields ?? [],
    })
    return reading
  }

  #skip(endpoint: ReadEndpoint, note: string): undefined {
    const { method, path } = ENDPOINTS[endpoint]
    this.visited.push({ endpoint, method, path, state: 'not asked', note, items: null, fields: [] })
  }
}

function describeOutcome(outcome: ReadOutcome<unknown>): Pick<EndpointHealth, 'state' | 'note'> {
  switch (outcome.kind) {
    case 'ok':
      return { state: 'answers', note: null }
    case 'missing':
      return { state: 'missing', note: 'status 404' }
    case 'refused':
      return { state: 'refused', note: `status ${outcome.status} ${outcome.code}: ${outcome.message}` }
    case 'failed':
      return { state: outcome.unreachable ? 'unreachable' : 'unreadable', note: outcome.reason }
  }
}

/** The exit code for the worst finding. */
function exitCodeOf(visited: readonly EndpointHealth[]): number {
  const states = visited.map(({ state }) => state)
  if (states.includes('refused')) return 4
  return states.includes('unreachable') || states.includes('unreadable') ? 5 : 0
}

const halfSecondMs = 500

/** Difference between the service's Date header, taken at the middle of its second, and our clock. */
function skewOf({ raw }: { readonly raw: ReadOutcome<unknown>['raw'] }): number[] {
  return raw === null || raw.serverDate === null ? [] : [raw.serverDate + halfSecondMs - raw.receivedAt]
}

function medianOf(skewsMs: readonly number[]): number | null {
  const median = skewsMs.toSorted((a, b) => a - b).at(Math.floor(skewsMs.length / 2))
  return median === undefined ? null : Math.round(median / 1000)
}

async function readAllowances(
  context: Context,
  store: Store,
  link: ServiceLink,
  service: ServiceIdentity,
): Promise<NonNullable<ServiceHealth['allowance']>> {
  const { readAllowance } = await import('../../../workbench/run/progress.ts')
  const now = context.system.clock.wall()
  return { ledger: readAllowance(store, { ...accountOn(service, link), now }), service: service.limits }
}

async function findExchange(candlesFolder: string): Promise<string | undefined> {
  const { listCandles } = await import('../../../candles/folder/folder.ts')
  return listCandles(candlesFolder).at(0)?.market.split('/')[0]
}

interface WrittenDraft {
  readonly file: string
  /** The functions that were added, in their order. */
  readonly functions: readonly DraftedName[]
  readonly lines: number
  /** What of the listed jobs is not read, and was left alone. */
  readonly unread: readonly string[]
}

/**
 * Writes a dialect module, or adds to it, with functions for what is not read yet and not in the dialect in force.
 * @throws Failure usage when the file exists and is not the dialect in force, or cannot be added to
 */
export function writeDraft(file: string, health: ServiceHealth, dialectInForce: string | undefined): WrittenDraft {
  if (!file.endsWith('.mjs')) throw new Failure('usage', `${file}: expected a file that ends in .mjs`)
  const existing = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (existing !== undefined && dialectInForce !== file) {
    throw new Failure('usage', `${file}: the file exists and is not the current dialect; nothing was written`, {
      hint: `DCALAB_DIALECT=${file} adds to it; another name starts a new draft`,
    })
  }
  const bodies = bodiesOf(health)
  const functions = draftFunctions(bodies, lackingIn(health))
  const unread = unreadOfJobs(health)
  const again = existing === undefined ? existing : draftAgain(existing, bodies)
  const earlier = again === undefined ? undefined : completeModule(again, bodies)
  if (functions.length === 0 && earlier === existing) return { file, functions: [], lines: 0, unread }
  const module = writeModule(functions, earlier)
  if (module === undefined) {
    throw new Failure('usage', `${file}: no line "export const dialect = {" to write the draft after`, {
      hint: 'draft into a new file and copy what you need',
    })
  }
  const text = bringHelpers(module, bodies)
  writeFileSync(file, text)
  return {
    file,
    functions: functions.map(({ name }) => name),
    lines: countLines(text) - countLines(existing),
    unread: [],
  }
}

function countLines(text: string | undefined): number {
  return text === undefined ? 0 : text.split('\n').length - 1
}

/** Which fields of a listed job are not read although a run needs them. */
function unreadOfJobs({ endpoints }: ServiceHealth): readonly string[] {
  const health = endpoints.find(({ endpoint }) => endpoint === 'listJobs')
  if (health?.state === 'unreadable') return ['the list']
  return ['id', 'state'].filter((field) => unreadFields(health, [field]))
}

function bodiesOf({ texts, kept }: ServiceHealth): SeenBodies {
  const read = (endpoint: keyof ServiceHealth['texts']) => parseLossless(texts[endpoint] ?? '')?.value
  return {
    limits: read('readLimits'),
    jobList: read('listJobs'),
    jobs: [read('readJob'), read('createJob'), ...kept.map((text) => parseLossless(text)?.value)].filter(
      (body) => body !== undefined,
    ),
    symbols: read('listSymbols'),
    botList: read('listBots'),
  }
}

/** The functions to draft: for each reply that a study needs and we cannot read, unless the dialect in force has the function. */
function lackingIn({ endpoints, spelled, texts }: ServiceHealth): ReadonlySet<DraftedName> {
  const of = (name: string) => endpoints.find(({ endpoint }) => endpoint === name)
  const lacks = (name: string, fields: readonly string[]) =>
    of(name)?.state === 'unreadable' || unreadFields(of(name), fields)
  const isJobUnread =
    lacks('listJobs', ['id', 'state']) ||
    lacks('readJob', ['id', 'state', 'result.metrics.netProfit']) ||
    ((of('listJobs')?.items ?? 0) === 0 && texts.createJob !== undefined)
  const isListUnread = of('listJobs')?.state === 'unreadable'
  const isForeign: Readonly<Record<DraftedName, boolean>> = {
    limits: unreadAll(of('readLimits'), ['limit', 'remaining', 'used']),
    jobList: isListUnread,
    job: isJobUnread,
    jobState: isJobUnread,
    symbols: lacks('listSymbols', ['baseAsset', 'quoteAsset']),
    botList: of('listBots')?.state === 'unreadable',
    bot: lacks('listBots', ['id', 'state', 'exchange']),
    jobRequest: false,
  }
  const names = DRAFTED.filter((name) => isForeign[name])
  // A service whose replies differ probably expects other requests as well. Where it lists jobs, our request was understood.
  const asks = names.length > 0 && (of('listJobs')?.items ?? 0) === 0 ? ['jobRequest' as const] : []
  return new Set([...asks, ...names].filter((name) => !spelled.has(name)))
}

/** Some of `fields` were looked for and not read. */
function unreadFields(health: EndpointHealth | undefined, fields: readonly string[]): boolean {
  return (health?.fields ?? []).some(
    ({ field, found }) => fields.includes(field) && (found === 'absent' || found === 'unreadable'),
  )
}

function unreadAll(health: EndpointHealth | undefined, fields: readonly string[]): boolean {
  if (health?.state === 'unreadable') return true
  const read = (health?.fields ?? []).filter(({ field, found }) => fields.includes(field) && found === 'read')
  return health !== undefined && health.state === 'answers' && read.length === 0
}
