/**
 * The filter of the explorer, `netProfit>100 drawdown<8`: the one selection that every view of the page shows. A view that selects (a brush, a cell of
 * the heat map) writes terms into it. Pure.
 */
import { METRICS } from '../../../contract/metrics.ts'
import { fieldSpellings, metricSpellings } from '../column-names.ts'
import { formatMetric, formatValue, type Quote } from '../format.ts'
import type { ColumnName } from './trial-block.ts'
import { isMetric, type TrialTable } from './trial-table.ts'

export interface Selection {
  /** 1 for each trial that is selected. */
  readonly mask: Uint8Array
  readonly count: number
  /** What could not be understood; such a term is left out. */
  readonly problems: readonly string[]
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
  const terms = termsOf(filter).map((term) => readTerm(table, term, quote))
  const tests = terms.flatMap((term) => ('test' in term ? [term.test] : []))
  const mask = new Uint8Array(table.count)
  let count = 0
  for (let trial = 0; trial < table.count; trial++) {
    if (!tests.every((test) => test(trial))) continue
    mask[trial] = 1
    count++
  }
  return { mask, count, problems: terms.flatMap((term) => ('problem' in term ? [term.problem] : [])) }
}

/** Lower case, signs of one spelling and without space around them. */
function termsOf(filter: string): string[] {
  const typed = filter
    .toLowerCase()
    .replace(/≥/g, '>=')
    .replace(/≤/g, '<=')
    .replace(/\s*(>=|<=|!=|=|<|>)\s*/g, '$1')
  return typed.split(/\s+/).filter(Boolean)
}

function splitTerm(term: string): { readonly name: string; readonly sign: Sign; readonly value: string } | undefined {
  const [, name, sign, value] = /^([^<>=!]+)(>=|<=|!=|=|<|>)(.*)$/.exec(term) ?? []
  return name === undefined ? undefined : { name, sign: sign as Sign, value } // the expression matches no other signs
}

type Term = { readonly test: (trial: number) => boolean } | { readonly problem: string }

function readTerm(table: TrialTable, term: string, quote: Quote): Term {
  const comparison = splitTerm(term)
  if (comparison === undefined) return { test: (trial) => matchesWord(table, trial, term) }
  const { name, sign, value } = comparison
  const column = findColumn(table, name)
  if (column === 'rank') return rankTerm(table, sign, value)
  if (column === undefined) return { problem: `no column ${name}; there are rank, ${table.columns.join(', ')}` }
  const words = isYesNo(column) ? ['no', 'yes'] : []
  const wanted = words.includes(value) ? words.indexOf(value) : readNumber(value)
  if (Number.isNaN(wanted))
    return {
      problem: `${name}${sign} expects ${words.length > 0 ? 'yes or no' : 'a number'}, found ${value || 'nothing'}`,
    }
  const numbers = table.values(column)
  return {
    test(trial) {
      const exact = numbers?.[trial] ?? Number.NaN
      if (Number.isNaN(exact)) return false
      // what equals the number as it is shown is meant, though more digits are known
      const isShown = sign.endsWith('=') && readNumber(shownPlainly(column, exact, quote)) === wanted
      return COMPARE[sign](isShown ? wanted : exact, wanted)
    },
  }
}

function rankTerm(table: TrialTable, sign: Sign, value: string): Term {
  const wanted = readNumber(value)
  if (Number.isNaN(wanted)) return { problem: `rank${sign} expects a number, found ${value || 'nothing'}` }
  return { test: (trial) => table.rank(trial) !== null && COMPARE[sign](table.rank(trial) ?? 0, wanted) }
}

function isYesNo(column: ColumnName): boolean {
  return isMetric(column) && METRICS[column].unit === 'yes/no'
}

function shownPlainly(column: ColumnName, value: number, quote: Quote): string {
  const text = isMetric(column) ? formatMetric(column, value, quote.decimals) : formatValue(value)
  return text.replace(/[\s\u00a0]/g, '').toLowerCase()
}

/** A word without a sign: the first digits of a fingerprint, or a standing. */
function matchesWord(table: TrialTable, trial: number, word: string): boolean {
  return table.fingerprint(trial).startsWith(word) || table.standing(trial) === word
}

/** Under any of its names: `netProfit`, `net_profit`, `Net profit` without its space, `profit`. */
export function findColumn(table: TrialTable, name: string): ColumnName | 'rank' | undefined {
  const called = name.toLowerCase().replace(/[^a-z0-9]/g, '')
  if (called === 'rank') return 'rank'
  return table.columns.find((column) =>
    (isMetric(column) ? metricSpellings(column) : fieldSpellings(column)).includes(called),
  )
}

/** A number as it may be typed or shown: +1,234.5 or 12 % or 3d or 3d4h; NaN if it is none. */
export function readNumber(text: string): number {
  const spans = /^((?:[0-9.,]+(?:d|h|min))+)$/.exec(text)
  if (spans !== null) {
    return Array.from(
      text.matchAll(/([0-9.,]+)(d|h|min)/g),
      ([, digits, unit]) => Number(digits.replace(/,/g, '')) * MINUTES[unit],
    ).reduce((sum, each) => sum + each, 0)
  }
  const [, digits] = /^([+-]?[0-9.,]*(?:e[+-]?[0-9]+)?)%?$/.exec(text.replace('\u2212', '-')) ?? []
  return digits ? Number(digits.replace(/,/g, '')) : Number.NaN
}

/** What a view selects of one column; null = nothing any more. */
export interface ColumnRange {
  readonly column: ColumnName
  readonly range: { readonly min?: number; readonly max?: number } | { readonly is: number } | null
}

/** `filter` with the terms of these columns replaced; terms of other columns and words stay, in their order. */
export function withRanges(table: TrialTable, filter: string, ranges: readonly ColumnRange[]): string {
  const replaced = new Set<string>(ranges.map(({ column }) => column))
  const kept = termsOf(filter).filter((term) => {
    const comparison = splitTerm(term)
    const column = comparison === undefined ? undefined : findColumn(table, comparison.name)
    return column === undefined || !replaced.has(column)
  })
  return [...kept, ...ranges.flatMap(spellRange)].join(' ')
}

function spellRange({ column, range }: ColumnRange): string[] {
  if (range === null) return []
  if ('is' in range) return [`${column}=${shortNumber(range.is)}`]
  const { min, max } = range
  return [
    ...(min === undefined ? [] : [`${column}>=${shortNumber(min)}`]),
    ...(max === undefined ? [] : [`${column}<=${shortNumber(max)}`]),
  ]
}

/** Five digits: what a hand can mean with a brush. */
function shortNumber(value: number): string {
  return String(Number(value.toPrecision(5)))
}

/** The range that `filter` sets on a column, for a view that shows its own brush; null = none. */
export function rangeIn(
  table: TrialTable,
  filter: string,
  column: ColumnName,
): { readonly min: number; readonly max: number } | null {
  let [min, max, found] = [-Infinity, Infinity, false]
  for (const term of termsOf(filter)) {
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
