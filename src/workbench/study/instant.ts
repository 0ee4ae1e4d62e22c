/** Dates and instants of a period, in ISO 8601. YAML 1.2 reads both as text, so this file parses them, strictly. */

const pattern = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+-]\d{2}:\d{2})?)?$/

export type ReadInstant = { readonly ms: number } | { readonly expected: string }

/**
 * `2021-04-21` is 00:00Z of that day; an instant needs `Z` or an offset, because a local time is a different moment in every time
 * zone. Milliseconds are the finest unit. Days and times that do not exist (2021-02-30, 24:00, :60) are refused and not changed
 * into the next day.
 */
export function readInstant(text: string): ReadInstant {
  const match = pattern.exec(text)
  if (match === null) return { expected: 'a date (2021-04-21) or an instant (2021-04-21T06:30:00Z)' }
  const [, date = '', minutes, seconds = '00', fraction = '', zone] = match
  if (minutes !== undefined && zone === undefined) return { expected: `an instant with Z or an offset (${text}Z)` }

  const clock = `${minutes ?? '00:00'}:${seconds}.${fraction.padEnd(3, '0')}`
  const local = Date.parse(`${date}T${clock}Z`)
  // Date.parse changes 02-30 into 03-02; a date exists when it is unchanged after parsing.
  const exists = Number.isFinite(local) && new Date(local).toISOString() === `${date}T${clock}Z`
  const offsetMs = findOffset(zone ?? 'Z')
  if (!exists || offsetMs === undefined) return { expected: 'a date and time that exist' }
  return { ms: local - offsetMs }
}

function findOffset(zone: string): number | undefined {
  if (zone === 'Z') return 0
  const hours = Number(zone.slice(1, 3))
  const minutes = Number(zone.slice(4, 6))
  if (hours > 14 || minutes > 59) return undefined
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}
