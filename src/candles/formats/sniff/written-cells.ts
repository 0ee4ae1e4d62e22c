/** Cells as people and programs write them: dates once the order of day and month is known, hours of a time zone, numbers by their decimal mark. */

/** Which of three numbers is the day, the month, the year. */
export type DateOrder = 'ymd' | 'mdy' | 'dmy'

interface WrittenTime {
  /** ms, as if it were written in UTC. */
  readonly local: number
  /** Minutes ahead of UTC as written beside it; null when nothing is. */
  readonly offset: number | null
  /** Those of a zone, which say too little: EST is two of them; '' = none. */
  readonly letters: string
}

const minuteMs = 60_000
const dayMs = 86_400_000
const WORD = '[\\p{L}]{3,12}\\.?'
const CLOCK = /^[T ,]\s*(\d{1,2})(?:[:h](\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?)?[ -]?([ap]\.?m\.?)?/iu
const PACKED_CLOCK = /^[T ]?(\d{2})(\d{2})(\d{2})?(?!\d)/u
const OFFSET = /^\s*(?:z|(?:utc|gmt)?\s*(?:([+-])(\d{1,2}):?(\d{2})?)?|([a-z]{2,5}))$/iu

const NUMBERS = /^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})(?!\d)/u
const PACKED = /^(\d{4})(\d{2})(\d{2})(?=$|[T ]|\d{4})/u
const CHINESE = /^(\d{4})年(\d{1,2})月(\d{1,2})日/u
const MONTH_FIRST = new RegExp(`^(?:${WORD},?\\s+)?(${WORD})\\s+(\\d{1,2}),?\\s+(\\d{4})(?!\\d)`, 'u')
const DAY_FIRST = new RegExp(
  `^(?:${WORD},?\\s+)?(\\d{1,2})\\.?[ -](?:de )?(${WORD})[ -](?:de )?(\\d{4}|\\d{2})(?!\\d)`,
  'u',
)

/**
 * A date with an optional time of day and offset, or undefined. `order` is asked only where the text leaves it open: of numbers
 * whose first is no year. Days between points are taken before months, as everybody writes them who writes points.
 */
export function readWrittenTime(text: string, order: DateOrder): WrittenTime | undefined {
  const written = text.trim()
  const date = readDate(written, order)
  if (date === undefined) return undefined
  const rest = written.slice(date.length)
  const clock = PACKED_CLOCK.exec(rest) ?? CLOCK.exec(rest)
  const offset = OFFSET.exec(rest.slice(clock?.[0].length ?? 0))
  if (offset === null) return undefined
  const ms = clock === null ? 0 : timeOfDay(clock)
  if (Number.isNaN(ms)) return undefined
  const letters = offset[4] ?? ''
  return { local: date.ms + ms, offset: letters === '' ? offsetMinutes(offset) : null, letters }
}

/** Whether the order of day and month is not written in it: `05/06/2021`, but not `2021-06-05`, `6.5.2021` or `May 6, 2021`. */
export function leavesOrderOpen(text: string): boolean {
  const [, first = '', mark, , last = ''] = NUMBERS.exec(text.trim()) ?? []
  return mark !== undefined && first.length < 4 && !(mark === '.' && last.length === 4)
}

function readDate(text: string, order: DateOrder): { readonly ms: number; readonly length: number } | undefined {
  for (const form of [NUMBERS, PACKED, CHINESE, MONTH_FIRST, DAY_FIRST]) {
    const found = form.exec(text)
    if (found === null) continue
    const ms = dateMs(form, found, order)
    return Number.isNaN(ms) ? undefined : { ms, length: found[0].length }
  }
  return undefined
}

function dateMs(form: RegExp, found: RegExpExecArray, order: DateOrder): number {
  const [, a = '', b = '', c = '', d = ''] = found
  if (form === MONTH_FIRST) return utcDay(c, monthNamed(a), b)
  if (form === DAY_FIRST) return utcDay(c, monthNamed(b), a)
  if (form !== NUMBERS) return utcDay(a, Number(b), c)
  if (a.length === 4) return utcDay(a, Number(c), d)
  if (a.length > 2) return Number.NaN
  if (order === 'ymd') return d.length <= 2 ? utcDay(a, Number(c), d) : Number.NaN
  return order === 'mdy' ? utcDay(d, Number(a), c) : utcDay(d, Number(c), a)
}

/** NaN where the calendar has no such day. A year of two digits is of this century. */
function utcDay(year: string, month: number, day: string): number {
  if (year.length !== 4 && year.length !== 2) return Number.NaN
  const ms = Date.UTC(year.length === 2 ? 2000 + Number(year) : Number(year), month - 1, Number(day))
  const made = new Date(ms)
  return made.getUTCMonth() === month - 1 && made.getUTCDate() === Number(day) ? ms : Number.NaN
}

function timeOfDay([, hours = '', minutes = '0', seconds = '0', fraction = '', half]: RegExpExecArray): number {
  const isHalf = half !== undefined
  const hour = Number(hours)
  if (hour > (isHalf ? 12 : 23) || (isHalf && hour === 0) || Number(minutes) > 59 || Number(seconds) > 59)
    return Number.NaN
  const afternoon = isHalf && half.toLowerCase().startsWith('p') ? 12 : 0
  const whole = ((isHalf ? hour % 12 : hour) + afternoon) * 60 + Number(minutes)
  return (whole * 60 + Number(seconds)) * 1000 + Math.round(Number(`0.${fraction || 0}`) * 1e6) / 1000
}

function offsetMinutes([text, sign, hours = '0', minutes = '0']: RegExpExecArray): number | null {
  if (sign === undefined) return text.trim() === '' ? null : 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

let months: ReadonlyMap<string, number> | undefined

/** By the names, whole and short, of the languages whose columns we know; NaN when it is none. */
function monthNamed(word: string): number {
  months ??= namesOfMonths()
  return months.get(bare(word)) ?? Number.NaN
}

function namesOfMonths(): ReadonlyMap<string, number> {
  const names = new Map<string, number>()
  for (const locale of ['en', 'de', 'fr', 'es', 'pt', 'ru']) {
    for (const month of ['long', 'short'] as const) {
      const format = new Intl.DateTimeFormat(locale, { month, day: 'numeric', timeZone: 'UTC' })
      for (let number = 1; number <= 12; number++) {
        const part = format.formatToParts(Date.UTC(2021, number - 1, 5)).find(({ type }) => type === 'month')
        if (part === undefined) continue
        const known = names.get(bare(part.value))
        // A word that means two months is none.
        names.set(bare(part.value), known === undefined || known === number ? number : Number.NaN)
      }
    }
  }
  return names
}

function bare(word: string): string {
  return word.toLowerCase().replace('.', '')
}

/**
 * Turns times of a zone, as they stand in a file one after the other, into ms UTC. An hour that the zone repeats in autumn is the one
 * nearer to the time before it; one that it skips in spring is NaN.
 * @throws RangeError when the zone is not known
 */
export function zoneReader(zone: string): (local: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  const known = new Map<number, number>()
  /** ms ahead of UTC at that moment. */
  const ahead = (utc: number): number => {
    const quarter = Math.floor(utc / (15 * minuteMs))
    const cached = known.get(quarter)
    if (cached !== undefined) return cached
    const at = quarter * 15 * minuteMs
    const parts = Object.fromEntries(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]))
    const shown = Date.UTC(parts.year, parts.month - 1, parts.day, parts.hour, parts.minute)
    known.set(quarter, shown - at)
    return shown - at
  }
  let before = Number.NaN
  let rises = true // of two that are equally near, as half hours are when clocks go back, the one further on
  return (local) => {
    const offsets = new Set([ahead(local - dayMs), ahead(local + dayMs)])
    const fitting = [...offsets].map((offset) => local - offset).filter((utc) => ahead(utc) === local - utc)
    const distance = (utc: number): number => (utc === before ? Number.POSITIVE_INFINITY : Math.abs(utc - before))
    fitting.sort((a, b) => (Number.isNaN(before) ? a - b : distance(a) - distance(b) || (rises ? b - a : a - b)))
    const [nearest = Number.NaN] = fitting
    if (nearest !== before && !Number.isNaN(before)) rises = nearest > before
    before = nearest
    return nearest
  }
}

export type DecimalMark = 'point' | 'comma'

const FORMS = {
  point: /^[-+]?(?:\d+|\d{1,3}(?:[ ,'’]\d{3})+|(?=\.\d))(?:\.\d*)?(?:e[-+]?\d{1,3})?$/i,
  comma: /^[-+]?(?:\d+|\d{1,3}(?:[ .'’]\d{3})+|(?=,\d))(?:,\d*)?(?:e[-+]?\d{1,3})?$/i,
} as const
const TIMES = { k: 1e3, m: 1e6, b: 1e9 } as const

/** With groups of thousands, a currency before it, K, M or B behind it; NaN when it is none by this mark. */
export function readNumber(cell: string, mark: DecimalMark): number {
  const bare = cell
    .trim()
    .replace(/^[$€£¥]\s?/, '')
    .replaceAll(/[\u00a0\u202f]/g, ' ')
  const [, digits = bare, unit] = /^(.*\d)\s?([kmb])$/i.exec(bare) ?? []
  const group = mark === 'point' ? ',' : '.'
  // Groups of thousands begin with no 0: "0.500" is one half.
  if (!FORMS[mark].test(digits) || (digits.includes(group) && /^[-+]?0/.test(digits))) return Number.NaN
  const plain = digits.replaceAll(/[ '’]/g, '').replaceAll(group, '')
  const value = Number(mark === 'point' ? plain : plain.replace(',', '.'))
  const key = unit?.toLowerCase()
  return key === 'k' || key === 'm' || key === 'b' ? Math.round(value * TIMES[key] * 1e6) / 1e6 : value
}

/** A time as one number, in any unit; NaN when it is none. */
export function numericTime(text: string): number {
  const plain = /^\d{1,3}(?:,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text
  return /^\d+(?:\.\d+)?(?:e\+?\d+)?$/i.test(plain) ? Number(plain) : Number.NaN
}
