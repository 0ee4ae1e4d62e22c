/**
 * What a dialect imports: `import { form, money, percent, share, time, minutes } from 'dcalab'`. Each helper reads a whole value or says
 * why not; none takes the beginning of a text for all of it. The readers of this folder read by the same functions.
 *
 * One file without imports, Intl or `Date.parse`: it runs in the program and, as text, beside a dialect. `dcalab.d.ts` has its types for editors.
 */

/** A value that was not read, and why. JSON keeps it as it is; the metric becomes NULL with this reason. */
export interface Unread {
  readonly unread: string
}

/** A finite number, or why there is none. `null` and `undefined` come back as they are: nothing was there to be read. */
export type Read = number | Unread | null | undefined

/** What a service's texts do not show by themselves. */
export interface Form {
  /** The decimal mark; the other one then groups by three. Without it each text has to show it: "1,853.34" and "0,853" do, "1,234" does not. */
  readonly decimal?: '.' | ','
  /** Of `money`: the one unit that may be written ("USDT", "$"); '' = none. Default: any code of capitals and any sign of a currency. */
  readonly unit?: string
  /** Of `time`: whether 03/04/2025 begins with the day or with the month. */
  readonly dates?: 'dmy' | 'mdy'
  /** Of `time`: the zone of a time of day that names none: "UTC", "+02:00". */
  readonly zone?: string
  /** Of `minutes`: what a number without a unit counts. Default "min". */
  readonly from?: 'ms' | 's' | 'min' | 'h' | 'd'
  /** Without its sign: a drawdown of "-12.5 %" is 12.5. */
  readonly absolute?: boolean
}

export interface Helpers {
  money(value: unknown, more?: Form): Read
  percent(value: unknown, more?: Form): Read
  share(value: unknown, more?: Form): Read
  time(value: unknown, more?: Form): Read
  minutes(value: unknown, more?: Form): Read
}

/** Without a form: each text has to show what it is. */
const AS_WRITTEN: Form = {}

const LONGEST = 100
const PERCENT = /^(?:%|percent|pct)$/i
const UNIT_MS = { ms: 1, s: 1_000, min: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/**
 * The helpers for one way of writing: `const { money, time } = form({ decimal: ',', zone: 'UTC' })`.
 * @throws Error for a form that is none
 */
export function form(options: Form): Helpers {
  checkForm(options)
  return {
    money: (value, more) => money(value, { ...options, ...more }),
    percent: (value, more) => percent(value, { ...options, ...more }),
    share: (value, more) => share(value, { ...options, ...more }),
    time: (value, more) => time(value, { ...options, ...more }),
    minutes: (value, more) => minutes(value, { ...options, ...more }),
  }
}

/** An amount: 12.5, "12.5", "1,853.34 USDT", "$1.853,34", "(12.50)". A count or a ratio that is written as text is read by it too. */
export function money(value: unknown, options: Form = AS_WRITTEN): Read {
  return readNumber(value, options, (unit) => refuseUnit(unit, options.unit))
}

/** A percentage in percent: 58.5, "58.5", "58,5 %", "58.5 percent". A fraction is read by `share`. */
export function percent(value: unknown, options: Form = AS_WRITTEN): Read {
  return readNumber(value, options, (unit) =>
    unit === '' || PERCENT.test(unit) ? null : `it is in ${unit}, not in percent`,
  )
}

/** A fraction as percent: 0.585 and "0,585" → 58.5. */
export function share(value: unknown, options: Form = AS_WRITTEN): Read {
  const read = readNumber(value, options, (unit) => {
    if (PERCENT.test(unit)) return 'it is in percent already: read it with percent'
    return unit === '' ? null : `it is in ${unit}, not a fraction`
  })
  return typeof read === 'number' ? hundredfold(read) : read
}

/**
 * A time as ms since 1970 UTC: seconds, ms, µs or ns by their size; ISO 8601; RFC 1123; a date alone is its midnight in UTC. A time of day
 * needs a zone and 03/04/2025 an order, written there or said with `form`. Times before 2000 and from 2200 on are refused.
 */
export function time(value: unknown, options: Form = AS_WRITTEN): Read {
  checkForm(options)
  if (isPassed(value)) return value
  if (typeof value === 'number' || (typeof value === 'string' && /^\s*\d+(?:\.\d+)?\s*$/.test(value)))
    return timeBySize(value)
  if (typeof value !== 'string' || value.length > LONGEST) return unread(`expected a time, found ${shown(value)}`)
  const read = timeInText(value.trim(), options)
  return typeof read === 'number' ? read : unread(`${shown(value)}${read}`)
}

/**
 * A duration in minutes: 90, "90", "1.5 h", "1d 2h 30m", "1:30:00", "PT1H30M". A number without a unit counts minutes, or what `from` says.
 * "12:30" is refused, months and years too.
 */
export function minutes(value: unknown, options: Form = AS_WRITTEN): Read {
  checkForm(options)
  if (isPassed(value)) return value
  const bare = UNIT_MS[options.from ?? 'min']
  const ms = typeof value === 'string' ? msInText(value.trim(), bare, options) : numberIn(value, bare)
  if (typeof ms === 'string') return unread(ms === '' ? `expected a duration, found ${shown(value)}` : ms)
  return ms < 0 ? unread(`${shown(value)} is below zero`) : ms / UNIT_MS.min
}

// Numbers -------------------------------------------------------------------------------------------------------------------------

/** Digits with a point, or without any mark, a sign before and a unit behind them. What most services write is read by it alone, as the steps below would. */
const USUAL = /^(-?)(\d+|[1-9]\d{0,2}(?:,\d{3})+(?=\.))(?:\.(\d+))? ?([A-Z]*|%)$/
const SPACES = ' \\u00a0\\u2007\\u2009\\u202f'
/** What is before the number, the number with its marks and its exponent, what is behind it. */
const WHOLE = new RegExp(`^([^\\d.,]*)([.,]?\\d(?:[\\d.,'’${SPACES}]*\\d)?\\.?(?:e[+-]?\\d+)?)([^\\d.,]*)$`, 'i')
/** One sign at most, before or behind the unit; a bracket says minus. */
const BEFORE = /^([-−+]?)\s*(\(?)\s*([-−+]?)\s*([^-−+()]*?)\s*([-−+]?)\s*(\(?)\s*$/
const BEHIND = /^\s*([^-−+()]*?)\s*(\)?)\s*([^-−+()]*?)\s*$/

function readNumber(value: unknown, options: Form, refuse: (unit: string) => string | null): Read {
  checkForm(options)
  if (isPassed(value)) return value
  if (typeof value === 'number' && Number.isFinite(value)) return signed(value, options)
  if (typeof value !== 'string' || value.length > LONGEST) return noNumber(value)
  const usual = options.decimal === ',' ? null : USUAL.exec(value)
  if (usual !== null) {
    const [, sign, whole = '', fraction = '0', unit = ''] = usual
    const refused = refuse(unit)
    return refused === null
      ? signed(Number(`${sign}${whole.replaceAll(',', '')}.${fraction}`), options)
      : unread(`${shown(value)}: ${refused}`)
  }
  const parts = partsOf(value.trim())
  if (parts === null) return noNumber(value)
  const { isNegative, digits, units } = parts
  if (units.length > 1) return unread(`${shown(value)}: it has two units, ${units.join(' and ')}`)
  const refused = refuse(units.length === 0 ? '' : units[0])
  if (refused !== null) return unread(`${shown(value)}: ${refused}`)
  const number = readDigits(digits, options.decimal)
  if (typeof number === 'string') return unread(number.startsWith(digits) ? number : `${shown(value)}: ${number}`)
  return signed(isNegative ? -number : number, options)
}

interface NumberParts {
  readonly isNegative: boolean
  readonly digits: string
  readonly units: readonly string[]
}

/** null for a text that is no number with at most a sign, a bracket and units around it. */
function partsOf(text: string): NumberParts | null {
  const [, prefix = '', digits = '', suffix = ''] = WHOLE.exec(text) ?? []
  const before = BEFORE.exec(prefix)
  const behind = BEHIND.exec(suffix)
  if (digits === '' || before === null || behind === null) return null
  const signs = `${before[1]}${before[3]}${before[5]}`
  const brackets = `${before[2]}${before[6]}${behind[2]}`
  const isBracketed = brackets === '()'
  const isClear = signs.length + (isBracketed ? 1 : 0) <= 1 && (isBracketed || brackets === '')
  // "Rs.500" is 500, not a half.
  if (!isClear || (before[4] !== '' && /^[.,]/.test(digits))) return null
  return {
    isNegative: isBracketed || signs === '-' || signs === '−',
    digits,
    units: [before[4], behind[1], behind[3]].filter((unit) => unit !== ''),
  }
}

/** The number of digits with marks; a text says why there is none. */
function readDigits(text: string, decimal: Form['decimal']): number | string {
  const [, mantissa = text, power = '0'] = /^(.*\d\.?)e([+-]?\d+)$/i.exec(text) ?? []
  const mark = decimal ?? decimalMarkIn(mantissa)
  if (mark === null) {
    const plain = mantissa.replace(',', '')
    return `${text} is ${plain} or ${mantissa.replace(',', '.')}: say which with form({ decimal: '.' })`
  }
  const [whole, fraction = '', ...more] = mark === '' ? [mantissa] : mantissa.split(mark)
  if (more.length > 0) return `its decimal mark is there ${more.length + 1} times`
  if (/\D/.test(fraction)) return 'it has marks behind its decimal mark'
  const marks = new Set(whole.match(/\D/g) ?? [])
  if (marks.size > 1) return 'its groups are parted by different marks'
  if (marks.size === 1 && !/^[1-9]\d{0,2}(?:\D\d{3})+$/.test(whole)) return 'its groups are not of three digits'
  const number = Number(`${whole.replace(/\D/g, '') || '0'}.${fraction || '0'}e${power}`)
  if (!Number.isFinite(number)) return 'it is too large'
  return number === 0 && /[1-9]/.test(mantissa) ? 'it is too small' : number
}

/** The mark that the text itself shows to be the decimal one; '' = it has none; null = it does not show which of two it is. */
function decimalMarkIn(text: string): '.' | ',' | '' | null {
  const points = text.split('.').length - 1
  const commas = text.split(',').length - 1
  if (points > 0 && commas > 0) return text.lastIndexOf('.') > text.lastIndexOf(',') ? '.' : ','
  if (points + commas === 0) return ''
  const only = points > 0 ? '.' : ','
  if (/[^\d.,]/.test(text)) return only // spaces and apostrophes group
  if (points + commas > 1) return '' // no number has two decimal marks, so it groups
  return only === ',' && /^[1-9]\d{0,2},\d{3}$/.test(text) ? null : only
}

const SIGN_OF_CURRENCY = /^[A-Z]{0,3}[$€£¥₹₩₽₺₴₫฿₿₮Ξ]$/
const CODE_OF_CURRENCY = /^[A-Z][A-Z0-9]{1,9}$/
/** Of capitals too, and yet no currency: some of them a thousandfold. */
const NO_CURRENCY =
  /^(?:KK|MM|MN|MIO|MILL?|MLN|MLD|BN|BIO|BIL|BLN|MRD|TN|TRN|TRL|TSD|THS|THOUSAND|MILLIONS?|BILLIONS?|LAC|LAKHS?|CRORES?|CR|DR|BPS?|PCT|PERCENT|PIPS?|POINTS?|PTS|CENTS?|SATS?|GWEI|WEI|NAN|INF|[KMBT](?:USD[TC]?|EUR|GBP|BTC|ETH))$/

/** Why an amount in `unit` is not the one that was asked for, or null. */
function refuseUnit(unit: string, asked: string | undefined): string | null {
  if (unit === '') return null
  if (PERCENT.test(unit)) return 'it is in percent, not an amount'
  if (asked !== undefined) {
    if (unit.toLowerCase() === asked.toLowerCase()) return null
    return asked === '' ? `its unit ${unit} is not expected` : `it is in ${unit}, not in ${asked}`
  }
  if (SIGN_OF_CURRENCY.test(unit) || (CODE_OF_CURRENCY.test(unit) && !NO_CURRENCY.test(unit))) return null
  return `${unit} is no currency that is known: name it with form({ unit })`
}

function signed(number: number, { absolute = false }: Form): number {
  return absolute ? Math.abs(number) : number
}

/** Without the noise of a multiplication: 0.07 is 7. */
function hundredfold(number: number): number {
  const text = String(number)
  return text.includes('e') ? number * 100 : Number(`${text}e2`)
}

// Times and durations -------------------------------------------------------------------------------------------------------------

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const YEAR_FIRST = /^(\d{4})([-/.])(\d\d?)\2(\d\d?)(?:(?:[Tt]|\s+)(.+))?$/
const YEAR_LAST = /^(\d\d?)([-/.])(\d\d?)\2(\d{4})(?:(?:T|,?\s+)(.+))?$/i
const RFC_1123 = /^(?:([a-z]{3}),?\s+)?(\d\d?)[\s-]([a-z]{3})[\s-](\d{4})(?:,?\s+(.+))?$/i
const CLOCK = /^(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s*([Zz]|[Uu][Tt][Cc]|[Gg][Mm][Tt]|[-−+]\d\d(?::?\d\d)?)?$/
/** 2000-01-01 and 2200-01-01 in ms: before and after it there are no backtests, and sizes of seconds, ms, µs and ns do not overlap in it. */
const EARLIEST_MS = 946_684_800_000
const LATEST_MS = 7_258_118_400_000

function timeBySize(value: number | string): Read {
  const number = Number(value)
  const scale = [1, 1000, 1 / 1000, 1 / 1_000_000].find((factor) => isOfBacktests(number * factor))
  if (scale === undefined) return unread(`${shown(value)} is no time from 2000 to 2200 in s, ms, µs or ns`)
  return scale === 1000 ? Math.round(number * scale) : Math.floor(number * scale)
}

function isOfBacktests(ms: number): boolean {
  return ms >= EARLIEST_MS && ms < LATEST_MS
}

interface DateParts {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly weekday: number | null
  readonly clock: string | undefined
}

/** ms, or what to say behind the text. */
function timeInText(text: string, { dates, zone }: Form): number | string {
  const date = dateIn(text, dates)
  if (typeof date === 'string') return date
  const { year, month, day, weekday, clock } = date
  if (year < 2000 || year > 2199) return ' is before 2000 or after 2199'
  const midnight = new Date(Date.UTC(year, month - 1, day))
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return ': there is no such day'
  if (weekday !== null && midnight.getUTCDay() !== weekday) return ': that day is no such day of the week'
  let ms = midnight.getTime()
  if (clock !== undefined) {
    const ofDay = clockIn(clock, zone)
    if (typeof ofDay === 'string') return ofDay
    ms += ofDay
  }
  return isOfBacktests(ms) ? ms : ' is before 2000 or after 2199'
}

function dateIn(text: string, dates: Form['dates']): DateParts | string {
  const iso = YEAR_FIRST.exec(text)
  if (iso !== null) {
    const [, year, , month, day, clock] = iso
    return { year: Number(year), month: Number(month), day: Number(day), weekday: null, clock }
  }
  const ordered = YEAR_LAST.exec(text)
  if (ordered !== null) {
    if (dates === undefined) return " begins with a day or a month: say which with form({ dates: 'dmy' })"
    const [, first, , second, year, clock] = ordered
    const [day, month] = dates === 'dmy' ? [first, second] : [second, first]
    return { year: Number(year), month: Number(month), day: Number(day), weekday: null, clock }
  }
  const [, name, day = '', monthName = '', year, clock] = RFC_1123.exec(text) ?? []
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1
  const weekday = name === undefined ? null : DAYS.indexOf(name.toLowerCase())
  if (month === 0 || weekday === -1) return ' is not a time in a known format'
  return { year: Number(year), month, day: Number(day), weekday, clock }
}

/** ms since the midnight of UTC; what to say behind the text where it cannot be known. */
function clockIn(text: string, zone: string | undefined): number | string {
  const match = CLOCK.exec(text)
  if (match === null) return ' has no time of day in a known format'
  const [, hour, minute, second = '0', fraction = '', ownZone] = match
  const named = ownZone ?? zone
  if (named === undefined) return " names no zone: say which with form({ zone: 'UTC' })"
  const offsetMs = zoneMs(named)
  const isEnd = Number(hour) === 24 && Number(minute) === 0 && Number(second) === 0 && !/[1-9]/.test(fraction)
  if ((Number(hour) > 23 && !isEnd) || Number(minute) > 59 || Number(second) > 59)
    return ': there is no such time of day'
  if (offsetMs === null) return ': there is no such zone'
  const ms = Number(hour) * UNIT_MS.h + Number(minute) * UNIT_MS.min + Number(second) * UNIT_MS.s
  return ms + Number(`${fraction}000`.slice(0, 3)) - offsetMs
}

/** How far a zone is ahead of UTC; null = there is none such. */
function zoneMs(zone: string): number | null {
  if (zone === 'Z' || /^(?:Z|UTC|GMT)$/i.test(zone)) return 0
  const [, sign, hours, minutes = '0'] = /^([-−+])(\d\d)(?::?(\d\d))?$/.exec(zone) ?? []
  if (sign === undefined || Number(hours) > 14 || Number(minutes) > 59) return null
  const ms = Number(hours) * UNIT_MS.h + Number(minutes) * UNIT_MS.min
  return sign === '+' ? ms : -ms
}

const UNIT_WORDS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|millis|milliseconds?)$/, UNIT_MS.ms],
  [/^(?:s|secs?|seconds?)$/, UNIT_MS.s],
  [/^(?:m|mins?|minutes?)$/, UNIT_MS.min],
  [/^(?:h|hrs?|hours?)$/, UNIT_MS.h],
  [/^(?:d|days?)$/, UNIT_MS.d],
  [/^(?:w|weeks?)$/, UNIT_MS.w],
]
const ISO_DURATION = /^P(?:([\d.,]+)W)?(?:([\d.,]+)D)?(?:T(?:([\d.,]+)H)?(?:([\d.,]+)M)?(?:([\d.,]+)S)?)?$/
const CLOCK_DURATION = /^(?:(\d+)(?:\.|\s*d(?:ays?)?,?\s+))?(\d+):([0-5]\d):([0-5]\d(?:\.\d+)?)$/
const PAIR = /^([^a-zA-Z]*\d)\s*([a-zA-Z]+)(?:\s*,\s*|\s+and\s+|\s+|(?=\d)|$)/

/** ms; a text says why not, an empty one that it is no duration. */
function msInText(text: string, bareMs: number, { decimal }: Form): number | string {
  if (text.length > LONGEST) return ''
  if (/^\d+:\d\d$/.test(text)) return `${shown(text)} is hours and minutes, or minutes and seconds`
  const clock = CLOCK_DURATION.exec(text)
  if (clock !== null) {
    const [, days = '0', hours, mins, seconds] = clock
    return sumOf([days, hours, mins, seconds], [UNIT_MS.d, UNIT_MS.h, UNIT_MS.min, UNIT_MS.s], '.')
  }
  const iso = ISO_DURATION.exec(text)
  if (iso !== null && /\d[WDHMS]$/.test(text)) {
    return sumOf(iso.slice(1), [UNIT_MS.w, UNIT_MS.d, UNIT_MS.h, UNIT_MS.min, UNIT_MS.s], decimal)
  }
  if (!/[a-zA-Z]/.test(text)) {
    const bare = money(text, { unit: '', ...(decimal === undefined ? {} : { decimal }) })
    return typeof bare === 'number' ? bare * bareMs : reasonOf(bare)
  }
  return msInWords(text, decimal)
}

function msInWords(text: string, decimal: Form['decimal']): number | string {
  let rest = text
  let ms = 0
  while (rest !== '') {
    const [whole, number, word] = PAIR.exec(rest) ?? []
    const unit = UNIT_WORDS.find(([words]) => word !== undefined && words.test(word))
    if (whole === undefined || number === undefined || unit === undefined) return ''
    const part = sumOf([number.trim()], [unit[1]], decimal)
    if (typeof part === 'string') return part
    ms += part
    rest = rest.slice(whole.length)
  }
  return ms
}

/** Σ number · unit; absent numbers count nothing. */
function sumOf(
  numbers: readonly (string | undefined)[],
  units: readonly number[],
  decimal: Form['decimal'],
): number | string {
  let ms = 0
  for (const [at, text] of numbers.entries()) {
    const number = text === undefined ? 0 : money(text, { unit: '', ...(decimal === undefined ? {} : { decimal }) })
    if (typeof number !== 'number') return reasonOf(number)
    ms += number * units[at]
  }
  return ms
}

function numberIn(value: unknown, unitMs: number): number | string {
  return typeof value === 'number' && Number.isFinite(value) ? value * unitMs : ''
}

// What all of them say --------------------------------------------------------------------------------------------------------------

/** Nothing to be read, or what another helper could not read. */
function isPassed(value: unknown): value is null | undefined | Unread {
  return value === null || value === undefined || isUnread(value)
}

/** Whether a helper could not read it. */
function isUnread(value: unknown): value is Unread {
  return typeof value === 'object' && value !== null && 'unread' in value && typeof value.unread === 'string'
}

function reasonOf(read: Read): string {
  return isUnread(read) ? read.unread : ''
}

function noNumber(value: unknown): Unread {
  return unread(`expected a finite number, found ${shown(value)}`)
}

function unread(reason: string): Unread {
  return { unread: reason }
}

function shown(value: unknown): string {
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : JSON.stringify(value)
  return (text ?? typeof value).slice(0, 60)
}

const KNOWN: Readonly<Record<keyof Form, (value: unknown) => boolean>> = {
  decimal: (value) => value === '.' || value === ',',
  unit: (value) => typeof value === 'string',
  dates: (value) => value === 'dmy' || value === 'mdy',
  zone: (value) => typeof value === 'string' && zoneMs(value) !== null,
  from: (value) => typeof value === 'string' && ['ms', 's', 'min', 'h', 'd'].includes(value),
  absolute: (value) => typeof value === 'boolean',
}

const EXPECTED: Readonly<Record<keyof Form, string>> = {
  decimal: "'.' or ','",
  unit: 'a text',
  dates: "'dmy' or 'mdy'",
  zone: "'UTC' or an offset as '+02:00'",
  from: "'ms', 's', 'min', 'h' or 'd'",
  absolute: 'true or false',
}

/** @throws Error for what no form has */
function checkForm(options: Form): void {
  if (options === AS_WRITTEN) return
  for (const [name, value] of Object.entries(options)) {
    if (!isOfForm(name)) throw new Error(`form: ${name} is not known; known are ${Object.keys(KNOWN).join(', ')}`)
    if (value !== undefined && !KNOWN[name](value))
      throw new Error(`form: ${name} is ${shown(value)}; expected ${EXPECTED[name]}`)
  }
}

function isOfForm(name: string): name is keyof Form {
  return Object.hasOwn(KNOWN, name)
}
