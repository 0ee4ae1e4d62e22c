/** `dcalab candles symbols`: shows and sets tick, lot and smallest order of markets, also from Binance's exchangeInfo. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import { type Context, withCandles, withExamples, withJson } from '../../context.ts'
import { decimal } from '../../option.ts'
import { printAnswer, printJson, say } from '../../output.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf } from '../../workbench.ts'
import { type CandlesOptions, checkMarket } from './options.ts'

interface SymbolsOptions extends CandlesOptions {
  readonly market?: string
  readonly tick?: number
  readonly lot?: number
  readonly minNotional?: number
}

export function addSymbols(candles: Command, context: Context): void {
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
    const { readSymbolRules, saveSymbolRules } = await import('../../../candles/folder/symbol-rules.ts')
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
