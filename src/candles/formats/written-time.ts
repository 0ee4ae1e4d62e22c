/**
 * Reads times that are written as text, from bytes: `2025-05-27 04:36:00-04:00`, `2025-05-27T08:36Z`, `2025-05-27`, `20180501
 * 00:00`. A time without an offset is taken as UTC: exchanges record in UTC, and the time zone of whoever made the file is not
 * known.
 */

const space = 32
const plus = 43
const dash = 45
const point = 46
const colon = 58
const capitalT = 84
const capitalZ = 90

/** The time in ms UTC, or NaN when bytes start ≤ i < end are no date of the calendar with an optional time and offset. */
export function parseTimeText(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  /** The next `count` digits as a number, or NaN. */
  const digits = (count: number): number => {
    if (at + count > end) return Number.NaN
    let value = 0
    for (let i = 0; i < count; i++, at++) {
      const digit = bytes[at] - 48
      if (digit < 0 || digit > 9) return Number.NaN
      value = value * 10 + digit
    }
    return value
  }
  const skip = (byte: number): boolean => {
    if (at >= end || bytes[at] !== byte) return false
    at++
    return true
  }

  const year = digits(4)
  const dashed = skip(dash)
  const month = digits(2)
  if (dashed && !skip(dash)) return Number.NaN
  const day = digits(2)
  const date = dateOf(year, month, day)
  if (at === end || Number.isNaN(date)) return date
  if (!skip(space) && !skip(capitalT)) return Number.NaN
  const hours = digits(2)
  if (!skip(colon)) return Number.NaN
  const minutes = digits(2)
  const seconds = skip(colon) ? digits(2) : 0
  let fraction = 0
  if (skip(point)) {
    const first = at
    for (let scale = 100; at < end && bytes[at] >= 48 && bytes[at] <= 57; at++, scale /= 10) {
      fraction += (bytes[at] - 48) * scale
    }
    if (at === first) return Number.NaN
  }
  if (!(hours < 24 && minutes < 60 && seconds < 60)) return Number.NaN
  const time = date + ((hours * 60 + minutes) * 60 + seconds) * 1000 + fraction
  if (at === end || (skip(capitalZ) && at === end)) return time
  if (end - at === 4 && skip(space) && skip(85) && skip(84) && skip(67)) return time // " UTC"
  const west = skip(dash)
  if (!west && !skip(plus)) return Number.NaN
  const offsetHours = digits(2)
  skip(colon)
  const offsetMinutes = at === end ? 0 : digits(2)
  if (at !== end || !(offsetHours < 24 && offsetMinutes < 60)) return Number.NaN
  const offset = (offsetHours * 60 + offsetMinutes) * 60_000
  return west ? time + offset : time - offset
}

const daysInMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

function dateOf(year: number, month: number, day: number): number {
  if (!(year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth[month - 1])) return Number.NaN
  const time = Date.UTC(year, month - 1, day)
  return new Date(time).getUTCDate() === day ? time : Number.NaN // 29 February of a year that is no leap year
}
