/** H65: the service can be reached from this machine alone, by programs alone, with keys of its own making alone. */
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { IssuedKeys } from '../../src/service/keys.ts'
import type { RunningService } from '../../src/service/start.ts'
import { ask, botPayload, jobRequest, OWNER, openWorld, type Question, refusalOf, type World } from './world.ts'

let world: World
let service: RunningService
let keys: IssuedKeys
beforeAll(async () => {
  world = openWorld()
  service = await world.start()
  keys = service.issueKeys({ userEmail: OWNER })
})
afterAll(() => world.clear())

const port = () => Number(new URL(service.url).port)

/** Whether somebody listens there. */
function isOpen(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port: port(), timeout: 2_000 })
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.on('connect', () => end(true))
    socket.on('error', () => end(false))
    socket.on('timeout', () => end(false))
  })
}

describe('the listener', () => {
  it('is bound to 127.0.0.1 and to no other address of this machine', async () => {
    expect(await isOpen('127.0.0.1')).toBe(true)
    const others = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? [])
    // On Linux all of 127/8 is this machine: a listener on every address would answer here too.
    const hosts = [
      ...others.map(({ address }) => address),
      '::1',
      ...(process.platform === 'linux' ? ['127.0.0.2'] : []),
    ]
    for (const host of hosts) if (host !== '127.0.0.1') expect([host, await isOpen(host)]).toEqual([host, false])
  })

  it('takes a free port unless it is told one', async () => {
    const other = await world.start({ storePath: `${world.storePath}-2` })
    expect(other.url).not.toBe(service.url)
    expect(port()).toBeGreaterThan(1023)
    await other.close()
  })
})

const limits = '/api/backtest/limits'
const jobs = '/api/backtest/jobs'
const evil = { Origin: 'http://evil.example' }

/** What a page in a browser can make it send, with the keys in hand: simple forms, images, scripted requests, rebound names. */
const CROSS_SITE: Readonly<Record<string, () => Question>> = {
  'a scripted read': () => ({ path: limits, headers: evil }),
  'a scripted list': () => ({ path: jobs, headers: evil }),
  'a scripted job': () => ({ path: jobs, body: jobRequest(), headers: evil }),
  'a scripted bot': () => ({ path: '/api/bots', body: botPayload(), headers: evil }),
  'a scripted deletion': () => ({ method: 'DELETE', path: `${jobs}/x`, headers: evil }),
  'a scripted update': () => ({ method: 'PUT', path: '/api/bots/x', body: botPayload(), headers: evil }),
  'a preflight': () => ({
    method: 'OPTIONS',
    path: jobs,
    headers: { ...evil, 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-api-key' },
  }),
  'a page of no origin': () => ({ path: jobs, body: jobRequest(), headers: { Origin: 'null' } }),
  'an extension': () => ({ path: jobs, body: jobRequest(), headers: { Origin: 'chrome-extension://abc' } }),
  'a file': () => ({ path: jobs, body: jobRequest(), headers: { Origin: 'file://' } }),
  'another port of this machine': () => ({ path: jobs, body: jobRequest(), headers: { Origin: 'http://127.0.0.1:1' } }),
  'our own address as origin': () => ({ path: jobs, body: jobRequest(), headers: { Origin: service.url } }),
  'a form as text': () => ({
    path: jobs,
    body: JSON.stringify(jobRequest()),
    headers: { 'Content-Type': 'text/plain' },
  }),
  'a form': () => ({
    path: jobs,
    body: 'a=1&b=2',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...evil },
  }),
  'a form in parts': () => ({
    path: jobs,
    body: '--x\r\n\r\n--x--',
    headers: { 'Content-Type': 'multipart/form-data; boundary=x' },
  }),
  'a beacon': () => ({ path: jobs, body: JSON.stringify(jobRequest()), headers: { 'Content-Type': '' } }),
  'a rebound name': () => ({ path: limits, headers: { Host: `evil.example:${port()}` } }),
  'a rebound name without port': () => ({ path: limits, headers: { Host: 'evil.example' } }),
  'a name that ends like ours': () => ({ path: limits, headers: { Host: `evil-localhost:${port()}` } }),
  'a name that begins like ours': () => ({ path: limits, headers: { Host: `127.0.0.1.evil.example:${port()}` } }),
  'a wild-card name for this machine': () => ({ path: limits, headers: { Host: `127.0.0.1.nip.io:${port()}` } }),
  'a rebound name that writes': () => ({ path: jobs, body: jobRequest(), headers: { Host: 'evil.example' } }),
}

it('20 and more cross-site requests with valid keys: not one is accepted, none is answered to a script', async () => {
  expect(Object.keys(CROSS_SITE).length).toBeGreaterThanOrEqual(20)
  for (const [name, question] of Object.entries(CROSS_SITE)) {
    const reply = await ask(service, { ...question(), keys })
    expect([name, reply.status >= 400 && reply.status < 500]).toEqual([name, true])
    expect([name, Object.keys(reply.headers).filter((header) => header.startsWith('access-control'))]).toEqual([
      name,
      [],
    ])
  }
  expect(JSON.parse((await ask(service, { path: limits, keys })).text)).toMatchObject({ used: 0 })
  expect(JSON.parse((await ask(service, { path: `/api/bots?userEmail=${OWNER}`, keys })).text)).toMatchObject({
    bots: [],
  })
})

/** One raw request; the head of what came back. */
function knock(requestLine: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: port() })
    const { apiKey, secretKey } = keys
    socket.write(
      `${requestLine}\r\nHost: ${host}\r\nX-API-Key: ${apiKey}\r\nX-Secret-Key: ${secretKey}\r\nConnection: close\r\n\r\n`,
    )
    let heard = ''
    socket.setEncoding('utf8').on('data', (part) => {
      heard += part
    })
    socket.on('close', () => resolve(heard))
    socket.on('error', reject)
  })
}

it('H82: a whole address in the request line has to name this service, whatever the Host header says', async () => {
  const own = `127.0.0.1:${port()}`
  for (const there of ['evil.example', `evil.example:${port()}`, `${own}@evil.example`, '127.0.0.1', `x${own}`, '']) {
    expect([there, (await knock(`GET http://${there}${limits} HTTP/1.1`, own)).slice(0, 12)]).toEqual([
      there,
      expect.stringMatching(/^HTTP\/1\.1 4/),
    ])
  }
  expect(await knock(`GET HTTPS://evil.example${limits} HTTP/1.1`, own)).toMatch(/^HTTP\/1\.1 4/)
  expect(await knock(`GET http://${own}${limits} HTTP/1.1`, 'evil.example')).toMatch(/^HTTP\/1\.1 4/)
  expect(await knock(`GET http://${own}${limits} HTTP/1.1`, own)).toMatch(/^HTTP\/1\.1 200/)
})

it('H82: of 300 connections that say nothing 50 are hung up on; whoever asks is answered when the others are gone', async () => {
  const sockets = Array.from({ length: 300 }, () => connect({ host: '127.0.0.1', port: port() }))
  const refused = await new Promise<number>((resolve) => {
    let closed = 0
    for (const socket of sockets) {
      socket.on('error', () => {}) // hung up on
      socket.on('close', () => ++closed === 50 && resolve(closed))
    }
  })
  expect(refused).toBe(50)
  expect(sockets.filter((socket) => !socket.destroyed)).toHaveLength(250)
  for (const socket of sockets) socket.destroy()
  const answered = async (): Promise<number> => {
    // The service hears of it a turn later.
    const reply = await ask(service, { path: limits, keys }).catch(() => undefined)
    return reply?.status ?? answered()
  }
  expect(await answered()).toBe(200)
})

it('keys that it did not make are not taken, whatever they look like', async () => {
  const { apiKey, secretKey } = keys
  const foreign = await world.start({ storePath: `${world.storePath}-3` })
  const strangers: IssuedKeys[] = [
    { ...keys, apiKey: apiKey.slice(0, -1), secretKey },
    { ...keys, apiKey: `${apiKey}x`, secretKey },
    { ...keys, apiKey: apiKey.toUpperCase(), secretKey: secretKey.toUpperCase() },
    { ...keys, apiKey: secretKey, secretKey: apiKey },
    { ...keys, secretKey: apiKey },
    { ...keys, secretKey: `${secretKey}, ${secretKey}` },
    { ...keys, apiKey: '%', secretKey: '%' },
    { ...keys, apiKey: "' or 1=1 --", secretKey: "' or 1=1 --" },
    { ...keys, apiKey: '__proto__', secretKey: '__proto__' },
    foreign.issueKeys({ userEmail: OWNER }),
  ]
  for (const pair of strangers) {
    expect(refusalOf(await ask(service, { path: limits, keys: pair }))).toMatch(/^401 /)
  }
  await foreign.close()
})
