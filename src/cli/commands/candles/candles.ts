/** `dcalab candles …`: the group, and those of its commands that have no file of their own. */
import type { Command } from 'commander'
import type { CheckReport, FindingCode } from '../../../candles/check.ts'
import { findMarket, INTERVAL_NAMES, type Interval } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import { readInstant } from '../../../workbench/study/spans.ts'
import { type Context, type Register, withCandles, withExamples, withJson } from '../../context.ts'
import { requireFile, suggestMarket } from '../../input.ts'
import { withProgress } from '../../long-work.ts'
import { decimal, option, whole } from '../../option.ts'
import { countOf, formatTime, type Line, printAnswer, printJson, printLines, say } from '../../output.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'
import { addImport } from './import.ts'
import {
  type CandlesOptions,
  type ConflictOption,
  checkMarket,
  conflictOption,
  describeFinding,
  type IntervalOption,
  intervalOption,
  printReports,
  shownFindings,
  shownReport,
} from './options.ts'

interface PeriodOptions {
  readonly from?: string
  readonly to?: string
}

interface CheckOptions extends CandlesOptions, PeriodOptions, IntervalOption {
  readonly market?: string
  readonly jump: number
}

interface Subject extends CheckReport {
  readonly file?: string
  readonly market: string | null
  readonly interval: string
  readonly from: number
  readonly to: number
  readonly hash?: string
  readonly synthetic?: boolean
}

const TONES = { fine: undefined, note: 'warn', refuse: 'bad' } as const

interface GenerateOptions extends CandlesOptions {
  readonly market: string
  readonly interval: Interval
  readonly from: string
  readonly days: number
  readonly seed: number
  readonly startPrice?: number
  readonly volatility?: number
  readonly gaps: number
}

export const candlesCommand: Register = (program, context) => {
  const candles = program.command('candles').description('import, fetch, check and export market data')
  withExamples(candles, [
    'dcalab candles import BTCUSDT-1m-2024-12.csv --market binance/BTC-USDT',
    'dcalab candles list',
  ])
  addImport(candles, context)
  addFetch(candles, context)
  addList(candles, context)
  addCheck(candles, context)
  addGenerate(candles, context)
  addResample(candles, context)
  addExport(candles, context)
  addSymbols(candles, context)
}

function addGenerate(candles: Command, context: Context): void {
  const command = candles
    .command('generate')
    .description('make a synthetic market from a seed')
    .requiredOption('--market <market>', 'exchange/BASE-QUOTE')
    .addOption(intervalOption({ default: '1m' }))
    .requiredOption('--from <date>', 'first day, e.g. 2024-01-01')
    .addOption(whole('--days <n>', 'number of days', { minimum: 1 }).makeOptionMandatory())
    .addOption(whole('--seed <n>', 'same seed, same market', { minimum: 0, default: 1 }))
    .addOption(decimal('--start-price <price>', 'price at the start', { minimum: 1e-9 }))
    .addOption(decimal('--volatility <percent>', 'annual volatility in percent', { minimum: 0.1 }))
    .addOption(whole('--gaps <n>', 'number of gaps', { minimum: 0, default: 0 }))
  withExamples(withCandles(withJson(command)), [
    'dcalab candles generate --market synthetic/DEMO-USDT --from 2024-01-01 --days 365 --seed 1',
    'dcalab candles generate --market synthetic/CALM-USDT --from 2024-01-01 --days 90 --volatility 20 --gaps 3',
  ]).action(async (options: GenerateOptions) => {
    const [{ generateWithPauses, keepRecipe }, { storeCandles }] = await Promise.all([
      import('../../../candles/synthetic/generate.ts'),
      import('../../../candles/folder/folder.ts'),
    ])
    const { interval } = options
    const market = checkMarket(options.market)
    const recipe = {
      seed: options.seed,
      interval,
      from: checkDate('--from', options.from),
      days: options.days,
      gaps: options.gaps,
      ...(options.startPrice === undefined ? {} : { startPrice: options.startPrice }),
      ...(options.volatility === undefined ? {} : { annualVolatility: options.volatility / 100 }),
    }
    const { candlesFolder } = pathsOf(context, options)
    const { clock } = context.system
    const made = await generateWithPauses(recipe, () => clock.sleep(0, context.signal))
    const report = storeCandles(candlesFolder, {
      market,
      interval,
      candles: made.candles,
      synthetic: true,
      conflict: 'refuse',
    })
    keepRecipe(candlesFolder, market, recipe, made)
    const shown = shownReport(report)
    context.suggestNext(`dcalab study init --market ${market}`)
    const { terminal } = context.system
    if (options.json) return printJson(terminal, shown)
    return printLines(terminal, [
      `${shown.market} ${shown.interval}: ${report.added} synthetic candles, ${shown.from} to ${shown.to}`,
    ])
  })
}

function addList(candles: Command, context: Context): void {
  const command = candles.command('list').description('list stored candles')
  withExamples(withCandles(withJson(command)), ['dcalab candles list', 'dcalab candles list --json']).action(
    async (options: CandlesOptions) => {
      const { listCandles } = await import('../../../candles/folder/folder.ts')
      const { candlesFolder } = pathsOf(context, options)
      const rows = listCandles(candlesFolder).flatMap(({ market, interval, stretches }) =>
        stretches.map((stretch) => ({
          market,
          interval,
          ...stretch,
          from: formatTime(stretch.from),
          to: formatTime(stretch.to),
        })),
      )
      const { terminal } = context.system
      if (options.json) return printJson(terminal, rows)
      if (rows.length === 0)
        return say(terminal, `no candles in ${candlesFolder}; try \`dcalab candles import <file>\``)
      return printAnswer(
        terminal,
        fittingTable(rows, [
          { title: 'market', role: 'id', value: (row) => row.market },
          { title: 'interval', role: 'id', value: (row) => row.interval },
          { title: 'from', value: (row) => row.from },
          { title: 'to', value: (row) => row.to },
          { title: 'candles', value: (row) => row.count },
          { title: 'missing', role: 'alarm', value: (row) => row.missing },
          { title: 'origin', role: 'alarm', value: (row) => (row.synthetic ? 'synthetic' : null) },
          { title: 'hash', role: 'detail', value: (row) => row.hash.slice(0, 12) },
        ]),
      )
    },
  )
}

interface SymbolsOptions extends CandlesOptions {
  readonly market?: string
  readonly tick?: number
  readonly lot?: number
  readonly minNotional?: number
}

function addSymbols(candles: Command, context: Context): void {
  const command = candles
    .command('symbols')
    .description('show, set or import tick, lot and smallest order')
    .argument('[exchangeInfo]', 'saved answer of Binance’s /api/v3/exchangeInfo')
    .option('--market <market>', 'exchange/BASE-QUOTE to set or import rules of')
    .addOption(decimal('--tick <price>', 'prices are multiples of it', { minimum: 0 }))
    .addOption(decimal('--lot <quantity>', 'quantities are multiples of it', { minimum: 0 }))
    .addOption(decimal('--min-notional <quote>', 'smallest order', { minimum: 0 }))
  withExamples(withCandles(withJson(command)), [
    'dcalab candles symbols --market binance/BTC-USDT --tick 0.01 --lot 0.00001 --min-notional 5',
    'dcalab candles symbols exchangeInfo.json --market binance/BTC-USDT',
  ]).action(async (file: string | undefined, options: SymbolsOptions) => {
    const { readSymbolRules, saveSymbolRules } = await import('../../../candles/folder/folder.ts')
    const { candlesFolder } = pathsOf(context, options)
    const market = options.market === undefined ? undefined : checkMarket(options.market)
    const { tick, lot, minNotional } = options
    const isGiven = tick !== undefined || lot !== undefined || minNotional !== undefined
    if (isGiven && (market === undefined || file !== undefined)) {
      throw new Failure('usage', '--tick, --lot and --min-notional are rules of one market', {
        hint: 'give --market, and no file',
      })
    }
    if (file !== undefined) saveSymbolRules(candlesFolder, await rulesInFile(file, market))
    if (isGiven && market !== undefined) {
      const before = readSymbolRules(candlesFolder).get(market)
      const rule = (given: number | undefined, name: 'tick' | 'lot' | 'minNotional') =>
        given === undefined ? (before?.[name] ?? null) : given === 0 ? null : given
      const rules = { tick: rule(tick, 'tick'), lot: rule(lot, 'lot'), minNotional: rule(minNotional, 'minNotional') }
      saveSymbolRules(candlesFolder, new Map([[market, rules]]))
    }
    const shown = [...readSymbolRules(candlesFolder)]
      .filter(([name]) => market === undefined || name === market)
      .map(([name, rules]) => ({ market: name, ...rules }))
    const { terminal } = context.system
    if (options.json) return printJson(terminal, shown)
    if (shown.length === 0) return say(terminal, 'no rules are known; orders are not rounded')
    const text = (value: number | null) => (value === null ? '-' : String(value))
    return printAnswer(
      terminal,
      fittingTable(shown, [
        { title: 'market', value: (row) => row.market },
        { title: 'tick', value: (row) => text(row.tick) },
        { title: 'lot', value: (row) => text(row.lot) },
        { title: 'smallest order', value: (row) => text(row.minNotional) },
      ]),
    )
  })
}

async function rulesInFile(file: string, market: string | undefined) {
  const { readExchangeInfo } = await import('../../../candles/formats/exchange-info.ts')
  const all = readExchangeInfo(file, market?.split('/').at(0) ?? 'binance')
  if (market === undefined) return all
  const rules = all.get(market)
  if (rules === undefined)
    throw new Failure('notFound', `${file} names no market ${market}`, { hint: 'check its name' })
  return new Map([[market, rules]])
}

interface StoredOptions extends CandlesOptions, PeriodOptions, IntervalOption {}

function addResample(candles: Command, context: Context): void {
  const command = candles
    .command('resample')
    .description('make candles of a coarser interval from stored ones')
    .argument('<market>', 'exchange/BASE-QUOTE as stored')
    .addOption(
      option('--into <interval>', 'the interval to make, a multiple of the stored one')
        .choices(INTERVAL_NAMES)
        .makeOptionMandatory(),
    )
    .addOption(intervalOption({ otherwise: 'the finest stored' }))
    .option('--from <date>', 'first day')
    .option('--to <date>', 'the day after the last one')
    .addOption(conflictOption())
  withExamples(withCandles(withJson(command)), [
    'dcalab candles resample binance/BTC-USDT --into 15m',
    'dcalab candles resample binance/BTC-USDT --interval 1h --into 1d --conflict replace',
  ]).action(async (market: string, options: StoredOptions & ConflictOption & { readonly into: Interval }) => {
    const { resampleCandles } = await import('../../../candles/resample.ts')
    const { storeCandles } = await import('../../../candles/folder/folder.ts')
    const { candles, info } = await loadStored(market, options, context)
    const report = storeCandles(pathsOf(context, options).candlesFolder, {
      market,
      interval: options.into,
      candles: resampleCandles(candles, options.into),
      synthetic: info.synthetic,
      conflict: options.conflict,
    })
    const { terminal } = context.system
    const missing = countOf(info.missing, `missing ${info.interval} candle`)
    if (info.missing > 0)
      say(terminal, `note: of ${missing}, ${options.into} ones show only where a whole one is missing`)
    return printReports(terminal, [report], options.json === true)
  })
}

function addExport(candles: Command, context: Context): void {
  const command = candles
    .command('export')
    .description('write stored candles as a CSV, Arrow or Parquet file')
    .argument('<market>', 'exchange/BASE-QUOTE as stored')
    .addOption(intervalOption({ otherwise: 'the finest stored that covers the range' }))
    .option('--from <date>', 'first day')
    .option('--to <date>', 'the day after the last one')
    .addOption(
      option('--out <file>', '.csv, .csv.gz, .arrow, .feather or .parquet; - is stdout', {
        otherwise: 'CSV on stdout',
      }),
    )
  withExamples(withCandles(withJson(command)), [
    'dcalab candles export binance/BTC-USDT --from 2021-05-19 --to 2021-05-20',
    'dcalab candles export binance/BTC-USDT --interval 1h --out btc-1h.parquet',
  ]).action(async (market: string, options: StoredOptions & { readonly out?: string }) => {
    const { csvOf, exportCandles } = await import('../../../candles/export.ts')
    const { terminal } = context.system
    const loaded = await loadStored(market, options, context)
    if (options.out !== undefined && options.out !== '-') {
      const bytes = exportCandles(options.out, loaded)
      if (options.json) return printJson(terminal, { path: options.out, bytes, ...loaded.info })
      return say(
        terminal,
        `${options.out}: ${loaded.info.count} candles of ${market} ${loaded.info.interval}, ${bytes} bytes`,
      )
    }
    if (options.json) return printJson(terminal, { ...loaded.info, candles: rowsOf(loaded.candles) })
    for (const part of csvOf(loaded)) {
      context.signal.throwIfAborted()
      await terminal.out(part)
    }
  })
}

async function loadStored(market: string, options: StoredOptions, context: Context) {
  const { loadCandles } = await import('../../../candles/folder/folder.ts')
  const { candlesFolder } = pathsOf(context, options)
  if (findMarket(market) === undefined) {
    const meant = await suggestMarket(candlesFolder, market)
    throw new Failure('usage', `expected a market, exchange/BASE-QUOTE as stored, found "${market}"${meant}`, {
      hint: '`dcalab candles list` shows what is stored',
    })
  }
  return loadCandles(candlesFolder, {
    market,
    ...checkPeriod(options),
    interval: options.interval ?? null,
  })
}

/** `[timestamp in ms, open, high, low, close, volume]`, as freqtrade writes them. */
function rowsOf(candles: Awaited<ReturnType<typeof loadStored>>['candles']): number[][] {
  const { openTime, open, high, low, close, volume } = candles
  return Array.from(openTime, (time, i) => [time, open[i], high[i], low[i], close[i], volume[i]])
}

interface FetchOptions extends CandlesOptions, ConflictOption {
  readonly market: string
  readonly interval: Interval
  readonly from: string
  readonly to?: string
  readonly source?: string
}

/** How many absent pieces the text output names; `--json` has all. */
const named = 5

function addFetch(candles: Command, context: Context): void {
  const command = candles
    .command('fetch')
    .description('download candles of a market; run it again to catch up')
    .requiredOption('--market <market>', 'exchange/BASE-QUOTE: binance, binance_usdm, coinbase, kraken')
    .addOption(intervalOption({ default: '1m' }))
    .requiredOption('--from <date>', 'first day, e.g. 2024-01-01')
    .addOption(option('--to <date>', 'the day after the last one', { otherwise: 'now' }))
    .addOption(
      option('--source <name>', 'binance-vision, binance, coinbase or kraken', {
        otherwise: 'the one with most of the market',
      }),
    )
    .addOption(conflictOption())
  withExamples(withCandles(withJson(command)), [
    'dcalab candles fetch --market binance/BTC-USDT --from 2024-01-01 --to 2025-01-01',
    'dcalab candles fetch --market coinbase/BTC-USD --interval 1h --from 2025-06-01',
  ]).action(async (options: FetchOptions) => {
    const { system, signal } = context
    const market = findMarket(checkMarket(options.market))
    if (market === undefined) throw new Failure('usage', `${options.market} is no market`)
    const { interval } = options
    const from = checkDate('--from', options.from)
    const to = options.to === undefined ? system.clock.wall() : checkDate('--to', options.to)
    if (from >= to) throw new Failure('usage', '--from must be before --to')
    const [{ fetchCandles }, { chooseSource }] = await Promise.all([
      import('../../../candles/fetch.ts'),
      import('../../../candles/sources/choose.ts'),
    ])
    const report = await withProgress(context, (showProgress) =>
      fetchCandles(system, pathsOf(context, options).candlesFolder, {
        source: chooseSource(options.source, market),
        request: { market, interval, from, to },
        conflict: options.conflict,
        signal,
        onWait: (reason) => say(system.terminal, reason),
        onProgress: ({ name, done, total }) => showProgress(`${done} of ${total} done, now ${name}`),
      }),
    )
    context.suggestNext(`dcalab study init --market ${options.market}`)
    if (options.json) return printJson(system.terminal, shownReport(report))
    const { absent, downloaded, skipped, source } = report
    say(
      system.terminal,
      `${source}: ${downloaded} files downloaded, ${skipped} already stored, ${absent.length} not published`,
    )
    if (absent.length > 0) {
      const rest = absent.length > named ? ` and ${absent.length - named} more` : ''
      say(system.terminal, `not published (yet): ${absent.slice(0, named).join(', ')}${rest}`)
    }
    return printReports(system.terminal, [report], false)
  })
}

/** `dcalab candles check`: reports what is wrong or unusual in a file or a stored market. */
function addCheck(candles: Command, context: Context): void {
  const command = candles
    .command('check')
    .description('check a file or a stored market for gaps and bad prices')
    .argument('<file-or-market>', 'a candle file, or exchange/BASE-QUOTE as stored')
    .addOption(intervalOption({ otherwise: 'the finest stored, or that of the file' }))
    .option('--market <market>', 'market of a file that does not name it')
    .option('--from <date>', 'first day of a stored market')
    .option('--to <date>', 'the day after the last one')
    .addOption(
      decimal('--jump <percent>', 'largest normal move between closes, or to the next open', {
        minimum: 0,
        default: 20,
      }),
    )
  withExamples(withCandles(withJson(command)), [
    'dcalab candles check binance/BTC-USDT',
    'dcalab candles check binance_BTC-USDT_1m_2021-04_2021-05.csv.gz --json',
  ]).action(async (target: string, options: CheckOptions) => {
    const subjects =
      findMarket(target) === undefined
        ? await checkedFile(target, options, context)
        : await checkedMarket(target, options, context)
    if (subjects.some(({ findings }) => findings.some(({ severity }) => severity === 'refuse'))) context.endWith(2)
    const { terminal } = context.system
    const shown = subjects.map(shownSubject)
    if (options.json) return printJson(terminal, shown.length === 1 ? shown[0] : shown)
    const { FINDINGS } = await import('../../../candles/check.ts')
    return printAnswer(
      terminal,
      subjects.flatMap((subject) => describe(subject, FINDINGS)),
    )
  })
}

async function checkedMarket(market: string, options: CheckOptions, context: Context): Promise<Subject[]> {
  const [{ loadCandles }, { checkCandles }] = await Promise.all([
    import('../../../candles/folder/folder.ts'),
    import('../../../candles/check.ts'),
  ])
  const { candles, info } = loadCandles(pathsOf(context, options).candlesFolder, {
    market,
    ...checkPeriod(options),
    interval: options.interval ?? null,
  })
  const { interval, hash, synthetic } = info
  const report = checkCandles(candles, { jumpPercent: options.jump })
  return [{ market, interval, from: Date.parse(info.from), to: Date.parse(info.to), hash, synthetic, ...report }]
}

async function checkedFile(file: string, options: CheckOptions, context: Context): Promise<Subject[]> {
  await requireFile(pathsOf(context, options).candlesFolder, file)
  const { checkFile } = await import('../../../candles/check-file.ts')
  const checks = await checkFile(file, {
    jumpPercent: options.jump,
    ...(options.market === undefined ? {} : { market: checkMarket(options.market) }),
    interval: options.interval,
  })
  return checks.map((check) => ({ file, ...check }))
}

function shownSubject(subject: Subject) {
  return {
    ...subject,
    from: formatTime(subject.from),
    to: formatTime(subject.to),
    gaps: subject.gaps.map((gap) => ({ from: formatTime(gap.from), count: gap.count })),
    findings: shownFindings(subject.findings),
  }
}

function describe(subject: Subject, meanings: Readonly<Record<FindingCode, string>>): Line[] {
  const { file, market, interval, count, missing, longestGap, gaps, findings } = subject
  const name = [file, market].filter((part) => part !== undefined && part !== null).join(': ')
  const gapSummary =
    gaps.length === 0 ? 'no gaps' : `${missing} missing in ${countOf(gaps.length, 'gap')}, the longest of ${longestGap}`
  return [
    `${name} ${interval}: ${count} candles, ${formatTime(subject.from)} to ${formatTime(subject.to)}, ${gapSummary}`,
    ...gaps.map((gap) => `  gap of ${gap.count} from ${formatTime(gap.from)}`),
    ...shownFindings(findings).map((finding) => ({
      label: `  ${finding.severity}`,
      tone: TONES[finding.severity],
      text: `: ${describeFinding(finding, meanings)}`,
    })),
    ...(findings.length === 0 ? ['  nothing found'] : []),
  ]
}

/** A date (00:00Z) or an instant with its offset, in ms. */
function checkDate(flag: string, text: string): number {
  const read = readInstant(text)
  if ('ms' in read) return read.ms
  throw new Failure('usage', `${flag} expects ${read.expected}, found "${text}"`)
}

/** `--from` and `--to` as a period; a missing bound stays missing. */
function checkPeriod(options: PeriodOptions): { from?: number; to?: number } {
  const period = {
    ...(options.from === undefined ? {} : { from: checkDate('--from', options.from) }),
    ...(options.to === undefined ? {} : { to: checkDate('--to', options.to) }),
  }
  if (period.from !== undefined && period.to !== undefined && period.from >= period.to) {
    throw new Failure('usage', `--from must be before --to, found ${options.from} and ${options.to}`)
  }
  return period
}
