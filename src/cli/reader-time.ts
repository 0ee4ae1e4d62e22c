/**
 * Times as people read them: by the clock on their wall, with UTC beside, so that no hour is said twice where clocks are put back. Programs, pipes
 * and JSON have ISO 8601 UTC alone; so has what is a date of the market and not of the reader: candles, periods, deals.
 */
import type { Terminal } from '../system.ts'
import { formatTime } from './output.ts'

/** In what is printed to stdout: `2026-03-29 03:30:00 (01:30:00Z)`. `at`: ms UTC, or ISO 8601; a dash for null. */
export function shownTime(terminal: Terminal, at: number | string | null): string {
  return timeFor(terminal, terminal.outIsTerminal, at)
}

/** The same in what is said on stderr. */
export function saidTime(terminal: Terminal, at: number | string | null): string {
  return timeFor(terminal, terminal.errIsTerminal, at)
}

function timeFor(terminal: Terminal, isRead: boolean, at: number | string | null): string {
  if (at === null) return '-'
  const ms = typeof at === 'number' ? at : Date.parse(at)
  if (Number.isNaN(ms)) return String(at) // a service wrote it
  const aheadMs = isRead ? terminal.aheadOfUtcMs(ms) : 0
  if (aheadMs === 0) return formatTime(ms)
  const [day, time] = partsOf(ms)
  const [localDay, localTime] = partsOf(ms + aheadMs)
  return `${localDay} ${localTime} (${day === localDay ? '' : `${day}T`}${time}Z)`
}

/** Day, and time to the second. */
function partsOf(ms: number): readonly [string, string] {
  const [day, time] = new Date(ms).toISOString().split('T')
  return [day, time.slice(0, 8)]
}
