/** `dcalab candles …`: local market data in, listed, checked, generated. */
import type { Command } from 'commander'
import { findInterval, findMarket, INTERVAL_NAMES, type Interval, isInterval } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import { type Context, type Register, withCandles, withExamples, withJson } from './context.ts'
import { decimalNumber, formatTable, formatTime, printJson, printLines, say, wholeNumber } from './output.ts'
import { pathsOf } from './workbench.ts'

interface CandlesOptions {
  readonly json?: boolean
  readonly candlesDir?: string
}

interface ImportOptions extends CandlesOptions {
  readonly market?: string
  readonly interval?: string
  readonly conflict: string
}

interface GenerateOptions extends CandlesOptions {
  readonly market: string
  readonly interval: string
  readonly from: string
  readonly days: number
  readonly seed: number
  readonly startPrice?: number
  readonly volatility?: number
}

export const candlesCommand: Register = (program, context) => {
  const candles = program.command('candles').description('local market data: import, generate, list, check')
  withExamples(candles, [
    'dcalab candles import BTCUSDT-1m-2024-12.csv --market binance/BTC-USDT',
    'dcalab candles list',
  ])
  addImport(candles, context)
  addGenerate(candles, context)
  addList(candles, context)
  addCheck(candles, context)
}

function addImport(candles: Command, context: Context): void {
  const command = candles
    .command('import')
    .description('takes CSV(.gz) candles and Binance Vision klines into the candle folder')
    .argument('<file...>', 'files to import; the layout is recognised by content')
    .option('--market <market>', 'exchange/BASE-QUOTE; guessed from the file name where that tells')
    .option('--interval <interval>', `one of ${INTERVAL_NAMES.join(' ')}; guessed from the name or the spacing`)
    .option('--conflict <policy>', 'a candle that differs from the stored one: keep, replace or refuse', 'keep')
  withExamples(withCandles(withJson(command)), [
    'dcalab candles import binance_BTC-USDT_1m_2021-04_2021-05.csv.gz',
    'dcalab candles import BTCUSDT-1h-2024-12.csv --market binance/BTC-USDT',
  ]).action(async (files: readonly string[], options: ImportOptions) => {
    const { importFile } = await import('../candles/import.ts')
    const { candlesFolder } = pathsOf(context, options)
    const { terminal } = context.system
    const request = {
      ...(options.market === undefined ? {} : { market: checkMarket(options.market) }),
      ...(options.interval === undefined ? {} : { interval: checkInterval(options.interval) }),
      conflict: checkPolicy(options.conflict),
    }
    const reports = []
    for (const [i, file] of files.entries()) {
      context.signal.throwIfAborted()
      if (files.length > 1 && !options.json) say(terminal, `${i + 1} of ${files.length}: ${file}`)
      reports.push(...[importFile(candlesFolder, file, request)].flat())
    }
    const shown = reports.map((report) => ({
      ...report,
      from: formatTime(report.from),
      to: formatTime(report.to),
    }))
    if (options.json) return printJson(terminal, shown.length === 1 ? shown[0] : shown)
    return printLines(
      terminal,
      formatTable(shown, [
        { title: 'market', value: (row) => row.market },
        { title: 'interval', value: (row) => row.interval },
        { title: 'from', value: (row) => row.from },
        { title: 'to', value: (row) => row.to },
        { title: 'added', value: (row) => row.added },
        { title: 'same', value: (row) => row.same },
        { title: 'conflicting', value: (row) => row.conflicting },
        { title: 'missing', value: (row) => row.missing },
      ]),
    )
  })
}

function addGenerate(candles: Command, context: Context): void {
  const command = candles
    .command('generate')
    .description('makes a synthetic market from a seed; labelled synthetic wherever it appears')
    .requiredOption('--market <market>', 'exchange/BASE-QUOTE')
    .option('--interval <interval>', `one of ${INTERVAL_NAMES.join(' ')}`, '1m')
    .requiredOption('--from <date>', 'first day, e.g. 2024-01-01')
    .requiredOption('--days <n>', 'number of days', wholeNumber('--days', 1))
    .option('--seed <n>', 'same seed, same market', wholeNumber('--seed', 0), 1)
    .option('--start-price <price>', 'price at the start', decimalNumber('--start-price', 1e-9))
    .option('--volatility <percent>', 'annual volatility in percent', decimalNumber('--volatility', 0.1))
  withExamples(withCandles(withJson(command)), [
    'dcalab candles generate --market synthetic/DEMO-USDT --from 2024-01-01 --days 365 --seed 1',
    'dcalab candles generate --market synthetic/CALM-USDT --from 2024-01-01 --days 90 --volatility 20',
  ]).action(async (options: GenerateOptions) => {
    const [{ generateCandles }, { storeCandles }, { keepRecipe }] = await Promise.all([
      import('../candles/generate.ts'),
      import('../candles/folder.ts'),
      import('../candles/continue.ts'),
    ])
    const interval = checkInterval(options.interval)
    const market = checkMarket(options.market)
    const recipe = {
      seed: options.seed,
      interval,
      from: checkDate('--from', options.from),
      days: options.days,
      ...(options.startPrice === undefined ? {} : { startPrice: options.startPrice }),
      ...(options.volatility === undefined ? {} : { annualVolatility: options.volatility / 100 }),
    }
    const { candlesFolder } = pathsOf(context, options)
    const report = storeCandles(candlesFolder, {
      market,
      interval,
      candles: generateCandles(recipe),
      synthetic: true,
      conflict: 'refuse',
    })
    keepRecipe(candlesFolder, market, recipe)
    const shown = { ...report, from: formatTime(report.from), to: formatTime(report.to) }
    const { terminal } = context.system
    if (options.json) return printJson(terminal, shown)
    return printLines(terminal, [
      `${shown.market} ${shown.interval}: ${report.added} synthetic candles, ${shown.from} to ${shown.to}`,
    ])
  })
}

function addList(candles: Command, context: Context): void {
  const command = candles.command('list').description('what the candle folder holds')
  withExamples(withCandles(withJson(command)), ['dcalab candles list', 'dcalab candles list --json']).action(
    async (options: CandlesOptions) => {
      const { listCandles } = await import('../candles/folder.ts')
      const { candlesFolder } = pathsOf(context, options)
      const rows = listCandles(candlesFolder).map((row) => ({
        ...row,
        from: formatTime(row.from),
        to: formatTime(row.to),
      }))
      const { terminal } = context.system
      if (options.json) return printJson(terminal, rows)
      if (rows.length === 0)
        return say(terminal, `no candles in ${candlesFolder}; try \`dcalab candles import <file>\``)
      return printLines(
        terminal,
        formatTable(rows, [
          { title: 'market', value: (row) => row.market },
          { title: 'interval', value: (row) => row.interval },
          { title: 'from', value: (row) => row.from },
          { title: 'to', value: (row) => row.to },
          { title: 'candles', value: (row) => row.count },
          { title: 'missing', value: (row) => row.missing },
          { title: 'origin', value: (row) => (row.synthetic ? 'synthetic' : 'recorded') },
          { title: 'hash', value: (row) => row.hash.slice(0, 12) },
        ]),
      )
    },
  )
}

function addCheck(candles: Command, context: Context): void {
  const command = candles
    .command('check')
    .description('gaps, disorder, impossible prices, jumps: what is wrong with a file or a stored market')
    .argument('<file-or-market>', 'a candle file, or exchange/BASE-QUOTE as stored')
    .option('--interval <interval>', 'which stored interval (default: the finest)')
    .option('--market <market>', 'market of a file whose name does not tell')
  withExamples(withCandles(withJson(command)), [
    'dcalab candles check binance/BTC-USDT',
    'dcalab candles check binance_BTC-USDT_1m_2021-04_2021-05.csv.gz --json',
  ]).action(async (target: string, options: ImportOptions) => {
    const { checkCandles } = await import('../candles/check.ts')
    const subject = await readSubject(target, options, context)
    const report = checkCandles(subject.candles)
    const { intervalMs, openTime } = subject.candles
    const shown = {
      ...subject.name,
      interval: findInterval(intervalMs) ?? `${intervalMs} ms`,
      from: formatTime(openTime.at(0) ?? 0),
      to: formatTime((openTime.at(-1) ?? 0) + intervalMs),
      count: report.count,
      missing: report.missing,
      gaps: report.gaps.map((gap) => ({ from: formatTime(gap.from), count: gap.count })),
      findings: report.findings.map((finding) => ({
        ...finding,
        first: finding.first === null ? null : formatTime(finding.first),
      })),
    }
    const { terminal } = context.system
    if (report.findings.some((finding) => finding.severity === 'refuse')) context.endWith(2)
    if (options.json) return printJson(terminal, shown)
    return printLines(terminal, [
      `${target} ${shown.interval}: ${shown.count} candles, ${shown.from} to ${shown.to}, ${shown.missing} missing`,
      ...shown.gaps.map((gap) => `  gap of ${gap.count} from ${gap.from}`),
      ...shown.findings.map(
        (finding) => `  ${finding.severity}: ${finding.code} × ${finding.count}, first ${finding.first ?? '-'}`,
      ),
    ])
  })
}

/** A stored market when the words are one, else a file. */
async function readSubject(target: string, options: ImportOptions, context: Context) {
  const interval = options.interval === undefined ? {} : { interval: checkInterval(options.interval) }
  if (findMarket(target) !== undefined) {
    const { loadCandles } = await import('../candles/folder.ts')
    const { candles } = loadCandles(pathsOf(context, options).candlesFolder, { market: target, ...interval })
    return { name: { market: target }, candles }
  }
  const { readCandleFile } = await import('../candles/import.ts')
  const market = options.market === undefined ? {} : { market: checkMarket(options.market) }
  const { candles } = readCandleFile(target, { ...market, ...interval })
  return { name: { file: target }, candles }
}

function checkMarket(name: string): string {
  if (findMarket(name) !== undefined) return name
  throw new Failure('usage', `--market expects exchange/BASE-QUOTE such as binance/BTC-USDT, found "${name}"`)
}

function checkInterval(name: string): Interval {
  if (isInterval(name)) return name
  throw new Failure('usage', `--interval expects one of ${INTERVAL_NAMES.join(' ')}, found "${name}"`)
}

function checkPolicy(name: string): 'keep' | 'replace' | 'refuse' {
  if (name === 'keep' || name === 'replace' || name === 'refuse') return name
  throw new Failure('usage', `--conflict expects keep, replace or refuse, found "${name}"`)
}

function checkDate(flag: string, text: string): number {
  const ms = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  if (Number.isFinite(ms)) return ms
  throw new Failure('usage', `${flag} expects a date such as 2024-01-01, found "${text}"`)
}
