/** The files that take a what-if to the terminal: one for `dcalab backtest`, and a study of what was tried. Pure. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { findMarket } from '../../../contract/market.ts'
import type { PageSection, PageTerms } from './document.ts'

const time = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z')

/** YAML 1.2; every convention is written out, so that it means the same when the presets change. */
export function backtestFile(
  config: DcaSpotConfig,
  { market, period, candles }: Pick<PageSection, 'market' | 'period' | 'candles'>,
  { conventions, costs, symbol }: Pick<PageTerms, 'conventions' | 'costs' | 'symbol'>,
): string {
  const parts = Object.entries(findMarket(market) ?? {})
  return [
    'config:',
    ...parts.map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`), // a ticker may read as a number
    ...CONFIG_FIELDS.map((field) => `  ${field}: ${config[field]}`),
    'conventions:',
    ...Object.entries(conventions).map(([name, value]) => `  ${name}: ${value}`),
    `costs: { feePercent: ${costs.feePercent}, slippagePercent: ${costs.slippagePercent} }`,
    `symbol: { tick: ${symbol.tick}, lot: ${symbol.lot}, minNotional: ${symbol.minNotional} }`,
    `period: { from: ${time(period.from)}, to: ${time(period.to)} }`,
    ...(candles.kind === 'absent' ? [] : [`interval: ${candles.interval}`]),
    '',
  ].join('\n')
}

interface TriedStudy {
  readonly name: string
  readonly text: string
  /** Of its whole grid; those that the store has are free. */
  readonly backtests: number
}

/**
 * A study of every combination of the values that were set by hand, and of those that the trial has.
 * @param tried configurations whose numbers were shown, which the lab counts with its own
 */
export function triedStudy(
  {
    stored,
    kept,
    tried,
  }: { readonly stored: DcaSpotConfig; readonly kept: readonly DcaSpotConfig[]; readonly tried: number },
  {
    study,
    market,
    period,
    objective,
    candles,
  }: Pick<PageSection, 'study' | 'market' | 'period' | 'objective' | 'candles'>,
  { conventions, costs }: Pick<PageTerms, 'conventions' | 'costs'>,
): TriedStudy {
  const name = `${study.replace(/@.*$/, '').slice(0, 58)}-tried`
  const axes = CONFIG_FIELDS.flatMap((field) => {
    const values = [...new Set([stored, ...kept].map((config) => config[field]))].sort((a, b) => a - b)
    return values.length > 1 ? [{ field, values }] : []
  })
  const varied = new Set(axes.map(({ field }) => field))
  const flow = (value: object) =>
    `{ ${Object.entries(value)
      .map(([key, each]) => `${key}: ${JSON.stringify(each)}`)
      .join(', ')} }`
  const where = objective.where.map(({ metric, bounds }) => `    ${metric}: ${flow(bounds)}`)
  const text = [
    `name: ${name}`,
    `market: ${flow(findMarket(market) ?? {})}`,
    `period: ${flow({ from: time(period.from), to: time(period.to) })}`,
    ...(candles.kind === 'absent' ? [] : [`interval: ${candles.interval}`]),
    `costs: ${flow(costs)}`,
    'base:',
    ...CONFIG_FIELDS.filter((field) => !varied.has(field)).map((field) => `  ${field}: ${stored[field]}`),
    'grid:',
    ...axes.map(({ field, values }) => `  ${field}: [${values.join(', ')}]`),
    'objective:',
    `  ${objective.direction}: ${objective.metric}`,
    ...(where.length === 0 ? [] : ['  where:', ...where]),
    'conventions:',
    ...Object.entries(conventions).map(([key, value]) => `  ${key}: ${value}`),
    `tried: ${tried}`,
    '',
  ].join('\n')
  return { name, text, backtests: axes.reduce((product, { values }) => product * values.length, 1) }
}
