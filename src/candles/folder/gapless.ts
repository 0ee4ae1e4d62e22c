/** The longest stretch of stored candles in which none is missing. */
import { INTERVALS, type Interval } from '../../contract/market.ts'
import { findGaps } from '../check.ts'
import { intervalFolder } from './folder.ts'
import { createMonthReader, readMonthHeads, type StoredMonth } from './stored-months.ts'

/** Times in ms UTC; `to` is where the candle after the last one would open. */
interface GaplessStretch {
  readonly from: number
  readonly to: number
}

/** undefined = nothing is stored. Months that are whole are taken by their heads; only others are read. @throws Failure candlesInvalid */
export function longestGapless(folder: string, market: string, interval: Interval): GaplessStretch | undefined {
  const reader = createMonthReader()
  const runs = readMonthHeads(intervalFolder(folder, market, interval), interval).flatMap((month) =>
    runsOf(month, INTERVALS[interval], () => findGaps(reader.read(month.path, month.month).candles)),
  )
  let longest: GaplessStretch | undefined
  let open: GaplessStretch | undefined
  for (const run of runs) {
    open = open !== undefined && open.to === run.from ? { from: open.from, to: run.to } : run
    if (longest === undefined || open.to - open.from > longest.to - longest.from) longest = open
  }
  return longest
}

function runsOf(
  { head }: StoredMonth,
  intervalMs: number,
  gapsOf: () => ReturnType<typeof findGaps>,
): GaplessStretch[] {
  const to = head.last + intervalMs
  if ((to - head.first) / intervalMs === head.count) return [{ from: head.first, to }]
  const gaps = gapsOf()
  return [...gaps, undefined].map((gap, index) => {
    const before = gaps.at(index - 1)
    const from = index === 0 || before === undefined ? head.first : before.from + before.count * intervalMs
    return { from, to: gap?.from ?? to }
  })
}
