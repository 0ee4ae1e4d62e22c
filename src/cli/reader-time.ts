/**
 * Times as people read them: by the clock on their wall, with UTC beside, so that no hour is told twice where clocks are put back. Programs, pipes
 * and JSON have ISO 8601 UTC alone; so has what is a date of the market and not of the reader: candles, periods, deals.
 */
import type { Terminal } from '../system.ts'
import { formatTime } from './output.ts'

/** `2026-03-29 03:30:00 (01:30:00Z)`. `at`: ms UTC, or ISO 8601; a dash for null. */
export type TimeWords = (at: number | string | null) => string

/** For what is printed to stdout. */
export function timesShown(terminal: Terminal): TimeWords {
  return (at) => describeTime(at, terminal.outIsTerminal ? terminal : undefined)
}

/** For what is said on stderr. */
export function timesSaid(terminal: Terminal): TimeWords {
  return (at) => describeTime(at, terminal.errIsTerminal ? terminal : undefined)
}

function describeTime(at: number | string | null, reader: Pick<Terminal, 'aheadOfUtcMs'> | undefined): string {
  if (at === null) return '-'
  const ms = typeof at === 'number' ? at : Date.parse(at)
  if (Number.isNaN(ms)) return String(at) // as a service wrote it
  const aheadMs = reader?.aheadOfUtcMs(ms) ?? 0
  if (aheadMs === 0) return typeof at === 'number' ? formatTime(at) : at
  const [day, time] = partsOf(ms)
  const [localDay, localTime] = partsOf(ms + aheadMs)
  return `${localDay} ${localTime} (${day === localDay ? '' : `${day}T`}${time}Z)`
}

/** Day, and time to the second. */
function partsOf(ms: number): readonly [string, string] {
  const [day, time] = new Date(ms).toISOString().split('T')
  return [day, time.slice(0, 8)]
}
