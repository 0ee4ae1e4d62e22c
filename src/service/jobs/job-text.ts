/**
 * A job as its client sees it: text that contains the stored result unchanged. The terms that the job is computed with stand in its
 * request, also where it asked for none; an undisclosed service tells neither them nor what a result states of them.
 */
import type { Selectable } from 'kysely'
import { withoutSettings } from '../disclosure.ts'
import type { Tables } from '../table-types.ts'

export type JobRow = Selectable<Omit<Tables['jobs'], 'account_id' | 'changed_at_ms' | 'claimed_by' | 'claims'>>

export function toJobText(row: JobRow, { discloses }: { readonly discloses: boolean }): string {
  const head = JSON.stringify({
    id: row.id,
    name: row.name,
    state: row.state,
    createdAt: toTime(row.created_at_ms),
    startedAt: toTime(row.started_at_ms),
    finishedAt: toTime(row.finished_at_ms),
  })
  const request = discloses ? withMember(row.request_json, 'settings', row.terms_json) : row.request_json
  const result = row.result_json !== null && !discloses ? concealed(row.result_json) : row.result_json
  const parts = [
    ['request', request],
    ['result', result ?? 'null'],
    ['error', row.error_json ?? 'null'],
  ] as const
  return parts.reduce((text, [name, json]) => withMember(text, name, json), head)
}

/** An object's text with one more member, whose text is given. The object has members already. */
function withMember(object: string, name: string, json: string): string {
  return `${object.slice(0, -1)},"${name}":${json}}`
}

function concealed(json: string): string {
  const result: Readonly<Record<string, unknown>> = JSON.parse(json) // written by finishJob from a result
  return JSON.stringify(withoutSettings(result))
}

function toTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
