/** `dcalab service …`: the service that is configured, or the embedded one: what it answers, its limits, jobs and symbols, and whether it computes as we do. */
import type { Command } from 'commander'
import { ENDPOINTS, type EndpointName } from '../../../contract/endpoints.ts'
import { Failure } from '../../../errors.ts'
import type { Replay } from '../../../workbench/evidence/replay/replay.ts'
import type { ResultChoice } from '../../../workbench/store/find-trial.ts'
import { isoOrNull } from '../../bot-view.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../../context.ts'
import { option } from '../../option.ts'
import { printAnswer, printJson, printLines, say, timesShown } from '../../output.ts'
import { describeReopening } from '../../run-study-file.ts'
import { accountOn, withStoreAndService } from '../../service-link.ts'
import { choiceOf, headingOf, ID_WORDS, noteService, serviceOfTrials, withResultChoice } from '../../shown-service.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf, withStoreToRead } from '../../workbench.ts'
import type { CalibrateOptions } from './calibrate.ts'
import type { CheckOptions, ProbeOptions } from './check.ts'
import { addJobs } from './jobs.ts'
import type { ShownEndpoint } from './read-endpoints.ts'

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
          `reported  ${service.used ?? '?'} of ${service.limit ?? '?'} used, ${service.remaining ?? '?'} left`,
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
  ]).action(async (options: CheckOptions) => {
    const { checkService } = await import('./check.ts')
    return checkService(context, options)
  })
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
  ]).action(async (file: string, options: ProbeOptions) => {
    const { draftDialect } = await import('./check.ts')
    return draftDialect(context, file, options)
  })
}

function exchangeOption() {
  return option('--exchange <name>', 'exchange to list symbols of', {
    otherwise: 'one that a bot, a job or the candle folder names',
  })
}
