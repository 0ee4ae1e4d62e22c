/** What every call uses: the functions that send through the gate, and the dialect that writes requests and reads replies. */
import type { CallOptions } from './calls.ts'
import type { PostOutcome, ReadOutcome } from './outcome.ts'
import type { Dialect } from './reading/dialect.ts'
import type { Operation } from './wire/operations.ts'
import type { Understand } from './wire/to-outcome.ts'

export interface ServiceLine {
  readonly dialect: Dialect
  /** Identifies this service with these keys: a proof is valid only for the same one. */
  readonly service: object
  read<T>(operation: Operation, understand: Understand<T>, call?: CallOptions): Promise<ReadOutcome<T>>
  write<T>(operation: Operation, understand: Understand<T>, call?: CallOptions): Promise<PostOutcome<T>>
}

export function withSignal(signal: AbortSignal | undefined): CallOptions {
  return signal === undefined ? {} : { signal }
}

/** `next` of a page: a query string, with or without the part before its `?`; a single word is a cursor. */
export function readQuery(next: string): Record<string, string> {
  const query = next.slice(next.indexOf('?') + 1)
  return query.includes('=') ? Object.fromEntries(new URLSearchParams(query)) : { cursor: query }
}

/** Of an operation: which later page it asks for. */
export function pageOf(next: string | undefined): Pick<Operation, 'page'> {
  return next === undefined ? {} : { page: next }
}

/** ms UTC as the ISO time that queries take. */
export function queryTime(ms: number | undefined): string | undefined {
  return ms === undefined ? undefined : new Date(ms).toISOString()
}
