/** The service's answer to the last submission that did not become a job by it: what `doctor` shows of a POST, which it never sends. */
import type { Store } from './store.ts'

export function findLastAnswer({ db }: Store, identity: string): string | undefined {
  const row = db
    .prepare<[string], { reply_text: string }>(
      'select reply_text from attempt where identity = ? and reply_text is not null order by id desc limit 1',
    )
    .get(identity)
  return row?.reply_text
}
