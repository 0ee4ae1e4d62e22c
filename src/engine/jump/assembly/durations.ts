/** How long the closed deals of a config took, each counted exactly: `../durations.ts` says how they lie in memory. */
import { durationBins, durationBytes, durations } from './scene'

/** @param intervals from the open of the deal's first candle to the end of its last one */
export function countDuration(slot: i32, intervals: i32): void {
  const counts = durations + usize(slot) * durationBytes
  if (intervals <= durationBins) {
    const bin = counts + (usize(intervals) << 2)
    store<i32>(bin, load<i32>(bin) + 1)
    return
  }
  const long = load<i32>(counts)
  store<i32>(counts, long + 1)
  store<i32>(counts + (usize(durationBins + 1 + long) << 2), intervals)
}
