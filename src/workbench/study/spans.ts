/**
 * The spans of a study: a part of its period may be held out. It is cut off where the file is read, so that what measures, screens or
 * draws a study cannot reach it by forgetting that it is there.
 */
import type { Period } from './study.ts'

// Dates and instants of a period, in ISO 8601. YAML 1.2 reads both as text, so this file parses them, strictly.

const pattern = /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?(Z|[+-]\d{2}:\d{2})?)?$/

type ReadInstant = { readonly ms: number } | { readonly expected: string }

/**
 * `2021-04-21` is 00:00Z of that day; an instant needs `Z` or an offset, because a local time is a different moment in every time
 * zone. Milliseconds are the finest unit. Days and times that do not exist (2021-02-30, 24:00, :60) are refused and not changed
 * into the next day.
 */
export function readInstant(text: string): ReadInstant {
  const match = pattern.exec(text)
  if (match === null) return { expected: 'a date (2021-04-21) or an instant (2021-04-21T06:30:00Z)' }
  const [, date = '', hoursMinutes, seconds = '00', fraction = '', zone] = match
  if (hoursMinutes !== undefined && zone === undefined) return { expected: `an instant with Z or an offset (${text}Z)` }

  const clock = `${hoursMinutes ?? '00:00'}:${seconds}.${fraction.padEnd(3, '0')}`
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

const DAY_MS = 86_400_000

interface Spans {
  readonly train: Period
  /** null = nothing is held out. */
  readonly holdout: Period | null
}

interface SpanFields {
  readonly period: Period
  readonly validate?: { readonly holdout?: HoldoutSize | undefined; readonly embargo: number } | undefined
}

/** How much is held out: a share of the period, a length in ms, or where it begins in ms UTC. */
type HoldoutSize = { readonly share: number } | { readonly length: number } | { readonly start: number }

/** The hold-out is [h, to); h of a share or a length is rounded down to 00:00Z, of a date it is the date. Train ends `embargo` ms before h. */
export function spansOf({ period, validate }: SpanFields): Spans {
  if (validate?.holdout === undefined) return { train: period, holdout: null }
  const start = startOf(validate.holdout, period)
  return {
    train: { from: period.from, to: start - validate.embargo },
    holdout: { from: start, to: period.to },
  }
}

function startOf(size: HoldoutSize, { from, to }: Period): number {
  if ('start' in size) return size.start
  const length = 'share' in size ? size.share * (to - from) : size.length
  return Math.floor((to - length) / DAY_MS) * DAY_MS
}

/** Why a study cannot be cut this way; undefined = it can. */
export function findSpanProblem(fields: SpanFields): string | undefined {
  const { train, holdout } = spansOf(fields)
  if (holdout === null) return undefined
  const iso = (at: number) => new Date(at).toISOString()
  if (holdout.from >= holdout.to)
    return `expected a start before the end of the period (${iso(holdout.to)}), found ${iso(holdout.from)}`
  if (train.to <= train.from)
    return `no days are left before the hold-out and its embargo: they begin at ${iso(train.to)}, the period at ${iso(train.from)}`
  return undefined
}

/** Reads `25%`, `30d` or a date; undefined when it is none of them. */
export function readHoldout(text: string): HoldoutSize | undefined {
  const share = /^(\d+(?:\.\d+)?)\s?%$/.exec(text)?.[1]
  if (share !== undefined) return Number(share) > 0 && Number(share) < 100 ? { share: Number(share) / 100 } : undefined
  const length = readDays(text)
  if (length !== undefined) return length > 0 ? { length } : undefined
  const instant = readInstant(text)
  return 'ms' in instant ? { start: instant.ms } : undefined
}

/** Reads `30d` to ms; undefined when it is not of that form. */
export function readDays(text: string): number | undefined {
  const days = /^(\d{1,5})d$/.exec(text)?.[1]
  return days === undefined ? undefined : Number(days) * DAY_MS
}

/** As JSON and study files write it: ISO 8601, UTC. */
export function isoSpan({ from, to }: Period) {
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}
