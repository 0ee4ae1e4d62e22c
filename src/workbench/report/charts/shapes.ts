/**
 * The shape of a chart: its spec with marks in place of what Vega-Lite and Vega's parser only hand on (rows, titles, sizes). Two charts of one shape
 * differ in nothing else, so the usual shapes are compiled when the program is built, and a report fills in what is its own. Pure.
 */
import { createHash } from 'node:crypto'
import type { StillChart } from './charts.ts'

interface Shape {
  /** A spec that can be compiled. */
  readonly spec: StillChart
  /** The same for the same shape: what its compiled text is kept under. */
  readonly name: string
  /** What stands at each mark, as JSON. */
  readonly fills: readonly string[]
}

/** Of a mark: numbers and words that are drawn as they stand. */
const DRAWN = new Set(['size', 'strokeWidth', 'opacity', 'dx', 'align', 'height'])

const FIRST_NUMBER = 4e15

export function shapeOf(chart: StillChart): Shape {
  const fills: string[] = []
  const joined = new Map<string, number>() // Vega-Lite joins equal rows and equal titles, and nothing else
  const markFor = (key: string, value: unknown): unknown => {
    const fill = JSON.stringify(value)
    const canJoin = key === 'title' || Array.isArray(value)
    const at = (canJoin ? joined.get(fill) : undefined) ?? fills.push(fill) - 1
    if (canJoin) joined.set(fill, at)
    if (typeof value === 'number') return FIRST_NUMBER + at
    return Array.isArray(value) ? [`@@${at}@@`] : `@@${at}@@`
  }
  function marked(this: unknown, key: string, value: unknown): unknown {
    const { test, type }: { readonly test?: unknown; readonly type?: unknown } = Object(this)
    const isHandedOn =
      (Array.isArray(value) && value.length > 0 && (key === 'values' || (key === 'domain' && type === 'point'))) ||
      (typeof value === 'string' && (key === 'title' || key === 'align')) ||
      (typeof value === 'number' && (DRAWN.has(key) || (key === 'value' && test !== undefined)))
    return isHandedOn ? markFor(key, value) : value
  }
  const text = JSON.stringify(chart, marked)
  return { spec: JSON.parse(text), name: createHash('sha256').update(text).digest('hex').slice(0, 16), fills }
}

/** Of rows, of words, and of numbers. Words in the code of an expression are quoted once more. */
const MARKS = /\["@@(\d+)@@"\]|(\\?)"@@(\d+)@@\\?"|\b40{12}(\d{3})\b/g

/** @param text of a shape that was compiled */
export function fillShape(text: string, fills: readonly string[]): string {
  return text.replace(MARKS, (_, rows?: string, slash?: string, words?: string, number?: string) => {
    const fill = fills[Number(rows ?? words ?? number)]
    return slash === '\\' ? JSON.stringify(fill).slice(1, -1) : fill
  })
}
