/** H31: whichever part of an answer is slow, the deadline ends it on the millisecond, not before and not after. */
import { createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient } from '../../../src/workbench/api/client.ts'
import { builtInDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { Keys } from '../../../src/workbench/api/wire/keys.ts'
import { testSystem } from '../../support/system.ts'
import { API_KEY, JOB_REQUEST, SECRET_KEY } from './world.ts'

const open: { close(): unknown }[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

const timeoutMs = 30_000

/** What has been sent of an answer when nothing more comes for a long time. */
const STUCK: Readonly<Record<string, string>> = {
  nothing: '',
  'half of the status line': 'HTTP/1.1 20',
  'half of the headers': 'HTTP/1.1 200 OK\r\ncontent-type: appli',
  'all headers': 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n',
  'half of the body': 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{"id":"job-1",',
  'a chunk without its end': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n8\r\n{"id":"j',
  'a complete value without the last chunk': 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nd\r\n{"id":"job-1"}',
  'one informational answer after another': 'HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n',
}

describe.each(Object.entries(STUCK))('a service that stops after %s', (_, text) => {
  it.each(['createJob', 'readJob'] as const)('%s is given up at its deadline', async (call) => {
    const sockets: Socket[] = []
    let asked = 0
    const url = await listen((socket) => {
      sockets.push(socket)
      socket.once('data', () => socket.write(text, () => asked++))
    })
    const { system, client } = clientAt(url)
    const ended: { kind: string }[] = []
    const asking = call === 'createJob' ? client.createJob(JOB_REQUEST) : client.readJob('job-1')
    const pending = asking.then((outcome) => void ended.push(outcome))
    while (asked === 0) await new Promise(setImmediate)
    await system.advance(timeoutMs - 1)
    expect(ended).toEqual([])
    if (call === 'readJob') {
      // A read is tried again after a pause; what matters is that each try ended.
      while (ended.length === 0) await system.advance(1_000)
      expect(ended).toMatchObject([{ kind: 'failed' }])
      expect(asked).toBeLessThanOrEqual(4)
    } else {
      await system.advance(1)
      await pending
      expect(ended).toMatchObject([{ kind: 'ambiguous', reason: 'no complete answer within 30 s' }])
      expect(asked).toBe(1)
    }
    for (const socket of sockets) socket.destroy()
  })
})

it('an answer that comes byte by byte, but never ends, is given up at the same moment', async () => {
  let poured = 0
  const url = await listen((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n')
      const drip = () => {
        if (socket.destroyed) return
        poured++
        socket.write('1\r\n[\r\n', () => setImmediate(drip))
      }
      drip()
    })
  })
  const { system, client } = clientAt(url)
  const pending = client.createJob(JOB_REQUEST)
  while (poured < 50) await new Promise(setImmediate)
  await system.advance(timeoutMs - 1)
  const before = poured
  while (poured < before + 50) await new Promise(setImmediate) // it is still being read
  await system.advance(1)
  expect(await pending).toMatchObject({ kind: 'ambiguous', reason: 'no complete answer within 30 s' })
})

it('headers without an end are not kept', async () => {
  const url = await listen((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n')
      const pour = () => {
        while (!socket.destroyed && socket.write(`x-filler: ${'x'.repeat(1000)}\r\n`));
        if (!socket.destroyed) socket.once('drain', pour)
      }
      pour()
    })
  })
  expect(await clientAt(url).client.createJob(JOB_REQUEST)).toMatchObject({ kind: 'ambiguous' })
})

function clientAt(baseUrl: string) {
  const system = testSystem()
  const client = createClient({
    baseUrl,
    keys: new Keys(API_KEY, SECRET_KEY),
    system,
    dialect: builtInDialect,
    rateLog: { tryStart: () => ({ slot: 1 }), finish: () => {} },
    timeoutMs,
  })
  return { system, client }
}

async function listen(talk: (socket: Socket) => void): Promise<string> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => {})
    talk(socket)
  })
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}
