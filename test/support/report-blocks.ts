/** What a report's page carries deflated, as text: charts, the document, and numbers that are no text at all. */
import { inflateRawSync } from 'node:zlib'

/** By id, in the order of the page. */
export function unpackBlocks(html: string): ReadonlyMap<string, string> {
  const blocks = html.matchAll(/<script type="text\/plain" id="([^"]+)">([^<]*)<\/script>/g)
  return new Map(Array.from(blocks, ([, id, base64]) => [id, inflateRawSync(Buffer.from(base64, 'base64')).toString()]))
}

/** A report as whoever searches it for a text should read it. */
export function withBlocks(html: string): string {
  return [html, ...unpackBlocks(html).values()].join('\n')
}
