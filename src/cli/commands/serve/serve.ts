/** `dcalab serve`: the embedded service by itself. */
import type { Command } from 'commander'
import { SCOPES, type Scope } from '../../../contract/endpoints.ts'
import type { Costs } from '../../../engine/conventions.ts'
import { Failure } from '../../../errors.ts'
import { type Context, type Register, withCandles, withExamples, withJson } from '../../context.ts'
import { readConventions } from '../../input.ts'
import { decimal, option, whole } from '../../option.ts'
import { printJson, printLines, say } from '../../output.ts'
import { RESEARCHER, readyServiceStore } from '../../service-link.ts'
import { DEFAULT_SERVICE_STORE } from '../../settings.ts'
import { fittingTable } from '../../table.ts'

const WINDOWS = ['sliding', 'fixed'] as const
type Window = (typeof WINDOWS)[number]

interface ServeOptions {
  readonly json?: boolean
  readonly store?: string
  readonly candlesDir?: string
  readonly port: number
  readonly rate?: number
  readonly rateWindow?: Window
  readonly allowance?: number
  readonly window?: Window
  readonly windowPhase?: string
  readonly conventions?: string
  readonly feePercent?: number
  readonly slippagePercent?: number
  readonly undisclosed?: boolean
  readonly now?: string
  readonly speed?: number
  readonly chaos?: string
  readonly chaosSeed?: number
}

export const serveCommand: Register = (program, context) => {
  const serve = program
    .command('serve')
    .description('run the embedded service by itself on 127.0.0.1')
    .addOption(whole('--port <n>', 'port; 0 = a free one', { minimum: 0, maximum: 65_535, default: 0 }))
    .addOption(
      option('--store <file>', 'service store, in an existing folder', {
        variable: 'DCALAB_SERVICE_STORE',
        otherwise: DEFAULT_SERVICE_STORE,
      }),
    )
    .addOption(whole('--rate <n>', 'requests per minute and key, 0 = unlimited', { minimum: 0, otherwise: '120' }))
    .addOption(option('--rate-window <type>', 'minutes: sliding or fixed', { otherwise: 'sliding' }).choices(WINDOWS))
    .addOption(
      whole('--allowance <n>', 'backtests per 24 h and account, 0 = unlimited', { minimum: 0, otherwise: '100' }),
    )
    .addOption(
      option('--window <type>', 'days of the daily limit: sliding or fixed', { otherwise: 'sliding' }).choices(WINDOWS),
    )
    .addOption(option('--window-phase <hh:mm>', 'time of day in UTC at which fixed days begin', { otherwise: '00:00' }))
    .option('--conventions <preset, text or file>', 'default or { preset: three-commas, safetyOrderSize: 15 }')
    .addOption(decimal('--fee-percent <n>', 'fee of every fill, below 50', { minimum: 0, otherwise: '0.1' }))
    .addOption(decimal('--slippage-percent <n>', 'slippage of market orders, below 50', { minimum: 0, otherwise: '0' }))
    .option('--undisclosed', 'act as an unknown service: state neither identity nor terms')
    .option('--now <instant>', 'set the market clock of demo bots; wall = the wall clock')
    .addOption(decimal('--speed <factor>', 'market seconds per second from now on', { minimum: 0.001 }))
    .option('--chaos <profile>', 'inject faults: calm, flaky, hostile, or reset,late=0.1 …')
    .addOption(whole('--chaos-seed <n>', 'seed of the faults', { minimum: 0, otherwise: '1' }))
  withExamples(withCandles(withJson(serve)), [
    'dcalab serve --port 8787 --now 2021-04-21 --speed 60',
    'dcalab serve --conventions "{ preset: three-commas, safetyOrderSize: 15 }" --allowance 20 --json',
  ])
  serve.action((options: ServeOptions) => serveUntilStopped(context, options))
  addServeKeys(serve, context)
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
    say(terminal, `endpoints: ${service.url}/   OpenAPI: ${service.url}/openapi.json`)
  }
  await new Promise<void>((resolve) => {
    if (context.signal.aborted) resolve()
    context.signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await service.close()
}

async function openService(context: Context, options: ServeOptions) {
  const [{ startService }, { parseChaos }, { parseInstant }] = await Promise.all([
    import('../../../service/start.ts'),
    import('../../../service/http/chaos.ts'),
    import('../../../service/payload.ts'),
  ])
  const settings = context.settings()
  const storePath = await readyServiceStore(options.store ?? settings.serviceStore)
  return startService({
    system: context.system,
    storePath,
    candlesFolder: options.candlesDir ?? settings.candlesFolder,
    workerFile: context.workerFile,
    port: options.port,
    rate: options.rate,
    allowance: options.allowance,
    rateWindow: options.rateWindow,
    window: options.window,
    ...(options.windowPhase === undefined ? {} : { windowPhaseMs: checkPhase(options) }),
    undisclosed: options.undisclosed === true,
    market: {
      ...(options.now === undefined ? {} : { now: checkNow(options.now, parseInstant) }),
      ...(options.speed === undefined ? {} : { speed: checkSpeed(options.speed) }),
    },
    ...(options.chaos === undefined
      ? {}
      : { chaos: { profile: parseChaos(options.chaos), seed: options.chaosSeed ?? 1 } }),
    ...(options.conventions === undefined
      ? {}
      : { conventions: await readConventions('--conventions', options.conventions) }),
    costs: await readCosts(options),
  })
}

function checkPhase({ window, windowPhase = '' }: ServeOptions): number {
  if (window !== 'fixed') throw new Failure('usage', '--window-phase needs --window fixed; a sliding day has no phase')
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(windowPhase) ?? []
  if (hours === undefined) {
    throw new Failure('usage', `--window-phase expects a time of day such as 06:30, found "${windowPhase}"`)
  }
  return (Number(hours) * 60 + Number(minutes)) * 60_000
}

function checkNow(text: string, parse: (text: string) => number | undefined): number | 'wall' {
  const time = text === 'wall' ? text : parse(text)
  if (time !== undefined) return time
  throw new Failure('usage', `--now expects an instant such as 2021-04-21T12:00:00Z, or wall; found "${text}"`)
}

async function readCosts({ feePercent, slippagePercent }: ServeOptions): Promise<Costs> {
  const [{ DEFAULT_COSTS }, { COST_BELOW, isCostPercent }] = await Promise.all([
    import('../../../engine/conventions.ts'),
    import('../../../engine/read-settings.ts'),
  ])
  const checked = (flag: string, percent: number) => {
    if (isCostPercent(percent)) return percent
    throw new Failure('usage', `${flag} expects a percentage from 0 to below ${COST_BELOW}, found ${percent}`)
  }
  return {
    feePercent: checked('--fee-percent', feePercent ?? DEFAULT_COSTS.feePercent),
    slippagePercent: checked('--slippage-percent', slippagePercent ?? DEFAULT_COSTS.slippagePercent),
  }
}

function checkSpeed(speed: number): number {
  if (speed <= 1e6) return speed
  throw new Failure('usage', `--speed expects a factor of at most 1000000, found ${speed}`)
}

interface KeysOptions {
  readonly json?: boolean
  readonly store?: string
  readonly email?: string
  readonly scope?: readonly Scope[]
  readonly address?: readonly string[]
}

function addServeKeys(serve: Command, context: Context): void {
  const keys = serve.command('keys').description('issue, list and revoke keys of the embedded service')
  withExamples(keys, ['dcalab serve keys issue --scope read', 'dcalab serve keys list'])
  const issue = keys
    .command('issue')
    .description('issue a new pair of keys, shown once')
    .addOption(option('--email <address>', 'account', { otherwise: RESEARCHER }))
    .addOption(option('--scope <scope...>', `any of ${SCOPES.join(' ')}`, { otherwise: 'all' }).choices(SCOPES))
    .addOption(option('--address <ip...>', 'addresses the key may be used from', { otherwise: 'any' }))
    .option('--store <file>', 'service store')
  withExamples(withJson(issue), [
    'dcalab serve keys issue --scope read CanUseLab',
    'dcalab serve keys issue --email colleague@localhost --json',
  ]).action((options: KeysOptions) =>
    withKeyring(context, options, async (keyring) => {
      const userEmail = options.email ?? context.settings().userEmail ?? RESEARCHER
      const pair = keyring.issueKeys({
        userEmail,
        scopes: options.scope,
        addresses: options.address,
      })
      const shown = { ...pair, userEmail }
      const { terminal } = context.system
      if (options.json) return printJson(terminal, shown)
      return printLines(terminal, [`DCALAB_API_KEY=${pair.apiKey}`, `DCALAB_SECRET_KEY=${pair.secretKey}`])
    }),
  )
  const list = keys
    .command('list')
    .description('list keys by their first characters')
    .option('--store <file>', 'service store')
  withExamples(withJson(list), ['dcalab serve keys list', 'dcalab serve keys list --json']).action(
    (options: KeysOptions) =>
      withKeyring(context, options, async (keyring) => {
        const rows = keyring.listKeys()
        const { terminal } = context.system
        if (options.json) return printJson(terminal, rows)
        return printLines(
          terminal,
          fittingTable(rows, [
            { title: 'key', role: 'id', value: (row) => row.prefix },
            { title: 'account', value: (row) => row.userEmail },
            { title: 'scopes', value: (row) => row.scopes.join(' ') },
            { title: 'addresses', role: 'varied', value: (row) => row.addresses?.join(' ') ?? 'any' },
            { title: 'issued', value: (row) => row.issuedAt },
            { title: 'revoked', role: 'alarm', value: (row) => row.revokedAt },
          ]),
        )
      }),
  )
  const revoke = keys
    .command('revoke')
    .description('revoke a key: its next request is refused')
    .argument('<key>', 'the key’s first characters as `serve keys list` shows them')
    .option('--store <file>', 'service store')
  withExamples(withJson(revoke), [
    'dcalab serve keys revoke dk_3fa94c01',
    'dcalab serve keys revoke dk_3fa94c01 --json',
  ]).action((prefix: string, options: KeysOptions) =>
    withKeyring(context, options, async (keyring) => {
      if (!keyring.revokeKey(prefix)) {
        throw new Failure('notFound', `no key in force begins with "${prefix}"`, {
          hint: '`dcalab serve keys list` shows them',
        })
      }
      const { terminal } = context.system
      return options.json ? printJson(terminal, { revoked: prefix }) : say(terminal, `revoked ${prefix}`)
    }),
  )
}

async function withKeyring(
  context: Context,
  options: KeysOptions,
  work: (keyring: import('../../../service/keys.ts').Keyring) => Promise<void>,
): Promise<void> {
  const { openKeyring } = await import('../../../service/start.ts')
  const storePath = await readyServiceStore(options.store ?? context.settings().serviceStore)
  const keyring = openKeyring({ system: context.system, storePath })
  try {
    await work(keyring)
  } finally {
    keyring.close()
  }
}
