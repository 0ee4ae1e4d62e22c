/** Replies as they are kept: the text as received, keys removed, compressed. */
import { gunzipSync, gzipSync } from 'node:zlib'

export function packed(text: string): Uint8Array {
  return gzipSync(text)
}

/** The text again, to the byte. */
export function unpacked(body: Uint8Array): string {
  return gunzipSync(body).toString('utf8')
}
