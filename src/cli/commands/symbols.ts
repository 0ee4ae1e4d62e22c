/** `dcalab symbols`: the symbols of an exchange that the service has. */
import { Failure } from '../../errors.ts'
import { isoOrNull } from '../bot-view.ts'
import { type CommonOptions, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { printAnswer, printJson, say } from '../output.ts'
import { withService } from '../service-link.ts'
import { fittingTable } from '../table.ts'
import { pathsOf, withOpenStore } from '../workbench.ts'

interface SymbolsOptions extends CommonOptions {
  readonly quote?: string
}

export const symbolsCommand: Register = (program, context) => {
  const command = program
    .command('symbols')
    .description('the spot symbols of an exchange, by the service')
    .argument('<exchange>', 'such as binance')
    .option('--quote <asset>', 'only those quoted in this asset')
  withExamples(withCandles(withStore(command)), [
    'dcalab symbols binance --quote USDT',
    'dcalab symbols synthetic --json',
  ]).action(async (exchange: string, options: SymbolsOptions) => {
    const { failureOf } = await import('../../workbench/api/failure.ts')
    const { store: path, candlesFolder } = pathsOf(context, options)
    const { quote } = options
    const outcome = await withOpenStore(context, path, (store) =>
      withService(context, { store, candlesFolder }, ({ client }) =>
        client.listSymbols({ exchange, ...(quote === undefined ? {} : { quote }) }),
      ),
    )
    if (outcome.kind === 'missing') {
      const [{ listMarkets }, { suggest }] = await Promise.all([
        import('../../candles/folder/market-folders.ts'),
        import('../../errors.ts'),
      ])
      const known = [...new Set(listMarkets(candlesFolder).map((market) => market.split('/')[0]))]
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
