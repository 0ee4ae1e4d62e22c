/** `dcalab backtest`: one configuration on local candles, every metric and every deal. Nothing is spent. */
import { findMarket } from '../../contract/market.ts'
import type { ClosedDeal } from '../../engine/deal.ts'
import { Failure } from '../../errors.ts'
import { refuseHeldOut } from '../agent-limits.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { readGiven } from '../input.ts'
import { describeConventions, describeMetrics, inDeals } from '../metrics-table.ts'
import { requireFile } from '../misspelt-market.ts'
import { formatNumber, formatTime, type Line, printAnswer, printJson } from '../output.ts'
import { recordLook } from '../record-look.ts'
import { fittingTable } from '../table.ts'
import { toneOfGain } from '../tone.ts'
import { pathsOf } from '../workbench.ts'
import { sayFarOpens } from './candles/findings.ts'

interface BacktestOptions extends CommonOptions {
  readonly candles?: string
  readonly conventions?: string
  readonly reference?: boolean
}

export const backtestCommand: Register = (program, context) => {
  const command = program
    .command('backtest')
    .description('backtest one configuration on local candles')
    .argument('<config-file>', 'YAML or JSON with config, and optionally conventions, costs, symbol, period')
    .option('--candles <file or market>', 'a candle file, or exchange/BASE-QUOTE from the candle folder')
    .option('--conventions <preset>', 'default or three-commas; beats the file')
    .option('--reference', 'force the engine that walks every candle')
  withExamples(withCandles(withStore(command)), [
    'dcalab backtest studies/three-commas-eth.yaml --candles binance/ETH-USDT',
    'dcalab backtest config.yaml --candles BTCUSDT-1h-2024-12.csv --json',
  ]).action(async (file: string, options: BacktestOptions) => {
    const [{ parseConfigFile }, { configFingerprint }, { backtest }, { runReference }] = await Promise.all([
      import('../../workbench/study/config-file.ts'),
      import('../../workbench/study/fingerprint.ts'),
      import('../../engine/backtest.ts'),
      import('../../engine/reference.ts'),
    ])
    const question = parseConfigFile(await readGiven(context, file), {
      file,
      ...(options.conventions === undefined ? {} : { conventions: options.conventions }),
    })
    const { store: path, candlesFolder } = pathsOf(context, options)
    const { candles, info, unchecked } = await findCandles(options, question, candlesFolder)
    const { market, from, to } = info.shown
    const period = { from: Date.parse(from), to: Date.parse(to) }
    await refuseHeldOut(context, path, { markets: [market], period })
    const run = options.reference ? runReference : backtest
    const { config, conventions, costs, symbol } = question
    const result = run({ candles, config, conventions, costs, symbol: symbol ?? info.symbolRules })
    const { terminal } = context.system
    if (unchecked !== undefined) {
      const { checkCandles } = await import('../../candles/check.ts')
      await sayFarOpens(terminal, `${unchecked.name} ${unchecked.interval}`, checkCandles(unchecked.candles).findings)
    }
    // Candles of a file that says no market are nobody's, and looking at them is counted nowhere.
    if (findMarket(market) !== undefined) {
      await recordLook(context, path, {
        market,
        period,
        source: 'backtest',
        key: configFingerprint(config),
        configs: 1,
      })
    }
    const deals = result.deals.map(withIsoTimes)
    if (options.json) {
      return printJson(terminal, {
        config,
        conventions,
        costs,
        candles: info.shown,
        metrics: result.metrics,
        deals,
        openDeal:
          result.openDeal === null ? null : { ...result.openDeal, openedAt: formatTime(result.openDeal.openedAt) },
      })
    }
    return printAnswer(terminal, [
      `${info.shown.market} ${info.shown.interval}, ${info.shown.from} to ${info.shown.to}: ${info.shown.count} candles, ` +
        `${info.shown.missing} missing${inDeals(result.metrics)}${info.shown.synthetic ? ', synthetic' : ''}`,
      `hash ${info.shown.hash}`,
      '',
      `${'fee and slippage'.padEnd(24)} ${costs.feePercent} %, ${costs.slippagePercent} %`,
      ...describeConventions(conventions),
      '',
      ...describeMetrics(result.metrics, null),
      '',
      ...describeDeals(result.deals),
    ])
  })
}

/** `unchecked`: candles straight from a file, which no import has checked. */
async function findCandles(
  options: BacktestOptions,
  question: { readonly period: { readonly from: number; readonly to: number } | null; readonly market: string | null },
  folder: string,
) {
  const target = options.candles ?? question.market
  if (target === null) {
    throw new Failure('usage', 'which candles? the config names no market', { hint: 'give --candles <file or market>' })
  }
  const period = question.period ?? {}
  if (findMarket(target) !== undefined) {
    const { loadCandles, findSymbolRules } = await import('../../candles/folder/folder.ts')
    const { candles, info } = loadCandles(folder, { market: target, ...period })
    return { candles, info: { shown: info, symbolRules: findSymbolRules(folder, target) }, unchecked: undefined }
  }
  await requireFile(folder, target)
  const [{ readCandleFile }, { selectCandles }] = await Promise.all([
    import('../../candles/import.ts'),
    import('../../candles/folder/folder.ts'),
  ])
  const read = await readCandleFile(target, {})
  const { candles, info } = selectCandles(read, period)
  const { NO_SYMBOL_RULES } = await import('../../engine/conventions.ts')
  return { candles, info: { shown: info, symbolRules: NO_SYMBOL_RULES }, unchecked: read }
}

function withIsoTimes(deal: ClosedDeal) {
  return { ...deal, openedAt: formatTime(deal.openedAt), closedAt: formatTime(deal.closedAt) }
}

const shownDeals = 20

function describeDeals(deals: readonly ClosedDeal[]): Line[] {
  const table = fittingTable(deals.slice(0, shownDeals), [
    { title: 'opened', value: (deal) => formatTime(deal.openedAt) },
    { title: 'closed', value: (deal) => formatTime(deal.closedAt) },
    { title: 'exit', value: (deal) => deal.exit },
    { title: 'safety orders', value: (deal) => deal.safetyOrders },
    { title: 'cost', value: (deal) => deal.cost, digits: 4 },
    { title: 'profit', value: (deal) => deal.profit, digits: 4, tone: toneOfGain },
    { title: 'exit price', value: (deal) => formatNumber(deal.price, 8).replace(/\.?0+$/, '') },
  ])
  const hidden = deals.length - shownDeals
  return hidden > 0 ? [table, `… and ${hidden} more; --json prints all`] : [table]
}
