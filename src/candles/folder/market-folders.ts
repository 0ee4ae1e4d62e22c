/** Lists the markets of a candle folder by its subfolders: `<exchange>/<BASE-QUOTE>`. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { findMarket } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'

export function listMarkets(folder: string): string[] {
  return foldersIn(folder).flatMap((exchange) =>
    foldersIn(join(folder, exchange))
      .map((pair) => `${exchange}/${pair}`)
      .filter((market) => findMarket(market) !== undefined),
  )
}

function foldersIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true })
    return entries
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort()
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return []
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `cannot read the candle folder ${folder}: ${reason}`, { cause })
  }
}
