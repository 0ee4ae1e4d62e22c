/** Bodies that are not what they should be, however good they look (H30). */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'

const good = JSON.stringify({ id: 'job-1', state: 'queued' })

type Answer = (response: ServerResponse) => void

/** Status 200 with these bytes. */
export const raw =
  (body: string | Buffer, headers: Record<string, string> = {}): Answer =>
  (response) => {
    response.writeHead(200, { 'content-type': 'application/json', ...headers })
    response.end(body)
  }

/** 25 bodies that no call may take for an answer. */
export const BODIES: Readonly<Record<string, Answer>> = {
  'an HTML page': raw('<html><body>Sign in</body></html>', { 'content-type': 'text/html' }),
  'HTML called JSON': raw('<!doctype html>'),
  words: raw('OK', { 'content-type': 'text/plain' }),
  'cut JSON': raw(good.slice(0, -3)),
  'cut inside a string': raw('{"id":"job'),
  'two values': raw(`${good}${good}`),
  'text after the value': raw(`${good} trailing`),
  NaN: raw('{"id":NaN}'),
  undefined: raw('undefined'),
  'single quotes': raw("{'id':'job-1'}"),
  'a trailing comma': raw('{"id":"job-1",}'),
  'a comment': raw('{"id":"job-1"} // done'),
  'a byte order mark': raw(`\ufeff${good}`),
  'UTF-16': raw(Buffer.from(good, 'utf16le')),
  'broken UTF-8': raw(Buffer.from([0x7b, 0x22, 0x69, 0x64, 0x22, 0x3a, 0x22, 0xff, 0xfe, 0x22, 0x7d])),
  bytes: raw(Buffer.from([0, 1, 2, 3, 255])),
  'white space': raw('   \n'),
  'a guard prefix': raw(`)]}',\n${good}`),
  'JSON lines': raw(`${good}\n${good}\n`),
  'a form': raw('id=job-1&state=queued', { 'content-type': 'application/x-www-form-urlencoded' }),
  'an event stream': raw(`data: ${good}\n\n`, { 'content-type': 'text/event-stream' }),
  'not gzip': raw('not gzip', { 'content-encoding': 'gzip' }),
  'cut gzip': raw(gzipSync(good).subarray(0, 20), { 'content-encoding': 'gzip' }),
  'fewer bytes than promised': (response) => {
    response.writeHead(200, { 'content-length': '1000' })
    response.write(good, () => response.socket?.destroy())
  },
  'a raw control character': raw('{"id":"job\u0001-1"}'),
}
