/** `dcalab service …`: the service that is configured, or the embedded one: what it answers, its limits, jobs and symbols, and whether it computes as we do. */
import type { Command } from 'commander'
import { ENDPOINTS, type EndpointName } from '../../../contract/endpoints.ts'
import { Failure } from '../../../errors.ts'
import type { Replay } from '../../../workbench/evidence/replay/replay.ts'
import type { ResultChoice } from '../../../workbench/store/find-trial.ts'
import { isoOrNull } from '../../bot-view.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { option } from '../../option.ts'
import { type Line, printAnswer, printJson, printLines, say, timesShown, verbatim } from '../../output.ts'
import { describeReopening } from '../../run-study-file.ts'
import { accountOn, withStoreAndService } from '../../service-link.ts'
import type { Settings } from '../../settings.ts'
import { choiceOf, headingOf, ID_WORDS, noteService, serviceOfTrials, withResultChoice } from '../../shown-service.ts'
import { fittingTable } from '../../table.ts'
import { type Paths, pathsOf, withStoreToRead } from '../../workbench.ts'
import type { CalibrateOptions } from './calibrate.ts'
import { addJobs } from './jobs.ts'
import type { EndpointHealth, ServiceHealth, ShownEndpoint } from './read-endpoints.ts'

interface ProbeOptions extends CommonOptions {
  readonly exchange?: string
}

interface CheckOptions extends ProbeOptions {
  readonly show?: ShownEndpoint
}

interface ShownSetting {
  readonly name: string
  readonly value: string
}

/** Without them a trial is never known to be done, or has no rank (DIALECT.md, the least a dialect must give). */
const NEEDED = ['id', 'state', 'result.metrics.netProfit']

const METRICS = 'result.metrics.'

const widest = 120

/** Those that change nothing, and the one whose answer cost allowance. */
const shownEndpoints = () =>
  (Object.keys(ENDPOINTS) as EndpointName[]).filter(
    (name): name is ShownEndpoint => ENDPOINTS[name].method === 'GET' || name === 'createJob',
  )

export const serviceCommand: Register = (program, context) => {
  const service = program.command('service').description('check, calibrate and ask the backtest service')
  withExamples(service, ['dcalab service check', 'dcalab service jobs list'])
  addCheck(service, context)
  addDraft(service, context)
  addCalibrate(service, context)
  addVerify(service, context)
  addLimits(service, context)
  addJobs(service, context)
  addSymbols(service, context)
}

/** Not equal, or not to be computed again from what lies here. */
const NOT_REPLAYED = 2

function addVerify(service: Command, context: Context): void {
  const command = service
    .command('verify')
    .description('recompute a stored result and compare every number')
    .argument('<id>', ID_WORDS)
  withExamples(withResultChoice(withCandles(withStore(command))), [
    'dcalab service verify 46330614',
    'dcalab service verify 3fa94c --settings 9be2 --json',
  ]).action(async (prefix: string, options: CommonOptions & ResultChoice) => {
    const [{ candleReader, replayTrial }, { findResult, idOfTrial }] = await Promise.all([
      import('../../../workbench/evidence/replay/replay.ts'),
      import('../../../workbench/store/find-trial.ts'),
    ])
    const { store: path, candlesFolder } = pathsOf(context, options)
    const { id, replay, of } = await withStoreToRead(context, path, async (store) => {
      const trial = findResult(store, prefix, choiceOf(options))
      const id = idOfTrial(store, trial.fingerprint)
      return { id, replay: replayTrial(trial, candleReader(candlesFolder)), of: await serviceOfTrials(store, [trial]) }
    })
    if (replay.equal !== true) context.endWith(NOT_REPLAYED)
    const { terminal } = context.system
    if (!options.json) return printAnswer(terminal, [...headingOf(of), ...describeReplay(id, replay)])
    noteService(terminal, of)
    return printJson(terminal, { ...replay, service: of.name })
  })
}

function describeReplay(name: string, { equal, differences, missing }: Replay): string[] {
  if (equal === null) return [`${name} cannot be recomputed:`, ...missing.map((part) => `  ${part}`)]
  const verdict = equal
    ? `${name} is identical in every stored number`
    : `${name} differs in ${differences.map(({ metric }) => metric).join(', ')}`
  return [
    verdict,
    ...differences.map(
      ({ metric, stored, now }) => `  ${metric}: stored ${JSON.stringify(stored)}, now ${JSON.stringify(now)}`,
    ),
    ...missing.map((part) => `  not compared: ${part}`),
  ]
}

function addLimits(service: Command, context: Context): void {
  const command = service.command('limits').description('show backtests and requests left')
  withExamples(withCandles(withStore(command)), ['dcalab service limits', 'dcalab service limits --json']).action(
    async (options: CommonOptions) => {
      const [{ readAllowance, readWindow }, { readMinute }, { failureOf }] = await Promise.all([
        import('../../../workbench/run/progress.ts'),
        import('../../../workbench/store/request-log.ts'),
        import('../../../workbench/api/outcome.ts'),
      ])
      const shown = await withStoreAndService(context, options, async (link, store) => {
        const reading = await link.client.identify()
        if (reading.kind !== 'ok') throw failureOf(reading, 'Reading the limits')
        const { identity, limits } = reading.value
        const serviceAccount = accountOn(reading.value, link)
        const now = context.system.clock.wall()
        const ledger = readAllowance(store, { ...serviceAccount, now })
        const window = readWindow(store, { ...serviceAccount, limits, now })
        // The embedded service issues a new key at each start, so this is the first request with it.
        const key = context.settings().keys?.fingerprint()
        const minute = key === undefined ? null : readMinute(store, { key })
        const nextAt = isoOrNull(limits.nextAt)
        return {
          identity,
          ledger,
          minute,
          window,
          service: { ...limits, nextAt, source: nextAt === null ? null : ('reported' as const) },
        }
      })
      const { terminal } = context.system
      if (options.json) return printJson(terminal, shown)
      const { identity, ledger, minute, window, service } = shown
      const when = timesShown(terminal)
      return printLines(terminal, [
        `service   ${identity}`,
        [
          `here      ${ledger.used} of ${ledger.limit} used in ${ledger.windowHours} h, ${ledger.available} left`,
          ...describeReopening(ledger.nextAt, ledger.source, when),
        ].join('; '),
        [
          service.limit === Number.MAX_SAFE_INTEGER
            ? `reported  ${service.used ?? '?'} used, no limit`
            : `reported  ${service.used ?? '?'} of ${service.limit ?? '?'} used, ${service.remaining ?? '?'} left`,
          ...describeReopening(service.nextAt, service.source, when),
        ].join('; '),
        `window    ${window === null ? 'type unknown; counted as sliding (safe)' : `${window.type}: ${window.evidence}`}`,
        ...(minute === null
          ? []
          : [
              `minute    ${minute.used} of ${minute.limit} requests` +
                (minute.waitMs === 0 ? '' : `, next in ${Math.ceil(minute.waitMs / 1000)} s`),
            ]),
      ])
    },
  )
}

interface SymbolsOptions extends CommonOptions {
  readonly quote?: string
}

function addSymbols(service: Command, context: Context): void {
  const command = service
    .command('symbols')
    .description('list the spot symbols that the service has')
    .argument('<exchange>', 'such as binance')
    .option('--quote <asset>', 'only those quoted in this asset')
  withExamples(withCandles(withStore(command)), [
    'dcalab service symbols binance --quote USDT',
    'dcalab service symbols synthetic --json',
  ]).action(async (exchange: string, options: SymbolsOptions) => {
    const { failureOf } = await import('../../../workbench/api/outcome.ts')
    const { quote } = options
    const outcome = await withStoreAndService(context, options, ({ client }) => client.listSymbols({ exchange, quote }))
    if (outcome.kind === 'missing') {
      const [{ listMarkets }, { suggest }] = await Promise.all([
        import('../../../candles/folder/commit.ts'),
        import('../../../errors.ts'),
      ])
      const known = [
        ...new Set(listMarkets(pathsOf(context, options).candlesFolder).map((market) => market.split('/')[0])),
      ]
      throw new Failure('notFound', `the service has no exchange ${exchange}${suggest(exchange, known)}`, {
        hint: '`dcalab candles list` shows the markets that are stored',
      })
    }
    if (outcome.kind !== 'ok') throw failureOf(outcome, `Listing the symbols of ${exchange}`)
    // A service that does not know the parameter returns every quote asset, so we filter again.
    const symbols = outcome.value
      .filter(({ quoteAsset }) => quote === undefined || quoteAsset === quote)
      .map(({ candles, ...symbol }) => ({
        ...symbol,
        candles: candles.map(({ interval, from, to }) => ({ interval, from: isoOrNull(from), to: isoOrNull(to) })),
      }))
    const { terminal } = context.system
    if (options.json) return printJson(terminal, symbols)
    if (symbols.length === 0)
      return say(terminal, `no symbols of ${exchange}${quote === undefined ? '' : ` in ${quote}`}`)
    return printAnswer(
      terminal,
      fittingTable(symbols, [
        { title: 'symbol', value: (row) => row.symbol },
        { title: 'base', value: (row) => row.baseAsset },
        { title: 'quote', value: (row) => row.quoteAsset },
        { title: 'tick', value: (row) => numberText(row.tickSize) },
        { title: 'lot', value: (row) => numberText(row.lotSize) },
        { title: 'min notional', value: (row) => numberText(row.minNotional) },
        { title: 'candles', value: (row) => row.candles.map(({ interval }) => interval).join(' ') || null },
        { title: 'from', value: (row) => row.candles.at(0)?.from ?? null },
        { title: 'to', value: (row) => row.candles.at(0)?.to ?? null },
      ]),
    )
  })
}

function numberText(value: number | null): string | null {
  return value === null ? null : String(value)
}

function addCalibrate(service: Command, context: Context): void {
  const command = service
    .command('calibrate')
    .description('work out fees and fill rules from at most 6 backtests')
    .argument('<study>', 'study file or stored study; its first market is used')
    .option('--write', 'write what was found into the study file')
    .option('--wait', 'wait for the daily limit')
  withExamples(withCandles(withStore(command)), [
    'dcalab service calibrate studies/my-ladder.yaml',
    'dcalab service calibrate studies/my-ladder.yaml --write --json',
  ]).action(async (file: string, options: CalibrateOptions) => {
    const { calibrateFile } = await import('./calibrate.ts')
    return calibrateFile(context, file, options)
  })
}

function addCheck(service: Command, context: Context): void {
  const command = service
    .command('check')
    .description('check settings, store and how each reply is read')
    .addOption(exchangeOption())
    .addOption(
      option(
        '--show <endpoint>',
        `print a reply of this endpoint, without keys: ${shownEndpoints().join(', ')}`,
      ).choices(shownEndpoints()),
    )
  withExamples(withCandles(withStore(command)), [
    'dcalab service check',
    'dcalab service check --show listJobs',
  ]).action((options: CheckOptions) => checkService(context, options))
}

function addDraft(service: Command, context: Context): void {
  const command = service
    .command('draft')
    .description('write a dialect for replies that could not be read')
    .argument('<file>', 'a new .mjs file, or the current dialect to add to')
    .addOption(exchangeOption())
  withExamples(withCandles(withStore(command)), [
    'dcalab service draft my-service.mjs',
    'dcalab service draft my-service.mjs --exchange binance --json',
  ]).action((file: string, options: ProbeOptions) => draftDialect(context, file, options))
}

function exchangeOption() {
  return option('--exchange <name>', 'exchange to list symbols of', {
    otherwise: 'one that a bot, a job or the candle folder names',
  })
}

async function checkService(context: Context, options: CheckOptions): Promise<void> {
  const { show } = options
  const { probeService } = await import('./read-endpoints.ts')
  const health = await probeService(context, options, show !== undefined)
  if (show !== undefined) return showReply(context, health, show)
  if (health.exitCode !== 0) context.endWith(health.exitCode)
  const { terminal } = context.system
  const settings = describeSettings(context.settings(), pathsOf(context, options))
  const { service, allowance, endpoints, console } = health
  if (options.json) return printJson(terminal, { settings, service, allowance, endpoints, console })
  await printLines(terminal, [
    ...settings.map(({ name, value }) => `${name.padEnd(15)} ${value}`),
    '',
    ...describeService(health),
  ])
}

/** @throws Failure serviceUnreadable when nothing was received there */
async function showReply(context: Context, { texts, endpoints }: ServiceHealth, shown: ShownEndpoint): Promise<void> {
  const text = texts[shown]
  const { terminal } = context.system
  if (text === undefined) {
    const why = endpoints.find(({ endpoint }) => endpoint === shown)?.note ?? 'every answered submission became a job'
    throw new Failure('serviceUnreadable', `${shown}: there is no reply to show: ${why}`)
  }
  const { parseLossless } = await import('../../../workbench/api/lossless-json.ts')
  const json = parseLossless(text)
  return json === undefined ? printLines(terminal, verbatim(text)) : printJson(terminal, json.value)
}

async function draftDialect(context: Context, file: string, options: ProbeOptions): Promise<void> {
  const { probeService, writeDraft } = await import('./read-endpoints.ts')
  const service = await probeService(context, options, true)
  const { terminal } = context.system
  const states = service.endpoints.map(({ state }) => state)
  if (states.includes('refused') || states.includes('unreachable')) context.endWith(service.exitCode)
  const written = writeDraft(file, service, context.settings().dialect)
  if (options.json) return printJson(terminal, written)
  if (written.functions.length === 0 && written.lines === 0) {
    if (written.unread.length > 0) {
      const remedy = 'correct `job` and `jobList` in the dialect, or draft a new file without it'
      return printLines(terminal, [
        `not read of the listed jobs: ${written.unread.join(', ')}; ${remedy} (\`dcalab service check --show listJobs\` prints the list)`,
      ])
    }
    return printLines(terminal, ['nothing to draft: all replies so far are read'])
  }
  await printLines(terminal, [
    `${file}: ${written.functions.join(', ') || 'nothing new'} drafted, ${written.lines} lines; each guess gives its reason: correct what is wrong`,
    `then try it: DCALAB_DIALECT=${file} dcalab service check`,
  ])
}

function describeService(health: ServiceHealth): Line[] {
  const { service, allowance, endpoints, console } = health
  const skew = service?.clockSkewSeconds ?? null
  const amiss = describeAmiss(endpoints)
  return [
    ...(service === null
      ? ['service   not identified: see below']
      : [`service   ${service.identity}${service.simulated ? ' (simulated)' : ''}`]),
    ...(skew === null ? [] : [`clock     the service’s is ${describeSkew(skew)}`]),
    ...(allowance === null
      ? []
      : [
          `daily limit ${allowance.ledger.used} of ${allowance.ledger.limit} used, counted here; ` +
            `${allowance.service.used ?? '?'} of ${allowance.service.limit ?? '?'} by the service`,
        ]),
    '',
    fittingTable(endpoints, [
      { title: 'endpoint', role: 'id', value: (row) => row.endpoint },
      { title: 'asked', role: 'detail', value: (row) => `${row.method} ${row.path}` },
      { title: 'state', role: 'varied', value: (row) => row.state },
      { title: 'items', value: (row) => row.items },
      { title: 'read', value: (row) => countFields(row, ['read']) },
      { title: 'null', value: (row) => countFields(row, ['null']) },
      { title: 'absent', value: (row) => countFields(row, ['absent']) },
      { title: 'unreadable', role: 'alarm', value: (row) => countFields(row, ['unreadable']) },
      { title: 'note', role: 'varied', value: (row) => row.note },
    ]),
    ...(amiss.length === 0 ? [] : ['', 'fields missing or unreadable (stored as NULL; the reply is kept):', ...amiss]),
    // One line each, whatever stands in it: texts of the service are among what a dialect writes.
    ...(console.length === 0
      ? []
      : ['', 'the dialect’s console:', ...console.map((line) => `  ${line.replaceAll('\n', '\\n')}`)]),
    ...describeNextStep(health),
  ]
}

function countFields({ fields }: ServiceHealth['endpoints'][number], found: readonly string[]): number | null {
  return fields.length === 0 ? null : fields.filter((field) => found.includes(field.found)).length
}

function describeSkew(seconds: number): string {
  if (Math.abs(seconds) <= 1) return 'within a second of ours'
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ours`
}

/** The settings in force, keys only as set or unset. `paths`: with the flags applied. */
function describeSettings(settings: Settings, paths: Paths): ShownSetting[] {
  const isSet = (value: unknown) => (value === undefined ? 'unset' : 'set')
  const embedded = settings.baseUrl === undefined
  return [
    { name: 'service', value: settings.baseUrl ?? 'embedded: started in this process' },
    { name: 'keys', value: embedded ? 'issued at each start' : isSet(settings.keys) },
    { name: 'trading keys', value: isSet(settings.tradeKeys) },
    { name: 'owner', value: settings.userEmail ?? (embedded ? 'the embedded service’s researcher' : 'unset') },
    { name: 'result store', value: paths.store },
    { name: 'service store', value: settings.serviceStore },
    { name: 'candle folder', value: paths.candlesFolder },
    { name: 'dialect', value: settings.dialect ?? 'built in' },
    { name: 'locks', value: settings.stateFolder ?? 'beside the store' },
  ]
}

/** Unreadable fields with their reasons, one a line; those that are absent together, as they are of one endpoint or of several. */
function describeAmiss(endpoints: readonly EndpointHealth[]): string[] {
  const unreadable = endpoints.flatMap(({ endpoint, fields }) =>
    fields
      .filter(({ found }) => found === 'unreadable')
      .map(({ field, reason }) => `  ${endpoint}: ${field}: ${reason ?? 'unreadable'}`),
  )
  const absent = endpoints.flatMap(({ endpoint, fields }) => {
    const names = fields.filter(({ found }) => found === 'absent').map(({ field }) => field)
    return names.length === 0 ? [] : [{ endpoint, names }]
  })
  const together = Map.groupBy(absent, ({ names }) => names.join())
  return [
    ...unreadable,
    ...[...together.values()].flatMap((alike) => {
      const [{ names }] = alike
      return wrap(`  absent of ${alike.map(({ endpoint }) => endpoint).join(', ')}:`, names)
    }),
  ]
}

function wrap(opening: string, names: readonly string[]): string[] {
  const lines = [opening]
  for (const [at, name] of names.entries()) {
    const text = ` ${name}${at + 1 < names.length ? ',' : ''}`
    const last = lines.length - 1
    if (lines[last].length + text.length <= widest) lines[last] += text
    else lines.push(`   ${text}`)
  }
  return lines
}

/** At a service that is not ours: whether a run would find what it needs, and which command comes next. */
function describeNextStep({ service, endpoints }: ServiceHealth): string[] {
  if (service?.simulated || endpoints.some(({ state }) => state === 'unreachable' || state === 'refused')) return []
  const of = (name: string) => endpoints.find(({ endpoint }) => endpoint === name)
  const isUnread = endpoints.some(({ state }) => state === 'unreadable')
  const job = [of('readJob'), of('listJobs')].find((health) => (health?.fields.length ?? 0) > 0)
  const lacking = NEEDED.filter((name) => !isRead(job, name))
  const draft =
    '`dcalab service draft my-service.mjs` drafts a dialect; `dcalab service check --show <endpoint>` prints a reply'
  if (isUnread || (job !== undefined && lacking.length > 0)) {
    const jobs =
      job === undefined
        ? ''
        : `a run needs fields of a job that are not read yet (or the job is not done): ${lacking.join(', ')}; `
    return ['', `${jobs}${draft}`]
  }
  return [
    '',
    job === undefined
      ? 'no job has been seen yet: `dcalab run <study> --max 1` sends one'
      : `all fields of a job that a run needs are read: ${NEEDED.join(', ')}`,
  ]
}

/** Of metrics only those are reported that have a problem. */
function isRead(job: EndpointHealth | undefined, name: string): boolean {
  const foundAs = (wanted: string) => job?.fields.find(({ field }) => field === wanted)?.found
  const isMetric = name.startsWith(METRICS)
  return isMetric ? foundAs('result.metrics') === 'read' && foundAs(name) === undefined : foundAs(name) === 'read'
}
