/** Guesses where a body holds its list, and how the next page is asked for. */
import { numberOf } from '../reading/single-values.ts'
import { type SeenField, seeFields, seeList, seenAt } from './seen-fields.ts'
import { accessTo, keyText, oneLine } from './write-expression.ts'

const CURSOR = /^(next(page)?|after|(next|after|end|page)?(cursor|token)|nextpagetoken|continuation(token)?)$/
const PAGE = /^(page|pageno|pagenumber|pageindex|current(page)?|number)$/
const PAGES = /^((total|last|max|num|n)?pages?(count|total)?|of)$/
const MORE = /^(has)?more(pages|items)?$|^hasnext(page)?$/

/** The items of a list's body, wherever they lie. */
export function itemsIn(body: unknown): readonly unknown[] {
  return seeList(body)?.items ?? []
}

/** `jobList: (body) => …`, or nothing when the body holds no list. */
export function draftList(name: 'jobList' | 'botList', body: unknown, from: string): readonly string[] {
  const list = seeList(body)
  if (list === undefined) return []
  const beside = seeFields(body).filter(({ path }) => !isUnder(path, list.path))
  const { next, why } = guessNext(beside)
  const found = `({ items: ${accessTo('body', list.path)}, next: ${next} })`
  return [`  ${name}: (body) => ${found}, // ${from}: ${why}`]
}

function isUnder(path: readonly string[], above: readonly string[]): boolean {
  return above.length > 0 && above.every((key, at) => path[at] === key)
}

interface NextGuess {
  readonly next: string
  readonly why: string
}

function guessNext(fields: readonly SeenField[]): NextGuess {
  const page = fields.find(({ name, value }) => PAGE.test(name) && numberOf(value) !== null)
  const pages = fields.find((field) => field !== page && PAGES.test(field.name) && numberOf(field.value) !== null)
  const more = fields.find(({ name, value }) => MORE.test(name) && typeof value === 'boolean')
  if (page !== undefined && (pages !== undefined || more !== undefined)) {
    const at = accessTo('body', page.path)
    const goesOn = pages === undefined ? accessTo('body', more?.path ?? []) : `${at} < ${accessTo('body', pages.path)}`
    const parameter = oneLine(page.path.at(-1) ?? 'page')
    return {
      next: `${goesOn} ? { ${keyText(parameter)}: ${at} + 1 } : null`,
      why: `page ${String(page.value)}${pages === undefined ? '' : ` of ${String(pages.value)}`}: the next is asked for as ${parameter}`,
    }
  }
  const cursor = fields.find(({ name, value }) => CURSOR.test(name) && (value === null || typeof value !== 'boolean'))
  if (cursor === undefined)
    return { next: 'null', why: 'nothing beside it looks like a page or a cursor: taken for whole' }
  const at = accessTo('body', cursor.path)
  const key = oneLine(cursor.path.at(-1) ?? 'cursor')
  const parameter = /cursor/i.test(key) ? 'cursor' : /token/i.test(key) ? 'pageToken' : key
  return {
    next: `${at} == null ? null : { ${keyText(parameter)}: ${at} }`,
    why: `${key} is taken for a cursor, sent as ${parameter}`,
  }
}

/** The id field of an item, from what its items have in common: usable, and another in each. */
export function differsInEach(items: readonly unknown[], path: readonly string[]): boolean {
  const values = items.map((item) => seenAt(item, path))
  return new Set(values).size === items.length
}
