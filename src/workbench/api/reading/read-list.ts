/** Reads lists item by item, and finds the exact text of each item. */

import { itemsAt, spanAt } from '../lossless-json.ts'
import type { Reply } from '../outcome.ts'
import { fieldsOf, idOf } from './single-values.ts'

export interface ItemsRead<T> {
  readonly readings: readonly T[]
  readonly next: string | null
  /** Items that could not be read. */
  readonly unreadable: number
}

/** `items` as a dialect found them in the body; null when it found no list. */
export function readItems<T>(
  reply: Reply,
  { items, next }: { readonly items: unknown; readonly next: unknown },
  readItem: (item: unknown, text: string) => T | null,
): ItemsRead<T> | null {
  if (!Array.isArray(items)) return null
  const texts = textsOfItems(reply, items)
  const readings = items.map((item, i) => readItem(item, texts[i])).filter((reading) => reading !== null)
  const nextText = idOf(next)
  return { readings, next: nextText === '' ? null : nextText, unreadable: items.length - readings.length }
}

/** The texts of the items in the reply. Items that a dialect made itself, instead of returning those of the body, are written as new JSON. */
function textsOfItems(reply: Reply, items: readonly unknown[]): string[] {
  const path = findPath(reply.json?.value, items)
  const span = path && spanAt(reply.raw.text, path)
  return span
    ? itemsAt(reply.raw.text, span.start).map(({ start, end }) => reply.raw.text.slice(start, end))
    : items.map(writeOut)
}

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
