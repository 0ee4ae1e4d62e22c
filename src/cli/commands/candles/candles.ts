/** `dcalab candles …`: the group, with its two shortest commands; the others are in files of their own. */
import type { Command } from 'commander'
import { type Context, type Register, withCandles, withExamples, withJson } from '../../context.ts'
import { decimal, option, whole } from '../../option.ts'
import { formatTime, printAnswer, printJson, printLines, say } from '../../output.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'
import { addCheck } from './check.ts'
import { addExport, addResample } from './derive.ts'
import { addFetch } from './fetch.ts'
import { addImport } from './import.ts'
import { type CandlesOptions, checkDate, checkInterval, checkMarket, intervalHelp, shownReport } from './options.ts'
import { addSymbols } from './symbols.ts'

interface GenerateOptions extends CandlesOptions {
  readonly market: string
  readonly interval: string
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
    .addOption(option('--interval <interval>', intervalHelp, { default: '1m' }))
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
    const [{ generateWithPauses }, { storeCandles }, { keepRecipe }] = await Promise.all([
      import('../../../candles/synthetic/generate.ts'),
      import('../../../candles/folder/folder.ts'),
      import('../../../candles/synthetic/continue.ts'),
    ])
    const interval = checkInterval('--interval', options.interval)
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
