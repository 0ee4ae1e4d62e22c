/**
 * The way to the service for a command: the configured one, or the embedded one started in this process.
 * Either way the workbench meets it over HTTP only.
 */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Client } from '../api/client.ts'
import { Keys } from '../api/keys.ts'
import { Failure } from '../errors.ts'
import type { Store } from '../store/store.ts'
import type { Context } from './context.ts'
import { say } from './output.ts'

/** The researcher's account on the embedded service. */
export const RESEARCHER = 'researcher@localhost'

export interface ServiceLink {
  readonly client: Client
  readonly baseUrl: string
  readonly embedded: boolean
  readonly userEmail: string
}

export interface LinkOptions {
  readonly store: Store
  readonly candlesFolder: string
  /** Account on the embedded service; default the researcher's. */
  readonly account?: string
  /** Use the trading pair when there is one (promote, bots). */
  readonly trade?: boolean
}

/** Opens the way to the service for the length of `work`. */
export async function withService<T>(
  context: Context,
  options: LinkOptions,
  work: (link: ServiceLink) => Promise<T>,
): Promise<T> {
  const settings = context.settings()
  if (settings.baseUrl !== undefined) return work(await linkConfigured(context, options, settings.baseUrl))
  const { startService } = await import('../service/start.ts')
  mkdirSync(dirname(settings.serviceStore), { recursive: true, mode: 0o700 })
  const service = await startService({
    system: context.system,
    storePath: settings.serviceStore,
    candlesFolder: options.candlesFolder,
    workerFile: context.workerFile,
  })
  const userEmail = options.account ?? settings.userEmail ?? RESEARCHER
  const pair = service.issueKeys({ userEmail })
  try {
    const keys = new Keys(pair.apiKey, pair.secretKey)
    return await work({
      client: await makeClient(context, options, service.url, keys),
      baseUrl: service.url,
      embedded: true,
      userEmail,
    })
  } finally {
    service.revokeKey(pair.apiKey)
    await service.close()
  }
}

async function linkConfigured(context: Context, options: LinkOptions, baseUrl: string): Promise<ServiceLink> {
  const settings = context.settings()
  const keys = (options.trade ? settings.tradeKeys : undefined) ?? settings.keys
  if (keys === undefined) throw new Failure('settingInvalid', 'DCALAB_API_KEY and DCALAB_SECRET_KEY are not set')
  if (context.tlsUnverified) {
    throw new Failure('settingInvalid', 'NODE_TLS_REJECT_UNAUTHORIZED=0 switches certificate checks off', {
      hint: 'unset it; keys are not sent over connections that nobody verified',
    })
  }
  return {
    client: await makeClient(context, options, baseUrl, keys),
    baseUrl,
    embedded: false,
    userEmail: settings.userEmail ?? '',
  }
}

async function makeClient(context: Context, options: LinkOptions, baseUrl: string, keys: Keys): Promise<Client> {
  const [{ createClient }, { loadDialect, builtInDialect }, { createRequestLog }] = await Promise.all([
    import('../api/client.ts'),
    import('../api/dialect.ts'),
    import('../store/request-log.ts'),
  ])
  const { dialect } = context.settings()
  return createClient({
    baseUrl,
    keys,
    system: context.system,
    dialect: dialect === undefined ? builtInDialect : await loadDialect(dialect),
    rateLog: createRequestLog(options.store, { key: keys.fingerprint() }),
    onWait: (reason) => say(context.system.terminal, reason),
  })
}
