/** What every call uses: the functions that send through the gate, and the dialect that writes requests and reads replies. */
import type { CallOptions } from './calls.ts'
import type { PostOutcome, ReadOutcome } from './outcome.ts'
import type { Dialect, ListFound, PageAsked, Translate } from './reading/dialect.ts'
import { isEmptyFailure, readItems } from './reading/read-job.ts'
import type { Page } from './reading/readings.ts'
import type { Operation } from './wire/operations.ts'
import type { Understand } from './wire/to-outcome.ts'

export interface ServiceLine {
  readonly dialect: Dialect
  /** Identifies this service with these keys: a proof is valid only for the same one. */
  readonly service: object
  read<T>(operation: Operation, understand: Understand<T>, call?: CallOptions): Promise<ReadOutcome<T>>
  write<T>(operation: Operation, understand: Understand<T>, call?: CallOptions): Promise<PostOutcome<T>>
}

/** `next` of a page: a query string, with or without the part before its `?`; a single word is a cursor. */
export function readQuery(next: string): Record<string, string> {
  const query = next.slice(next.indexOf('?') + 1)
  return query.includes('=') ? Object.fromEntries(new URLSearchParams(query)) : { cursor: query }
}

/** ms UTC as the ISO time that queries take. */
export function queryTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

/** What a kind of list is read by. */
interface ListRules<T> {
  readonly listOf: (body: unknown, asked: PageAsked) => ListFound
  readonly translate: Translate
  readonly readItem: (item: unknown, text: string) => T | null
}

/** One page. `next`: of the page before it; its query was read from there. A body that says it failed is no list. */
export function readPage<T>(
  { read }: ServiceLine,
  { query, next, ...operation }: Omit<Operation, 'page'> & PageAsked & { readonly next: string | undefined },
  { listOf, translate, readItem }: ListRules<T>,
  call: CallOptions,
): Promise<ReadOutcome<Page<T>>> {
  return read(
    { ...operation, query, ...(next === undefined ? {} : { page: next }) },
    (body, reply) => {
      const page = readItems(reply, { ...listOf(body, { query }), query, translate }, readItem)
      return page === null || isEmptyFailure(page, body) ? null : page
    },
    call,
  )
}
