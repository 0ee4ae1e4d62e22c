import { Refusal } from '../refusal.ts'

/** The longest body we read; a creation payload has about 500 bytes. */
const longestBody = 65_536

/** The text of a JSON body. @throws Refusal for another media type, a longer body, or bytes that are not UTF-8 */
export async function readBodyText(request: Request): Promise<string> {
  const mediaType = request.headers.get('Content-Type') ?? ''
  // A web page cannot send this type to another site without a preflight request, which we never answer.
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(mediaType)) {
    throw new Refusal('UnsupportedMediaType', 'the body must be sent as application/json')
  }
  if (Number(request.headers.get('Content-Length') ?? 0) > longestBody) throw tooLarge()
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of request.body ?? []) {
    length += chunk.byteLength
    if (length > longestBody) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new Refusal('InvalidPayload', 'the body is not UTF-8')
  }
}

function tooLarge(): Refusal {
  return new Refusal('PayloadTooLarge', `a body may have ${longestBody} bytes`)
}
