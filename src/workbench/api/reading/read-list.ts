/** Reads lists item by item, and finds the exact text of each item. */

import { itemsAt, spanAt } from '../lossless-json.ts'
import type { Reply } from '../outcome.ts'
import { type ListFound, type PageAsked, type Translate, translateAll } from './dialect.ts'
import type { Page } from './readings.ts'
import { fieldsOf, idOf } from './single-values.ts'
import { saysItFailed } from './spoken-refusal.ts'

/**
 * `items` as a dialect found them in the body; null when it found no list. `query`: what this page was asked for with. `translate`: what the
 * dialect makes of an item.
 */
export function readItems<T>(
  reply: Reply,
  { items, next, query, translate }: ListFound & PageAsked & { readonly translate: Translate },
  readItem: (item: unknown, text: string) => T | null,
): Page<T> | null {
  if (!Array.isArray(items)) return null
  const texts = textsOfItems(reply, items)
  const read = translateAll(translate, items).map((item, i) => readItem(item, texts[i]))
  const readings = read.filter((reading) => reading !== null)
  const at = read.indexOf(null)
  return {
    items: readings,
    next: nextQuery(next, query),
    unreadable: items.length - readings.length,
    firstUnreadable: at === -1 ? null : `item ${at + 1} of ${items.length}: ${texts[at].slice(0, shownOfItem)}`,
  }
}

/** No list at all, though it has the form of an empty one: nothing may be taken for absent because of it. */
export function isEmptyFailure({ items, unreadable }: Page<unknown>, body: unknown): boolean {
  return items.length === 0 && unreadable === 0 && saysItFailed(body)
}

/** Members of an object go beside the query of this page; text replaces it. */
function nextQuery(next: unknown, query: PageAsked['query']): string | null {
  const added = fieldsOf(next)
  if (added === null) return idOf(next) || null
  const parameters = new URLSearchParams({ ...query })
  for (const [name, value] of Object.entries(added)) {
    const text = idOf(value)
    if (text !== null) parameters.set(name, text)
  }
  return parameters.toString() || null
}

/** The texts of the items in the reply. Items that a dialect made itself, instead of returning those of the body, are written as new JSON. */
function textsOfItems(reply: Reply, items: readonly unknown[]): string[] {
  const path = findPath(reply.json?.value, items)
  const span = path && spanAt(reply.raw.text, path)
  return span
    ? itemsAt(reply.raw.text, span.start).map(({ start, end }) => reply.raw.text.slice(start, end))
    : items.map(writeOut)
}

const shownOfItem = 120

/** How deep the list may be wrapped. */
const deepest = 4

/** The keys that lead from `body` to `target` (the same object, not an equal one). */
function findPath(body: unknown, target: unknown, depth = 0): string[] | undefined {
  if (body === target) return []
  const fields = fieldsOf(body)
  if (fields === null || depth === deepest) return undefined
  for (const [key, value] of Object.entries(fields)) {
    const rest = findPath(value, target, depth + 1)
    if (rest !== undefined) return [key, ...rest]
  }
  return undefined
}

function writeOut(value: unknown): string {
  return JSON.stringify(value) ?? 'null'
}
