/** `dcalab serve`: the embedded service by itself, and its keys. */
import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Command } from 'commander'
import { SCOPES, type Scope } from '../contract/endpoints.ts'
import { Failure } from '../errors.ts'
import { type Context, type Register, withCandles, withExamples, withJson } from './context.ts'
import { decimalNumber, formatTable, printJson, printLines, say, wholeNumber } from './output.ts'
import { RESEARCHER } from './service-link.ts'

interface ServeOptions {
  readonly json?: boolean
  readonly store?: string
  readonly candlesDir?: string
  readonly port: number
  readonly rate?: number
  readonly allowance?: number
  readonly window?: string
  readonly conventions?: string
  readonly feePercent?: number
  readonly slippagePercent?: number
}

interface KeysOptions {
  readonly json?: boolean
  readonly store?: string
  readonly email?: string
  readonly scope?: readonly string[]
  readonly address?: readonly string[]
}

export const serveCommand: Register = (program, context) => {
  const serve = program
    .command('serve')
    .description('the embedded service by itself on 127.0.0.1; prints its address and keys, runs until stopped')
    .option('--port <n>', 'port (default: a free one)', wholeNumber('--port', 0), 0)
    .option('--store <file>', 'service store (DCALAB_SERVICE_STORE; default data/service.sqlite)')
    .option('--rate <n>', 'requests per minute and key, 0 = unlimited (default 120)', wholeNumber('--rate', 0))
    .option(
      '--allowance <n>',
      'backtests per 24 h and account, 0 = unlimited (default 100)',
      wholeNumber('--allowance', 0),
    )
    .option('--window <type>', 'sliding or fixed (default sliding)')
    .option('--conventions <preset>', 'default or three-commas')
    .option('--fee-percent <n>', 'fee of every fill (default 0.1)', decimalNumber('--fee-percent', 0))
    .option('--slippage-percent <n>', 'slippage of market orders (default 0)', decimalNumber('--slippage-percent', 0))
  withExamples(withCandles(withJson(serve)), [
    'dcalab serve --port 8787',
    'dcalab serve --window fixed --allowance 20 --json',
  ])
  serve.action((options: ServeOptions) => serveUntilStopped(context, options))
  addKeys(serve, context)
}

async function serveUntilStopped(context: Context, options: ServeOptions): Promise<void> {
  const settings = context.settings()
  const userEmail = settings.userEmail ?? RESEARCHER
  const service = await openService(context, options)
  const pair = service.issueKeys({ userEmail })
  const announced = { url: service.url, apiKey: pair.apiKey, secretKey: pair.secretKey, userEmail }
  const { terminal } = context.system
  if (options.json) {
    await terminal.out(`${JSON.stringify(announced)}\n`)
  } else {
    await printLines(terminal, [
      `DCALAB_BASE_URL=${announced.url}`,
      `DCALAB_API_KEY=${announced.apiKey}`,
      `DCALAB_SECRET_KEY=${announced.secretKey}`,
      `DCALAB_USER_EMAIL=${announced.userEmail}`,
    ])
    say(terminal, 'serving until Ctrl-C; the keys are shown this once')
  }
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve()
    context.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await service.close()
}

async function openService(context: Context, options: ServeOptions) {
  const [{ startService }, { CONVENTION_PRESETS, DEFAULT_COSTS }] = await Promise.all([
    import('../service/start.ts'),
    import('../engine/conventions.ts'),
  ])
  const settings = context.settings()
  const storePath = options.store ?? settings.serviceStore
  mkdirSync(dirname(storePath), { recursive: true, mode: 0o700 })
  return startService({
    system: context.system,
    storePath,
    candlesFolder: options.candlesDir ?? settings.candlesFolder,
    workerFile: context.workerFile,
    port: options.port,
    ...(options.rate === undefined ? {} : { rate: options.rate }),
    ...(options.allowance === undefined ? {} : { allowance: options.allowance }),
    ...(options.window === undefined ? {} : { window: checkWindow(options.window) }),
    ...(options.conventions === undefined
      ? {}
      : { conventions: CONVENTION_PRESETS[checkPreset(options.conventions, Object.keys(CONVENTION_PRESETS))] }),
    costs: {
      feePercent: options.feePercent ?? DEFAULT_COSTS.feePercent,
      slippagePercent: options.slippagePercent ?? DEFAULT_COSTS.slippagePercent,
    },
  })
}

function addKeys(serve: Command, context: Context): void {
  const keys = serve.command('keys').description('issue, list and revoke keys of the embedded service')
  withExamples(keys, ['dcalab serve keys issue --scope read', 'dcalab serve keys list'])
  const issue = keys
    .command('issue')
    .description('prints a new pair once')
    .option('--email <address>', `account (default ${RESEARCHER})`)
    .option('--scope <scope...>', `any of ${SCOPES.join(' ')} (default all)`)
    .option('--address <ip...>', 'addresses the key may be used from (default any)')
    .option('--store <file>', 'service store')
  withExamples(withJson(issue), [
    'dcalab serve keys issue --scope read CanUseLab',
    'dcalab serve keys issue --email colleague@localhost --json',
  ]).action((options: KeysOptions) =>
    withKeyring(context, options, async (keyring) => {
      const userEmail = options.email ?? context.settings().userEmail ?? RESEARCHER
      const pair = keyring.issueKeys({
        userEmail,
        ...(options.scope === undefined ? {} : { scopes: options.scope.map(checkScope) }),
        ...(options.address === undefined ? {} : { addresses: options.address }),
      })
      const shown = { ...pair, userEmail }
      const { terminal } = context.system
      if (options.json) return printJson(terminal, shown)
      return printLines(terminal, [`DCALAB_API_KEY=${pair.apiKey}`, `DCALAB_SECRET_KEY=${pair.secretKey}`])
    }),
  )
  const list = keys
    .command('list')
    .description('keys by their first characters')
    .option('--store <file>', 'service store')
  withExamples(withJson(list), ['dcalab serve keys list', 'dcalab serve keys list --json']).action(
    (options: KeysOptions) =>
      withKeyring(context, options, async (keyring) => {
        const rows = keyring.listKeys()
        const { terminal } = context.system
        if (options.json) return printJson(terminal, rows)
        return printLines(
          terminal,
          formatTable(rows, [
            { title: 'key', value: (row) => row.prefix },
            { title: 'account', value: (row) => row.userEmail },
            { title: 'scopes', value: (row) => row.scopes.join(' ') },
            { title: 'addresses', value: (row) => row.addresses?.join(' ') ?? 'any' },
            { title: 'issued', value: (row) => row.issuedAt },
            { title: 'revoked', value: (row) => row.revokedAt },
          ]),
        )
      }),
  )
  const revoke = keys
    .command('revoke')
    .description('a revoked key is refused from its next request on')
    .argument('<key>', 'the key’s first characters as `serve keys list` shows them')
    .option('--store <file>', 'service store')
  withExamples(withJson(revoke), [
    'dcalab serve keys revoke dk_3fa94c01',
    'dcalab serve keys revoke dk_3fa94c01 --json',
  ]).action((prefix: string, options: KeysOptions) =>
    withKeyring(context, options, async (keyring) => {
      if (!keyring.revokeKey(prefix)) throw new Failure('notFound', `no key in force begins with "${prefix}"`)
      const { terminal } = context.system
      return options.json ? printJson(terminal, { revoked: prefix }) : say(terminal, `revoked ${prefix}`)
    }),
  )
}

async function withKeyring(
  context: Context,
  options: KeysOptions,
  work: (keyring: import('../service/start.ts').Keyring) => Promise<void>,
): Promise<void> {
  const { openKeyring } = await import('../service/start.ts')
  const storePath = options.store ?? context.settings().serviceStore
  mkdirSync(dirname(storePath), { recursive: true, mode: 0o700 })
  const keyring = openKeyring({ system: context.system, storePath })
  try {
    await work(keyring)
  } finally {
    keyring.close()
  }
}

function checkScope(text: string): Scope {
  const scope = SCOPES.find((name) => name === text)
  if (scope !== undefined) return scope
  throw new Failure('usage', `--scope expects any of ${SCOPES.join(' ')}, found "${text}"`)
}

function checkWindow(text: string): 'sliding' | 'fixed' {
  if (text === 'sliding' || text === 'fixed') return text
  throw new Failure('usage', `--window expects sliding or fixed, found "${text}"`)
}

function checkPreset(text: string, names: readonly string[]): 'default' | 'three-commas' {
  if (text === 'default' || text === 'three-commas') return text
  throw new Failure('usage', `--conventions expects ${names.join(' or ')}, found "${text}"`)
}
