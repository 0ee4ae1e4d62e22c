/** freqtrade's JSON: one array of `[open time in ms, open, high, low, close, volume]`. */
import { createRowCollector, type ProblemList, type RawFile, type RowRules } from './row-collector.ts'

/** @throws Error when the bytes are no JSON array of rows */
export function readFreqtradeJson(bytes: Uint8Array, rules: RowRules, problems: ProblemList): RawFile {
  const content: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  if (!Array.isArray(content)) throw new Error('it is no array of candles')
  const collector = createRowCollector(content.length, rules, problems)
  const cells = new Float64Array(6)
  for (const [i, row] of content.entries()) {
    if (Array.isArray(row) && row.length === 6 && row.every((cell) => typeof cell === 'number')) {
      cells.set(row)
      collector.add(i + 1, cells)
    } else {
      const shown = JSON.stringify(row)?.slice(0, 80)
      problems.add(i + 1, 'unreadable', `expected [time, open, high, low, close, volume] in numbers, found ${shown}`)
    }
  }
  const series = [{ ...collector.finish(), market: null, symbol: null, interval: null, synthetic: false }]
  return { layout: 'freqtrade-json', series, holdsConflicts: false }
}
