/** Replies as they are kept: the text as received, keys removed, compressed. */
import { gunzipSync, gzipSync } from 'node:zlib'

export function packed(body: string | Uint8Array): Uint8Array {
  return gzipSync(body)
}

/** Four times the largest reply that is read (`../api/wire/send.ts`): a file from elsewhere may hold a body that unpacks without end. */
const largestText = 32 * 1024 * 1024

/** The text again, to the byte. @throws where it is not what `packed` made */
export function unpacked(body: Uint8Array): string {
  return gunzipSync(body, { maxOutputLength: largestText }).toString('utf8')
}
