/** Merges candles into the stored months of their market and interval, as one change. */
import type { Interval } from '../../contract/market.ts'
import type { Candles } from '../../engine/candles.ts'
import { Failure } from '../../errors.ts'
import { FINDINGS, refusedFindings } from '../check.ts'
import { type ConflictPolicy, mergeCandles } from '../merge.ts'
import { isoTime, splitByMonth } from '../months.ts'
import { changeMonths, listMonths } from './commit.ts'
import { createMonthReader, encodeMonth } from './month-file.ts'

/** A failure names this many places and counts the rest. */
const namedProblems = 20

/** @throws Failure candlesInvalid unless an engine can use the candles: not empty, ordered, aligned, possible */
export function refuseUnstorable(candles: Candles, name: string, intervalMs: number): void {
  if (candles.openTime.length === 0) throw new Failure('candlesInvalid', `there is no candle of ${name} to store`)
  if (candles.intervalMs !== intervalMs) {
    throw new Failure('candlesInvalid', `candles of ${candles.intervalMs} ms cannot be stored as ${name}`)
  }
  const findings = refusedFindings(candles)
  if (findings.length === 0) return
  throw new Failure('candlesInvalid', `the candles of ${name} cannot be stored`, {
    problems: findings.map(({ code, count, first }) => ({
      place: first !== null && Math.abs(first) <= 8.64e15 ? isoTime(first) : name, // the range of Date
      message: `${code}: ${FINDINGS[code]} (${count} in all)`,
    })),
  })
}

/** Merges month by month and stores the months that changed. @throws Failure candlesInvalid when a refused conflict is found */
export function mergeIntoMonths(
  folder: string,
  request: {
    readonly market: string
    readonly interval: Interval
    readonly candles: Candles
    readonly synthetic: boolean
    readonly conflict: ConflictPolicy
  },
): { added: number; same: number; conflicting: number } {
  const { market, interval, candles, conflict } = request
  return changeMonths(folder, (write) => {
    const stored = new Map(listMonths(folder).map(({ month, path }) => [month, path]))
    const reader = createMonthReader()
    const conflicts: number[] = []
    let added = 0
    let same = 0
    for (const { month, candles: incoming } of splitByMonth(candles)) {
      const path = stored.get(month)
      if (path === undefined) {
        write(month, encodeMonth(incoming, request))
        added += incoming.openTime.length
        continue
      }
      const merge = mergeCandles(reader.read(path, month).candles, incoming, conflict)
      if (merge.changed) write(month, encodeMonth(merge.candles, request))
      added += merge.added
      same += merge.same
      for (const time of merge.conflicts) conflicts.push(time)
    }
    if (conflict === 'refuse' && conflicts.length > 0) throw conflictsRefused(`${market} ${interval}`, conflicts)
    return { added, same, conflicting: conflicts.length }
  })
}

/** @throws Failure candlesInvalid when a stored candle differs; nothing is written */
export function refuseConflicts(
  folder: string,
  { market, interval, candles }: { readonly market: string; readonly interval: Interval; readonly candles: Candles },
): void {
  const stored = new Map(listMonths(folder).map(({ month, path }) => [month, path]))
  const reader = createMonthReader()
  const conflicts = splitByMonth(candles).flatMap(({ month, candles: incoming }) => {
    const path = stored.get(month)
    return path === undefined ? [] : mergeCandles(reader.read(path, month).candles, incoming, 'keep').conflicts
  })
  if (conflicts.length > 0) throw conflictsRefused(`${market} ${interval}`, conflicts)
}

function conflictsRefused(name: string, conflicts: readonly number[]): Failure {
  const named = conflicts.slice(0, namedProblems).map((time) => ({
    place: `${name} ${isoTime(time)}`,
    message: 'differs from the stored candle',
  }))
  return new Failure('candlesInvalid', `${conflicts.length} candles of ${name} differ from what is stored`, {
    problems: named,
    hint: 'choose --conflict keep (the stored ones stay) or replace (the new ones win); the folder is unchanged',
    details: { conflicting: conflicts.length },
  })
}
