/** Times by the clock on the reader's wall, with UTC beside; in UTC alone where programs read them. */
import { afterEach, expect, it } from 'vitest'
import { timesSaid, timesShown } from '../../src/cli/output.ts'
import { realSystem } from '../../src/system.ts'

const zone = process.env.TZ ?? 'UTC'
afterEach(() => {
  process.env.TZ = zone
})

const onTerminal = () => ({ ...realSystem({}).terminal, outIsTerminal: true, errIsTerminal: false })

it.each([
  ['Europe/Berlin', '2026-01-15T06:34:05Z', '2026-01-15 07:34:05 (06:34:05Z)'],
  ['Europe/Berlin', '2026-07-15T06:34:05Z', '2026-07-15 08:34:05 (06:34:05Z)'],
  ['Europe/Berlin', '2026-03-29T00:59:59Z', '2026-03-29 01:59:59 (00:59:59Z)'],
  ['Europe/Berlin', '2026-03-29T01:00:00Z', '2026-03-29 03:00:00 (01:00:00Z)'],
  ['Europe/Berlin', '2026-10-25T00:30:00Z', '2026-10-25 02:30:00 (00:30:00Z)'],
  ['Europe/Berlin', '2026-10-25T01:30:00Z', '2026-10-25 02:30:00 (01:30:00Z)'],
  ['America/New_York', '2026-01-01T03:00:00Z', '2025-12-31 22:00:00 (2026-01-01T03:00:00Z)'],
  ['Asia/Kolkata', '2026-01-01T03:00:00Z', '2026-01-01 08:30:00 (03:00:00Z)'],
  ['UTC', '2026-01-01T03:00:00Z', '2026-01-01T03:00:00Z'],
])('in %s it is told as %s → %s', (reader, at, words) => {
  process.env.TZ = reader
  expect(timesShown(onTerminal())(at)).toBe(words)
  expect(timesShown(onTerminal())(Date.parse(at))).toBe(words)
})

it('what is piped has UTC alone, whichever of the two streams it is', () => {
  const at = Date.UTC(2026, 0, 1)
  expect(timesSaid(onTerminal())(at)).toBe('2026-01-01T00:00:00Z')
  expect(timesShown({ ...onTerminal(), outIsTerminal: false, errIsTerminal: true })(at)).toBe('2026-01-01T00:00:00Z')
})

it('a time that is not known is a dash, and one that nobody can read stays as a service wrote it', () => {
  expect(timesShown(onTerminal())(null)).toBe('-')
  expect(timesShown(onTerminal())('soon')).toBe('soon')
})
