/** `dcalab backtest`: one configuration on local candles, every metric and every deal. Nothing is spent. */

import { CONFIG_BOUNDS } from '../../contract/bot.ts'
import { findMarket } from '../../contract/market.ts'
import type { BacktestInput, ClosedDeal } from '../../engine/deal.ts'
import { Failure } from '../../errors.ts'
import type { LadderLengthFact, StartsFact, TakeProfitFact } from '../../workbench/analysis/certainty/arbitrariness.ts'
import type { ConfigFile } from '../../workbench/study/config-file.ts'
import { refuseHeldOut } from '../agent-limits.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { readGiven, requireFile } from '../input.ts'
import { describeConventions, describeMetrics, inDeals } from '../metrics-table.ts'
import { formatNumber, formatTime, type Line, printAnswer, printJson, toneOfGain } from '../output.ts'
import { fittingTable } from '../table.ts'
import { pathsOf, recordTried } from '../workbench.ts'
import { sayFarPrices } from './candles/options.ts'

interface BacktestOptions extends CommonOptions {
  readonly candles?: string
  readonly conventions?: string
  readonly reference?: boolean
  readonly starts?: boolean
  readonly takeProfits?: { readonly from: number; readonly to: number }
}

export const backtestCommand: Register = (program, context) => {
  const command = program
    .command('backtest')
    .description('backtest one configuration on local candles')
    .argument('<config-file>', 'YAML or JSON: config; optional conventions, costs, symbol, period, interval')
    .option('--candles <file or market>', 'a candle file, or a stored market: exchange/BASE-QUOTE')
    .option('--conventions <preset>', 'default or three-commas; overrides the file')
    .option('--reference', 'use the slow engine that reads every candle')
    .option('--starts', 'start the bot at every candle of the first day')
    .option('--take-profits <from..to>', 'compute profit for every take profit in the range', readRange)
  withExamples(withCandles(withStore(command)), [
    'dcalab backtest studies/three-commas-eth.yaml --candles binance/ETH-USDT',
    'dcalab backtest config.yaml --starts --take-profits 0.5..5',
  ]).action(async (file: string, options: BacktestOptions) => {
    const [{ parseConfigFile }, { configFingerprint }, { backtest }, { runReference }] = await Promise.all([
      import('../../workbench/study/config-file.ts'),
      import('../../workbench/study/fingerprint.ts'),
      import('../../engine/backtest.ts'),
      import('../../engine/reference.ts'),
    ])
    const question = parseConfigFile(await readGiven(context, file), { file, conventions: options.conventions })
    const { store: path, candlesFolder } = pathsOf(context, options)
    const { candles, info, unchecked } = await findCandles(options, question, candlesFolder)
    const { market, from, to } = info.shown
    const period = { from: Date.parse(from), to: Date.parse(to) }
    await refuseHeldOut(context, path, { markets: [market], period })
    const run = options.reference ? runReference : backtest
    const { config, conventions, costs, symbol } = question
    const terms = { conventions, costs, symbol: symbol ?? info.symbolRules }
    const result = run({ candles, config, ...terms })
    const chance = await findChance(options, { candles, config, ...terms })
    const { terminal } = context.system
    if (unchecked !== undefined) {
      const { checkCandles } = await import('../../candles/check.ts')
      await sayFarPrices(terminal, `${unchecked.name} ${unchecked.interval}`, checkCandles(unchecked.candles).findings)
    }
    // Candles of a file that says no market are nobody's, and what is tried on them is counted nowhere.
    if (findMarket(market) !== undefined) {
      await recordTried(context, path, {
        market,
        period,
        source: 'backtest',
        key: configFingerprint(config),
        configs: tried(chance.facts),
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
        ...chance.facts,
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
      ...chance.lines,
      ...describeDeals(result.deals),
    ])
  })
}

/** `unchecked`: candles straight from a file, which no import has checked. */
async function findCandles(
  options: BacktestOptions,
  question: Pick<ConfigFile, 'period' | 'market' | 'interval'>,
  folder: string,
) {
  const target = options.candles ?? question.market
  if (target === null) {
    throw new Failure('usage', 'no market given', {
      hint: 'add --candles binance/ETH-USDT, or exchange, baseAsset and quoteAsset under config',
    })
  }
  const period = question.period ?? {}
  if (findMarket(target) !== undefined) {
    const { loadCandles, findSymbolRules } = await import('../../candles/folder/folder.ts')
    const { candles, info } = loadCandles(folder, { market: target, ...period, interval: question.interval })
    return { candles, info: { shown: info, symbolRules: findSymbolRules(folder, target) }, unchecked: undefined }
  }
  await requireFile(folder, target)
  const [{ readCandleFile }, { selectCandles }] = await Promise.all([
    import('../../candles/import.ts'),
    import('../../candles/folder/folder.ts'),
  ])
  const read = await readCandleFile(target, {})
  if (question.interval !== null && question.interval !== read.interval) {
    throw new Failure(
      'usage',
      `expected ${question.interval} candles, as the file says, found ${read.interval} in ${target}`,
    )
  }
  const { candles, info } = selectCandles(read, period)
  const { NO_SYMBOL_RULES } = await import('../../engine/conventions.ts')
  return { candles, info: { shown: info, symbolRules: NO_SYMBOL_RULES }, unchecked: read }
}

/** "0.5..5", both above 0. @throws Failure usage */
function readRange(text: string): { readonly from: number; readonly to: number } {
  const [from, to, ...rest] = text.split('..').map(Number)
  if (rest.length === 0 && from > 0 && to >= from && to <= CONFIG_BOUNDS.takeProfit.max) return { from, to }
  const expected = `two percentages up to ${CONFIG_BOUNDS.takeProfit.max}, the lower one first: 0.5..5`
  throw new Failure('usage', `--take-profits ${text}: expected ${expected}`)
}

/** How much of the profit is chance, of what was asked for. */
async function findChance({ starts, takeProfits }: BacktestOptions, { candles, config, ...terms }: BacktestInput) {
  const facts: { starts?: StartsFact; takeProfitCurve?: TakeProfitFact; ladderLength?: LadderLengthFact } = {}
  const lines: string[] = []
  if (candles.openTime.length === 0 || (!starts && takeProfits === undefined)) return { facts, lines }
  const [
    { factOfLadderLengths, factOfStarts, factOfTakeProfits },
    { describeLadderLengths, describeStarts, describeTakeProfits },
    { prepareCandles },
  ] = await Promise.all([
    import('../../workbench/analysis/certainty/arbitrariness.ts'),
    import('./examine/describe-examination.ts'),
    import('../../engine/jump/prepared.ts'),
  ])
  const prepared = prepareCandles(candles)
  if (starts) {
    facts.starts = factOfStarts(prepared, terms, config)
    lines.push(...titled('start', describeStarts(facts.starts)), '')
  }
  if (takeProfits !== undefined) {
    facts.takeProfitCurve = factOfTakeProfits(prepared, terms, config, takeProfits)
    facts.ladderLength = factOfLadderLengths(prepared, terms, config)
    lines.push(...titled('take profit', describeTakeProfits(facts.takeProfitCurve)), '')
    lines.push(`safety orders: ${describeLadderLengths(facts.ladderLength)}`, '')
  }
  return { facts, lines }
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

/** Configurations whose profit it has compared. */
function tried({
  takeProfitCurve,
  ladderLength,
}: {
  takeProfitCurve?: TakeProfitFact
  ladderLength?: LadderLengthFact
}) {
  if (takeProfitCurve === undefined || ladderLength === undefined) return 1
  return takeProfitCurve.pieces + ladderLength.to - ladderLength.from
}

function titled(title: string, [first, ...rest]: readonly string[]): string[] {
  return [`${title}: ${first}`, ...rest.map((line) => `  ${line}`)]
}
