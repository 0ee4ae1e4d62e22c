/** Which seen field is probably which of ours, and why. A guess takes a field away from later ones, so that none is used twice. */

import { money, percent } from '../reading/dialect-library.ts'
import { numberOf, timeOf } from '../reading/single-values.ts'
import { plainName, type SeenField, seeFields, seeList, seenAt } from './seen-fields.ts'
import { fits, type Sought } from './sought-fields.ts'

export interface Guess {
  readonly field: string
  readonly path: readonly string[]
  /** What its value is, as an expression of the value as it stands in the body. */
  readonly convert: (expression: string) => string
  readonly reason: string
}

/** At most one guess for each field that is sought, in their order. */
export function guessFields(seen: readonly SeenField[], sought: readonly Sought[]): readonly Guess[] {
  const taken = new Set<SeenField>()
  const guesses = new Map<string, Guess>()
  for (const one of sought) {
    if (guesses.has(one.field)) continue
    const free = seen.filter((candidate) => !taken.has(candidate) && fits(one, candidate.value))
    const own = plainName(one.field)
    const found = free.find(({ name }) => name === own) ?? free.find(({ name }) => one.names.test(name))
    if (found === undefined) continue
    taken.add(found)
    guesses.set(one.field, toGuess(one, found))
  }
  return [...guesses.values()]
}

function toGuess(sought: Sought, { path, name, value }: SeenField): Guess {
  const shown = (JSON.stringify(value) ?? '').replaceAll('*/', '* /').slice(0, 60)
  const { convert, why } = conversionOf(sought, name, value)
  return { field: sought.field, path, convert, reason: why === '' ? shown : `${shown}: ${why}` }
}

interface Conversion {
  readonly convert: (expression: string) => string
  readonly why: string
}

function conversionOf({ kind }: Sought, name: string, value: unknown): Conversion {
  const isText = typeof value === 'string'
  switch (kind) {
    case 'number':
      return isText ? { convert: calling('money'), why: 'a number as text' } : AS_IT_IS
    case 'amount':
      return isText ? amountConversion(value) : AS_IT_IS
    case 'percent':
    case 'depth':
      return percentConversion(name, value, kind === 'depth')
    case 'seconds':
      return { convert: (text) => `${text} / 3600`, why: 'taken for seconds' }
    case 'time': {
      const ms = timeOf(value)
      if (ms === null) return { convert: calling('time'), why: 'a time that does not say all of itself' }
      return { ...AS_IT_IS, why: new Date(ms).toISOString().slice(0, 16) }
    }
    default:
      return AS_IT_IS
  }
}

const AS_IT_IS: Conversion = { convert: (expression) => expression, why: '' }

/** A call of a helper of 'dcalab', with what only this value needs. */
function calling(helper: string, more = '') {
  return (expression: string): string => `${helper}(${expression}${more})`
}

/** A currency that the helper does not know is named. */
function amountConversion(value: string): Conversion {
  const isKnown = (['.', ','] as const).some((decimal) => typeof money(value, { decimal }) === 'number')
  const unit = isKnown ? undefined : /[a-z][a-z0-9]*/i.exec(value)?.[0]
  const more = unit === undefined ? '' : `, { unit: ${JSON.stringify(unit)} }`
  return { convert: calling('money', more), why: 'a text that is read whole' }
}

/** `isDepth`: with us it is never negative. */
function percentConversion(name: string, value: unknown, isDepth: boolean): Conversion {
  const text = typeof value === 'string' ? value : undefined
  const [number = Number.NaN] = (['.', ','] as const)
    .map((decimal) => percent(value, { decimal }))
    .filter((read) => typeof read === 'number')
  const isBelow = isDepth && number < 0
  const below = isBelow ? ', below zero' : ''
  const more = isBelow ? ', { absolute: true }' : ''
  const saysPercent = text !== undefined && /[^\d\s.,+−-]/.test(text)
  if (saysPercent || /percent|pct|perc/.test(name) || Math.abs(number) > 1) {
    if (text !== undefined) return { convert: calling('percent', more), why: `a text in percent${below}` }
    return { convert: isBelow ? calling('Math.abs') : AS_IT_IS.convert, why: `taken for percent${below}` }
  }
  return { convert: calling('share', more), why: `taken for a fraction, as it is 1 or less${below}` }
}

const isName = /^[A-Za-z_$][\w$]*$/

/** `body.data?.jobs` for the keys data, jobs; the root itself is known to be there. */
export function accessTo(root: string, path: readonly string[]): string {
  return path.reduce((text, key, at) => {
    const mark = at === 0 ? '' : '?.'
    if (isName.test(key)) return `${text}${mark === '' ? '.' : mark}${key}`
    return `${text}${mark}[${JSON.stringify(key)}]`
  }, root)
}

/** A key of an object literal. */
function keyText(key: string): string {
  return isName.test(key) ? key : JSON.stringify(key)
}

/** `id: job.uid, // "bt-1"`, one line for each guess, indented. */
export function memberLines(root: string, guesses: readonly Guess[], indent: string): string[] {
  return guesses.map(
    ({ field, path, convert, reason }) => `${indent}${field}: ${convert(accessTo(root, path))}, // ${oneLine(reason)}`,
  )
}

/** The assets of a pair that is one text: "BTC/USDT". */
export function splitLine(root: string, path: readonly string[], value: unknown, indent: string): string {
  const separator = JSON.stringify(/[^A-Z0-9]/i.exec(String(value))?.[0] ?? '/')
  const asset = (at: number) => `${accessTo(root, path)}?.split(${oneLine(separator)})[${at}]`
  return `${indent}baseAsset: ${asset(0)}, quoteAsset: ${asset(1)}, // ${oneLine(JSON.stringify(value))}`
}

/** What a service says must not end a comment, wherever an engine ends lines. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu, ' ')
}

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
      why: `page ${String(page.value)}${pages === undefined ? '' : ` of ${String(pages.value)}`}: the next one is requested with ${parameter}`,
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
