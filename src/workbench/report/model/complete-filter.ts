/** What may come next in a filter: names of columns, and the values of a field. Pure. */
import { findColumn, termsOf } from './filter.ts'
import { STANDINGS } from './trial-block.ts'
import { isMetric, isOther, OTHER_COLUMNS, type TrialTable } from './trial-table.ts'

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
