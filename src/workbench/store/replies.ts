/** Replies as they are kept: the text as received, keys removed, compressed. */
import { gunzipSync, gzipSync } from 'node:zlib'

export function packed(body: string | Uint8Array): Uint8Array {
  return gzipSync(body)
}

/** The text again, to the byte. */
export function unpacked(body: Uint8Array): string {
  return gunzipSync(body).toString('utf8')
}
