/**
 * A study asked again of another period or of other markets: its definition with those parts replaced. The question of the file stays what it is;
 * a rerun is kept beside it (`store/studies.ts`).
 */
import { findMarket, type Market, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import { parseStudy } from './parse.ts'
import { valueAt } from './path.ts'
import { replaceMappings, rewriteSource } from './rewrite-source.ts'
import { readSourceDocument } from './source-document.ts'
import { isoSpan, readInstant } from './spans.ts'
import type { Period, Study } from './study.ts'

/** At least one of the two. */
export interface Replacement {
  readonly period?: Period
  readonly markets?: readonly Market[]
}

const PERIOD_FORM = '2025-01-01..2025-03-01, each a date (00:00Z) or an instant'

/** Reads `2025-01-01..2025-03-01`. @throws Failure usage */
export function readPeriod(text: string): Period {
  const parts = text.split('..').map(readInstant)
  const [from, to] = parts
  if (parts.length !== 2 || !('ms' in from) || !('ms' in to))
    throw new Failure('usage', `--period: expected ${PERIOD_FORM}; found "${text}"`)
  if (from.ms >= to.ms) throw new Failure('usage', `--period: expected an end after its start, found "${text}"`)
  return { from: from.ms, to: to.ms }
}

/** Reads `binance/BTC-USDT`s, each once. @throws Failure usage */
export function readMarkets(names: readonly string[]): readonly Market[] {
  return [...new Set(names)].map((name) => {
    const market = findMarket(name)
    if (market === undefined)
      throw new Failure('usage', `--market: expected a market such as binance/BTC-USDT, found "${name}"`)
    return market
  })
}

/**
 * The study with these parts replaced, its text too. Another period is measured whole: what the file holds out, and the folds it tests on, belong to the file's period.
 * On other markets the same spans are measured and held out.
 * @throws Failure studyInvalid where the parts do not fit the rest, such as a market with another quote asset for an objective in money
 */
export function replaceParts(
  study: Study,
  { period, markets }: Replacement,
  size: { readonly mostPoints?: number } = {},
): Study {
  const text = rewriteSource(study.source, {
    parts: [
      ...(period === undefined ? [] : [[['period'], isoSpan(period)] as const, [['validate'], undefined] as const]),
      ...(markets === undefined ? [] : partsOfMarkets(markets)),
    ],
  })
  return { ...parseStudy(text, { file: `${study.name} (rerun)`, ...size }), name: study.name }
}

/** The same study ranked by its profit, in its text too; undefined = it names what it ranks by. */
export function rankedByProfit(study: Study): Study | undefined {
  const { value } = readSourceDocument(study.source, study.name)
  if (valueAt(value, ['objective']) !== undefined) return undefined
  const quotes = new Set(study.markets.map(({ quoteAsset }) => quoteAsset))
  const maximize = quotes.size > 1 ? 'roiPercent' : 'netProfit'
  const text = replaceMappings(study.source, { objective: { maximize } })
  return { ...parseStudy(text, { file: study.name }), name: study.name }
}

function partsOfMarkets(markets: readonly Market[]) {
  const [only, ...others] = markets
  return others.length === 0
    ? [[['market'], only] as const, [['markets'], undefined] as const]
    : [[['market'], undefined] as const, [['markets'], markets] as const]
}

/** As JSON keeps it: `{ period: { from, to }, markets: [name] }`, times in ISO 8601. */
export function writeReplacement({ period, markets }: Replacement): WrittenReplacement {
  return {
    ...(period === undefined ? {} : { period: isoSpan(period) }),
    ...(markets === undefined ? {} : { markets: markets.map(marketName) }),
  }
}

export interface WrittenReplacement {
  readonly period?: { readonly from: string; readonly to: string }
  readonly markets?: readonly string[]
}
