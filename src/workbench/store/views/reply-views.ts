/** Views of what services say. */
import type { View } from './column.ts'
import { shared } from './shared-columns.ts'

const since = 8

export const serviceRepliesView: View = {
  rows: 'The last kept reply of every endpoint and object of a service, other than single jobs: the latest 200, of 8 MB at most. The bodies are in the table service_reply; dcalab sql reads them as reply_text(body).',
  columns: {
    identity: { ...shared('p', 'identity').identity, since },
    endpoint: {
      sql: 'p.endpoint',
      unit: 'text',
      meaning: 'method and path, as the API document spells them',
      whenNull: null,
      since,
    },
    object: {
      sql: 'p.object',
      unit: 'text',
      meaning: 'the bot, exchange or later page that was asked for; empty where there is none',
      whenNull: null,
      since,
    },
    status: { sql: 'p.status', unit: 'count', meaning: 'HTTP status', whenNull: null, since },
    received_at: {
      sql: 'p.received_at',
      unit: 'time',
      meaning: 'when it was received; the same body is noted again after five minutes',
      whenNull: null,
      since,
    },
    bytes: {
      sql: 'p.bytes',
      unit: 'count',
      meaning: 'length of the body before it was compressed',
      whenNull: null,
      since,
    },
    has_body: {
      sql: 'p.body is not null',
      unit: 'yes/no',
      meaning: 'its body is in the table service_reply, compressed (gzip); one over 1 MB is not kept',
      whenNull: null,
      since,
    },
  },
  from: 'from service_reply p',
}
