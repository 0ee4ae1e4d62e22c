/** What is said of a market or a candle file that is not there. */
import { existsSync } from 'node:fs'
import { Failure } from '../errors.ts'

/** "; did you mean binance/BTC-USDT?" of what the candle folder holds, or nothing. */
export async function suggestMarket(folder: string, name: string): Promise<string> {
  const [{ listMarkets }, { suggest }] = await Promise.all([
    import('../candles/folder/market-folders.ts'),
    import('../errors.ts'),
  ])
  return suggest(name, listMarkets(folder))
}

/** For a word that is spelt as no market is, and so has to be a file. @throws Failure usage where there is none */
export async function requireFile(folder: string, name: string): Promise<void> {
  if (existsSync(name)) return
  throw new Failure('usage', `${name} is neither a candle file nor a market${await suggestMarket(folder, name)}`, {
    hint: '`dcalab candles list` shows stored markets as exchange/BASE-QUOTE',
  })
}
