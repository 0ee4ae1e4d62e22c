/** Reads lists that come in pages, up to the wanted number of items. */

import { Failure } from '../errors.ts'
import { failureOf } from '../workbench/api/failure.ts'
import type { ReadOutcome } from '../workbench/api/outcome.ts'

export interface Page<T> {
  readonly items: readonly T[]
  readonly next: string | null
  readonly unreadable: number
}

export interface Collected<T> {
  readonly items: readonly T[]
  /** True when the service has more items. */
  readonly more: boolean
  readonly unreadable: number
}

/** A longer list is assumed to repeat its pages without end. */
const mostPages = 1_000

/** At most `limit` items of a list. @throws Failure when a page cannot be read */
export async function collectPages<T>(
  limit: number,
  tried: string,
  readPage: (next: string | undefined) => Promise<ReadOutcome<Page<T>>>,
): Promise<Collected<T>> {
  const items: T[] = []
  let unreadable = 0
  const asked = new Set<string>()
  let next: string | undefined
  for (let page = 1; page <= mostPages; page++) {
    const outcome = await readPage(next)
    if (outcome.kind !== 'ok') throw failureOf(outcome, tried)
    items.push(...outcome.value.items)
    unreadable += outcome.value.unreadable
    const more = outcome.value.next
    if (more === null || items.length > limit) {
      return { items: items.slice(0, limit), more: more !== null || items.length > limit, unreadable }
    }
    if (items.length === limit) return { items, more: true, unreadable }
    if (asked.has(more)) throw new Failure('serviceUnreadable', `${tried}: the list repeats a page`)
    asked.add(more)
    next = more
  }
  throw new Failure('serviceUnreadable', `${tried}: the list has more than ${mostPages} pages`)
}
