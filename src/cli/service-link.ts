/** Connects a command to the service: the configured one, or the embedded one started in this process. In both cases over HTTP only. */

import { Failure } from '../errors.ts'
import type { Client, ServiceIdentity } from '../workbench/api/calls.ts'
import { failureOf, type ReadOutcome } from '../workbench/api/outcome.ts'
import type { Page } from '../workbench/api/reading/readings.ts'
import { checkBaseUrl, Keys, keyIdentity } from '../workbench/api/wire/keys.ts'
import type { ReplyLog } from '../workbench/store/service-replies.ts'
import type { ServiceAccount } from '../workbench/store/services.ts'
import type { Store } from '../workbench/store/store.ts'
import type { CommonOptions, Context } from './context.ts'
import { say } from './output.ts'
import { DEFAULT_SERVICE_STORE, isUsual } from './settings.ts'
import { pathsOf, withOpenStore } from './workbench.ts'

/** The researcher's account on the embedded service. */
export const RESEARCHER = 'researcher@localhost'

export interface ServiceLink {
  readonly client: Client
  readonly loopback: boolean
  /** The functions that the dialect in force spells. */
  readonly spelled: ReadonlySet<string>
  /** What a dialect module wrote to its console until now. */
  readonly console: readonly string[]
  readonly userEmail: string
}

interface LinkOptions {
  readonly store: Store
  readonly candlesFolder: string
  /** Replaces DCALAB_USER_EMAIL; on the embedded service it is the account. */
  readonly account?: string | undefined
  /** Use the trading pair when there is one (promote, bots). */
  readonly trade?: boolean
  /** Of the embedded service (`ServiceOptions`); ms UTC. */
  readonly startsAt?: number | undefined
  /** The command itself reports how far it is, minute by minute. */
  readonly showsProgress?: boolean
  /** Requests per minute instead of the default of 110. */
  readonly ratePerMinute?: number | undefined
}

/** The account whose allowance a run would spend, as far as it is known without a request; undefined when that service was never used. */
export async function findServiceAccount(context: Context, store: Store): Promise<ServiceAccount | undefined> {
  const { findSimulatedIdentity, isSimulated } = await import('../workbench/store/services.ts')
  const { baseUrl, keys, userEmail, serviceStore } = context.settings()
  if (baseUrl === undefined || keys === undefined) {
    const { readIdentity } = await import('../service/database.ts')
    // Of a store that was merged, the service used last may be another person's.
    const own = readIdentity(serviceStore)
    const identity = own !== undefined && isSimulated(store, { identity: own }) ? own : findSimulatedIdentity(store)
    return identity === undefined ? undefined : { identity, account: userEmail ?? RESEARCHER }
  }
  const { origin, loopback } = checkBaseUrl(baseUrl, { tlsUnverified: context.tlsUnverified })
  const ours = loopback ? findSimulatedIdentity(store, { origin }) : undefined
  if (ours !== undefined) return { identity: ours, account: userEmail ?? '' }
  return { identity: keyIdentity(origin, keys), account: '' }
}

/** The account that will own bots and jobs; empty when none is set for a configured service. `account` replaces the usual one. */
export function accountOf(context: Context, account?: string): string {
  const { baseUrl, userEmail } = context.settings()
  return account ?? userEmail ?? (baseUrl === undefined ? RESEARCHER : '')
}

/** Connects to the service while `work` runs. */
export async function withService<T>(
  context: Context,
  options: LinkOptions,
  work: (link: ServiceLink) => Promise<T>,
): Promise<T> {
  const settings = context.settings()
  if (settings.baseUrl !== undefined) {
    const baseUrl = settings.baseUrl
    return keepReplies(options.store, async (replies) =>
      work(await linkConfigured(context, options, { baseUrl, replies })),
    )
  }
  if (settings.keys !== undefined) {
    const why = 'DCALAB_API_KEY is set without DCALAB_BASE_URL (that of .env goes with the keys of .env)'
    say(context.system.terminal, `note: ${why}: using the embedded service`)
  }
  const { startService } = await import('../service/start.ts')
  const service = await startService({
    system: context.system,
    storePath: await readyServiceStore(settings.serviceStore),
    candlesFolder: options.candlesFolder,
    workerFile: context.workerFile,
    startsAt: options.startsAt,
  })
  const userEmail = accountOf(context, options.account)
  const pair = service.issueSessionKeys({ userEmail })
  try {
    const keys = new Keys(pair.apiKey, pair.secretKey)
    return await keepReplies(options.store, async (replies) =>
      work({
        ...(await connect(context, options, { baseUrl: service.url, keys, replies })),
        loopback: true,
        userEmail,
      }),
    )
  } finally {
    await service.close()
  }
}

/** The same with the store open, in which replies and requests are kept: both by the flags of the command. */
export function withStoreAndService<T>(
  context: Context,
  options: CommonOptions,
  work: (link: ServiceLink, store: Store) => Promise<T>,
  how: Pick<LinkOptions, 'account' | 'trade'> = {},
): Promise<T> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withOpenStore(context, path, (store) =>
    withService(context, { ...how, store, candlesFolder }, (link) => work(link, store)),
  )
}

/** Whose allowance is spent on a service that was met. */
export function accountOn({ identity, simulated }: ServiceIdentity, { userEmail }: ServiceLink): ServiceAccount {
  return { identity, account: simulated ? userEmail : '' }
}

/** Returns the path of the service store after making the folder of the default one. @throws Failure storeUnusable */
export async function readyServiceStore(path: string): Promise<string> {
  const { makeServiceFolder } = await import('../service/database.ts')
  if (isUsual(path, DEFAULT_SERVICE_STORE)) makeServiceFolder(path)
  return path
}

/** What services say while `work` runs is kept in the store, for people to look at. */
async function keepReplies<T>(store: Store, work: (replies: ReplyLog) => Promise<T>): Promise<T> {
  const { createReplyLog } = await import('../workbench/store/service-replies.ts')
  const replies = createReplyLog(store)
  try {
    return await work(replies)
  } finally {
    replies.close()
  }
}

interface Route {
  readonly baseUrl: string
  readonly replies: ReplyLog
}

async function linkConfigured(
  context: Context,
  options: LinkOptions,
  { baseUrl, replies }: Route,
): Promise<ServiceLink> {
  const settings = context.settings()
  const keys = (options.trade ? settings.tradeKeys : undefined) ?? settings.keys
  if (keys === undefined) throw new Failure('settingInvalid', 'DCALAB_API_KEY and DCALAB_SECRET_KEY are not set')
  return {
    ...(await connect(context, options, { baseUrl, replies, keys })),
    loopback: checkBaseUrl(baseUrl, { tlsUnverified: context.tlsUnverified }).loopback,
    userEmail: accountOf(context, options.account),
  }
}

async function connect(
  context: Context,
  options: LinkOptions,
  { baseUrl, keys, replies }: Route & { readonly keys: Keys },
): Promise<Pick<ServiceLink, 'client' | 'spelled' | 'console'>> {
  const [{ createClient }, { loadDialect, builtInDialect, spelledBy }, { createRequestLog }] = await Promise.all([
    import('../workbench/api/client.ts'),
    import('../workbench/api/reading/dialect.ts'),
    import('../workbench/store/request-log.ts'),
  ])
  const { dialect: module } = context.settings()
  const console: string[] = []
  const dialect = module === undefined ? builtInDialect : await loadDialect(module, console)
  const client = createClient({
    baseUrl,
    keys,
    system: context.system,
    dialect,
    rateLog: createRequestLog(options.store, {
      key: keys.fingerprint(),
      ratePerMinute: options.ratePerMinute,
    }),
    tlsUnverified: context.tlsUnverified,
    onWait: (reason) => say(context.system.terminal, reason),
    ...(options.showsProgress ? {} : { onSilence: (words: string) => say(context.system.terminal, words) }),
    onReply: replies.note,
  })
  return { client, spelled: spelledBy(dialect), console }
}

// Reads lists that come in pages, up to the wanted number of items.

export interface Collected<T> {
  readonly items: readonly T[]
  /** True when the service has more items. */
  readonly more: boolean
  readonly unreadable: number
}

/** A longer list is assumed to repeat its pages without end. */
const mostPages = 1_000

/** At most `limit` items of a list. @throws Failure when a page cannot be read */
export async function collectPages<T>(
  limit: number,
  tried: string,
  readPage: (page: { readonly next?: string }) => Promise<ReadOutcome<Page<T>>>,
): Promise<Collected<T>> {
  const items: T[] = []
  let unreadable = 0
  const asked = new Set<string>()
  let next: { readonly next?: string } = {}
  for (let page = 1; page <= mostPages; page++) {
    const outcome = await readPage(next)
    if (outcome.kind !== 'ok') throw failureOf(outcome, tried)
    items.push(...outcome.value.items)
    unreadable += outcome.value.unreadable
    const more = outcome.value.next
    if (more === null || items.length > limit) {
      return { items: items.slice(0, limit), more: more !== null || items.length > limit, unreadable }
    }
    if (items.length === limit) return { items, more: true, unreadable }
    if (asked.has(more)) throw new Failure('serviceUnreadable', `${tried}: the list repeats a page`)
    asked.add(more)
    next = { next: more }
  }
  throw new Failure('serviceUnreadable', `${tried}: the list has more than ${mostPages} pages`)
}
