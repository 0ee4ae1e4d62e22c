/**
 * The filter of the explorer, `netProfit>100 drawdown<8`: the one selection that every view of the page shows. A view that selects (a brush, a cell of
 * the heat map) writes terms into it. Every term is met, of a term with `or` one of its alternatives. Pure.
 */
import { CONFIG, type ConfigField } from '../../../contract/bot.ts'
import { METRICS, type MetricName } from '../../../contract/metrics.ts'
import { suggest } from '../../../errors.ts'
import { formatMetric, formatValue, type Quote } from '../format.ts'
import { type ColumnName, FINGERPRINT_DIGITS, STANDINGS } from './blocks.ts'
import { type AnyColumn, columnReader, isMetric, isOther, OTHER_COLUMNS, type TrialTable } from './trial-table.ts'

export interface Selection {
  /** 1 for each trial that is selected. */
  readonly mask: Uint8Array
  readonly count: number
  /** What could not be understood, term by term; such a term is left out. */
  readonly problems: readonly string[]
  /** Those terms. */
  readonly ignored: readonly string[]
}

type Sign = '>' | '<' | '>=' | '<=' | '=' | '!='

const COMPARE: Readonly<Record<Sign, (a: number, b: number) => boolean>> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '>=': (a, b) => a >= b,
  '<=': (a, b) => a <= b,
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

const MINUTES: Readonly<Record<string, number>> = { d: 1440, h: 60, min: 1 }

export function select(table: TrialTable, filter: string, quote: Quote): Selection {
  const terms = termsOf(table, filter).map((text) => ({ text, ...readAlternatives(table, text.toLowerCase(), quote) }))
  const tests = terms.flatMap((term) => ('test' in term ? [term.test] : []))
  const mask = new Uint8Array(table.count)
  let count = 0
  for (let trial = 0; trial < table.count; trial++) {
    if (!tests.every((test) => test(trial))) continue
    mask[trial] = 1
    count++
  }
  const wrong = terms.flatMap((term) => ('problem' in term ? [term] : []))
  return { mask, count, problems: wrong.map(({ problem }) => problem), ignored: wrong.map(({ text }) => text) }
}

/**
 * The terms of a filter one by one, signs of one spelling, and no space around signs or inside of `12 %` and `3 d 4 h`. A column's title may have
 * spaces, as it has in the table: `net profit>100` is one term.
 */
export function termsOf(table: Pick<TrialTable, 'columns'>, filter: string): string[] {
  const typed = filter
    .replace(/\|+/g, ' or ')
    .replace(/\u2265/g, '>=')
    .replace(/\u2264/g, '<=')
    .replace(/\u2260|!\s+=/g, '!=')
    .replace(/\s*(>=|<=|!=|=|<|>)\s*/g, '$1')
    .replace(/([0-9])\s+(%|(?:d|h|min)(?![a-z0-9]))/gi, '$1$2')
    .replace(/([0-9](?:d|h))\s+(?=[0-9]+(?:h|min)(?![a-z0-9]))/gi, '$1')
  return joinAlternatives(joinTitles(table, typed.split(/\s+/).filter(Boolean)))
}

const OR = ' or '

/** `takeProfit=1 or takeProfit=3` is one term, as is `takeProfit=1 or 3`. */
function joinAlternatives(words: readonly string[]): string[] {
  const terms: string[] = []
  for (let at = 0; at < words.length; at++) {
    const isBetween = words[at].toLowerCase() === 'or' && terms.length > 0 && at + 1 < words.length
    if (isBetween) terms.push(`${terms.pop()}${OR}${words[++at]}`)
    else terms.push(words[at])
  }
  return terms
}

/** More words than the longest title has: "Buy & hold, same average amount" has six. */
const MOST_TITLE_WORDS = 7

function joinTitles(table: Pick<TrialTable, 'columns'>, words: readonly string[]): string[] {
  const terms: string[] = []
  for (const word of words) {
    // a number after a title lacks its sign
    const name = splitTerm(word)?.name ?? (Number.isNaN(readNumber(word)) ? undefined : '')
    const before = terms.slice(-MOST_TITLE_WORDS)
    const isBare = before.map((term) => splitTerm(term) === undefined)
    const from = before.findIndex(
      (_, at) =>
        name !== undefined &&
        isBare.slice(at).every(Boolean) &&
        findColumn(table, [...before.slice(at), name].join('')) !== undefined,
    )
    const joined = from < 0 ? [] : terms.splice(terms.length - (before.length - from))
    terms.push([...joined, word].join(' '))
  }
  return terms
}

function splitTerm(term: string): { readonly name: string; readonly sign: Sign; readonly value: string } | undefined {
  const [, name, sign, value] = /^([^<>=!]*)(>=|<=|!=|=|<|>)(.*)$/.exec(term) ?? []
  return name === undefined ? undefined : { name, sign: sign as Sign, value } // the expression matches no other signs
}

type Term = { readonly test: (trial: number) => boolean } | { readonly problem: string }

/** `takeProfit=1 or 3` as `takeProfit=1` and `takeProfit=3`. */
function alternativesOf(term: string): string[] {
  const [first, ...others] = term.split(OR)
  const { name, sign } = splitTerm(first) ?? { name: '', sign: '' }
  return [first, ...others.map((each) => (Number.isNaN(readNumber(each)) ? each : `${name}${sign}${each}`))]
}

function readAlternatives(table: TrialTable, term: string, quote: Quote): Term {
  const terms = alternativesOf(term).map((each) => readTerm(table, each, quote))
  const tests = terms.flatMap((each) => ('test' in each ? [each.test] : []))
  return terms.find((each) => 'problem' in each) ?? { test: (trial) => tests.some((test) => test(trial)) }
}

function readTerm(table: TrialTable, term: string, quote: Quote): Term {
  const comparison = splitTerm(term)
  if (comparison === undefined) return readWord(table, term)
  const { name, sign, value } = comparison
  const column = findColumn(table, name)
  if (column === undefined) {
    return {
      problem: `no column ${name || 'before '.concat(sign)}${suggest(name, [...OTHER_COLUMNS, ...table.columns, ...otherSpellings(table)])}`,
    }
  }
  const words = isYesNo(column) ? ['no', 'yes'] : []
  const wanted = words.includes(value) ? words.indexOf(value) : readNumber(value)
  if (Number.isNaN(wanted))
    return {
      problem: `${name}${sign} expects ${words.length > 0 ? 'yes or no' : 'a number'}, found ${value || 'nothing'}`,
    }
  const compare = COMPARE[sign]
  const read = columnReader(table, column)
  return {
    test(trial) {
      const exact = read(trial)
      if (Number.isNaN(exact)) return false
      return compare(sign.endsWith('=') && isShownAs(column, exact, { wanted, quote }) ? wanted : exact, wanted)
    },
  }
}

/** What equals a number as it is shown is meant, though more digits are known. */
function isShownAs(
  column: AnyColumn,
  exact: number,
  { wanted, quote }: { readonly wanted: number; readonly quote: Quote },
): boolean {
  if (isOther(column) || Math.abs(exact - wanted) > roundingOf(column, exact) + 1e-9 * Math.abs(exact)) return false
  return readNumber(shownPlainly(column, exact, quote)) === wanted
}

/** No number is shown farther than this from what it is. Spares writing most of them, which takes too long for each step of a brush. */
function roundingOf(column: ColumnName, value: number): number {
  if (!isMetric(column)) return Math.abs(value) / 100
  return METRICS[column].unit === 'minutes' ? 60 : 0.01
}

function isYesNo(column: AnyColumn): boolean {
  return !isOther(column) && isMetric(column) && METRICS[column].unit === 'yes/no'
}

function shownPlainly(column: ColumnName, value: number, quote: Quote): string {
  const text = isMetric(column) ? formatMetric(column, value, quote.decimals) : formatValue(value)
  return text.replace(/[\s\u00a0]/g, '').toLowerCase()
}

/** A word without an operator: the first digits of a fingerprint, or a standing. */
function readWord(table: TrialTable, word: string): Term {
  const standing = STANDINGS.find((each) => each.toLowerCase() === word)
  if (standing !== undefined) return { test: (trial) => table.standing(trial) === standing }
  if (/^[0-9a-f]+$/.test(word)) {
    const digits = word.slice(0, FINGERPRINT_DIGITS)
    return { test: (trial) => table.fingerprint(trial).startsWith(digits) }
  }
  const [, title, value] = /^(.*) (\S+)$/.exec(word) ?? []
  const meant = title === undefined ? undefined : findColumn(table, title)
  if (meant !== undefined) return { problem: `${word} has no operator. Write for example ${meant}=${value}` }
  const column = findColumn(table, word)
  if (column !== undefined) return { problem: `${column} needs a comparison, such as ${column}>0` }
  return {
    problem: `"${word}" is not a filter. Use a comparison such as netProfit>100, ${STANDINGS.join(', ')}, or the first digits of a trial`,
  }
}

/** Under any of its names: `netProfit`, `net_profit`, `Net profit` without its space, `profit`. */
function findColumn(table: Pick<TrialTable, 'columns'>, name: string): AnyColumn | undefined {
  const called = lettersOf(name)
  const other = OTHER_COLUMNS.find((each) => each.toLowerCase() === called)
  if (other !== undefined) return other
  return table.columns.find((column) =>
    (isMetric(column) ? metricSpellings(column) : fieldSpellings(column)).includes(called),
  )
}

/** Of its columns beside their names. */
function otherSpellings({ columns }: TrialTable): readonly string[] {
  return columns.flatMap((column) => (isMetric(column) ? metricSpellings(column).slice(1) : []))
}

/** A number as it may be typed or shown: +1,234.5 or 12% or 3d or 3d4h; NaN if it is none. */
export function readNumber(typed: string): number {
  const text = typed.toLowerCase().replace('\u2212', '-')
  if (/^(?:[0-9.,]+(?:d|h|min))+$/.test(text)) {
    return Array.from(
      text.matchAll(/([0-9.,]+)(d|h|min)/g),
      ([, digits, unit]) => readDigits(digits) * MINUTES[unit],
    ).reduce((sum, each) => sum + each, 0)
  }
  const [, digits] = /^([+-]?[0-9.,]+(?:e[+-]?[0-9]+)?)%?$/.exec(text) ?? []
  return digits === undefined ? Number.NaN : readDigits(digits)
}

function readDigits(text: string): number {
  return /[0-9]/.test(text) ? Number(text.replace(/,/g, '')) : Number.NaN
}

/** What a view selects of one column; null = nothing any more. */
export interface ColumnRange {
  readonly column: ColumnName
  readonly range: { readonly min?: number; readonly max?: number } | { readonly is: number } | null
}

/** `filter` with the terms of these columns replaced; terms of other columns and words stay, in their order. */
export function withRanges(table: TrialTable, filter: string, ranges: readonly ColumnRange[]): string {
  const replaced = new Set<string>(ranges.map(({ column }) => column))
  const kept = termsOf(table, filter).filter((term) => {
    const columns = alternativesOf(term).map((each) => findColumn(table, splitTerm(each)?.name ?? ''))
    return columns.some((column) => column === undefined || !replaced.has(column))
  })
  return [...kept, ...ranges.flatMap(spellRange)].join(' ')
}

function spellRange({ column, range }: ColumnRange): string[] {
  if (range === null) return []
  if ('is' in range) return [`${column}=${shortNumber(range.is, 12)}`]
  const { min, max } = range
  return [
    ...(min === undefined ? [] : [`${column}>=${roundedOut(min, -1)}`]),
    ...(max === undefined ? [] : [`${column}<=${roundedOut(max, 1)}`]),
  ]
}

/** In the five digits that the filter keeps, rounded away from the range (`way`: down or up), so that the value itself stays inside. */
export function roundedOut(value: number, way: 1 | -1): number {
  const short = Number(shortNumber(value))
  if (way * (short - value) >= 0) return short
  return Number(shortNumber(short + way * Number(`1e${Math.floor(Math.log10(Math.abs(value))) - 4}`)))
}

/** Five digits are what a hand can mean with a brush. */
function shortNumber(value: number, digits = 5): string {
  return String(Number(value.toPrecision(digits)))
}

/** The range that `filter` sets on a column, for a view that shows its own brush; null = none. */
export function rangeIn(
  table: TrialTable,
  filter: string,
  column: ColumnName,
): { readonly min: number; readonly max: number } | null {
  let [min, max, found] = [-Infinity, Infinity, false]
  for (const term of termsOf(table, filter)) {
    const comparison = splitTerm(term)
    if (comparison === undefined || findColumn(table, comparison.name) !== column) continue
    const value = readNumber(comparison.value)
    if (Number.isNaN(value) || comparison.sign === '!=') continue
    found = true
    if (comparison.sign !== '<' && comparison.sign !== '<=') min = Math.max(min, value)
    if (comparison.sign !== '>' && comparison.sign !== '>=') max = Math.min(max, value)
  }
  return found ? { min, max } : null
}

// The names of a column that the table's filter accepts: as in study files, as in SQL, as on the page, and short ones.

const SHORT: Partial<Readonly<Record<MetricName, readonly string[]>>> = {
  netProfit: ['profit'],
  maxDrawdownPercent: ['drawdown'],
  maxDrawdownLowPercent: ['drawdownAtLows', 'drawdownLow'],
  closedDeals: ['deals'],
}

/** `netprofit profit`: lower case, letters and digits only, the name of the study file first. */
export function metricSpellings(name: MetricName): string[] {
  const { title, column } = METRICS[name]
  return distinct([name, name.replace(/Percent$/, ''), column, title, ...(SHORT[name] ?? [])])
}

/** `dcaPriceScalePercent` also without its `dca`, and as its column is headed, `step %`, unless a metric has that name. */
export function fieldSpellings(field: ConfigField): string[] {
  const { title } = CONFIG[field]
  return distinct([field, field.replace(/^dca/, ''), ...(Object.hasOwn(METRICS, title) ? [] : [title])])
}

/** `Max_Drawdown` and `maxDrawdown` are one name; `step ×` and `step %` are two. What is typed is treated in the same way. */
function lettersOf(name: string): string {
  return name
    .toLowerCase()
    .replace('×', 'x')
    .replace(/[^a-z0-9]/g, '')
}

function distinct(names: readonly string[]): string[] {
  return [...new Set(names.map(lettersOf))]
}

// What may come next in a filter: names of columns, and the values of a field. Pure.

/** A field with more values than this is compared and not picked from. */
const MOST_VALUES = 20

/** Whole filters, with the term that is being typed completed. */
export function completeFilter(table: TrialTable, typed: string): readonly string[] {
  const terms = /\s$/.test(typed) ? [...termsOf(table, typed), ''] : termsOf(table, typed)
  const last = terms.at(-1) ?? ''
  const before = terms.slice(0, -1).map((term) => `${term} `)
  return endings(table, last).map((ending) => `${before.join('')}${ending}`)
}

function endings(table: TrialTable, term: string): readonly string[] {
  const [, name, value] = /^([^<>=!]+)!?=([^<>=!]*)$/.exec(term) ?? []
  if (name !== undefined)
    return valuesOf(table, name).map((each) => `${term.slice(0, term.length - value.length)}${each}`)
  if (/[<>=!]/.test(term)) return []
  const begun = term.toLowerCase()
  const names = [...table.columns, ...OTHER_COLUMNS]
  return [...names.map((each) => `${each}>`), ...STANDINGS].filter((each) => each.toLowerCase().includes(begun))
}

/** Of a field that has few, ascending. */
function valuesOf(table: TrialTable, name: string): readonly number[] {
  const column = findColumn(table, name)
  if (column === undefined || isOther(column) || isMetric(column)) return []
  const values = [...new Set(table.values(column))].sort((a, b) => a - b)
  return values.length > MOST_VALUES ? [] : values
}

// From one trial to the next of those that are selected. Pure.

/** The place of the nearest selected trial after (1) or before (−1) this one, in the table's order; null = there is none. */
export function stepTo({ mask }: Pick<Selection, 'mask'>, from: number, direction: 1 | -1): number | null {
  for (let trial = from + direction; trial >= 0 && trial < mask.length; trial += direction) {
    if (mask[trial] === 1) return trial
  }
  return null
}
