/** The file with which `dcalab backtest` computes the same. Pure. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { findMarket } from '../../../contract/market.ts'
import type { PageSection, PageTerms } from './document.ts'

/** YAML 1.2; every convention is written out, so that it means the same when the presets change. */
export function backtestFile(
  config: DcaSpotConfig,
  { market, period }: Pick<PageSection, 'market' | 'period'>,
  { conventions, costs, symbol }: Pick<PageTerms, 'conventions' | 'costs' | 'symbol'>,
): string {
  const parts = Object.entries(findMarket(market) ?? {})
  const time = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')
  return [
    'config:',
    ...parts.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`), // a ticker may look like a number
    ...CONFIG_FIELDS.map((field) => `  ${field}: ${config[field]}`),
    'conventions:',
    ...Object.entries(conventions).map(([name, value]) => `  ${name}: ${value}`),
    `costs: { feePercent: ${costs.feePercent}, slippagePercent: ${costs.slippagePercent} }`,
    `symbol: { tick: ${symbol.tick}, lot: ${symbol.lot}, minNotional: ${symbol.minNotional} }`,
    `period: { from: ${time(period.from)}, to: ${time(period.to)} }`,
    '',
  ].join('\n')
}
