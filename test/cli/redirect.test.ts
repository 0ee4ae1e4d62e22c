/** H32, H33: the built program over real TLS follows no redirect: not to another host, not to plain http, not even at home. */

import { writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import { createServer as createPlainServer, type Server as PlainServer } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loopbackCertificate } from '../support/certificate.ts'
import { type Desk, desk } from '../support/dcalab.ts'
import { byTurn } from '../support/turn.ts'

const keys = { DCALAB_API_KEY: 'redirect-canary-1', DCALAB_SECRET_KEY: 'redirect-canary-2' }

let at: Desk
let service: Server
/** What the service answers. */
let answer = { status: 200, location: '' }
let asked: string[] = []
/** Connections to another https host and to a plain port. */
const stolen = { tls: 0, plain: 0, bytes: '' }
let url = ''
const elsewhere: Record<string, string> = {}
const open: { close(): unknown }[] = []

beforeAll(async () => {
  at = desk()
  const certificate = loopbackCertificate()
  writeFileSync(join(at.folder, 'ca.pem'), certificate.cert)
  writeFileSync(join(at.folder, 'bot.json'), JSON.stringify({ config }))
  service = createServer(certificate, (request, response) => {
    asked.push(`${request.method} ${request.url}`)
    request.resume()
    response.writeHead(answer.status, answer.location === '' ? {} : { location: answer.location }).end('{}')
  })
  const other = createServer(certificate, (request, response) => {
    stolen.bytes += JSON.stringify(request.headers)
    response.end('{}')
  })
  other.on('connection', () => stolen.tls++)
  const plain = createPlainServer((socket) => {
    stolen.plain++
    socket.on('data', (bytes) => (stolen.bytes += bytes.toString('latin1')))
    socket.on('error', () => {})
  })
  url = `https://127.0.0.1:${await listen(service)}`
  const plainPort = await listen(plain)
  Object.assign(elsewhere, {
    'the same origin': '/api/elsewhere',
    'another origin': `https://127.0.0.1:${await listen(other)}/take`,
    'plain http': `http://127.0.0.1:${plainPort}/take`,
    'plain http by another name': `http://localhost:${plainPort}/take`,
  })
})
afterAll(() => {
  for (const server of open) server.close()
})

const config = {
  exchange: 'binance',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  investment: 1000,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 3,
  dcaPriceScalePercent: 1,
  dcaPriceStepMultiplier: 1.2,
  dcaVolumeScale: 1.3,
  takeProfit: 1,
}

const environment = () => ({
  ...keys,
  DCALAB_BASE_URL: url,
  DCALAB_USER_EMAIL: 'a@b.example',
  NODE_EXTRA_CA_CERTS: join(at.folder, 'ca.pem'),
})

it('speaks TLS to the service when all is well (control)', async () => {
  answer = { status: 200, location: '' }
  const { stderr } = await at.dcalab(['service', 'limits'], environment())
  expect(asked).toEqual(['GET /api/backtest/limits'])
  expect(stderr).not.toMatch(/certificate|TLS/)
})

const commands = [
  ['service', 'limits'],
  ['bots', 'create', 'bot.json', '--dry-run'],
]

// All codes to all places are tried below the program, without TLS (test/workbench/api/redirect.test.ts); here two, the others at another commit.
const places = [
  ['plain http', 301],
  ['plain http by another name', 307],
  ['another origin', 302],
  ['the same origin', 308],
] as const
it.each(byTurn(places, 2))('a redirect to %s is not followed: %i, GET and POST', async (place, status) => {
  answer = { status, location: elsewhere[place] }
  asked = []
  const ends = await Promise.all(commands.map((args) => at.dcalab(args, environment())))
  for (const { code, stdout, stderr } of ends) {
    expect([4, 5]).toContain(code)
    expect(stdout).toBe('')
    expect(stderr).not.toMatch(/redirect-canary|^bug/m)
  }
  expect(asked.sort()).toEqual(['GET /api/backtest/limits', 'POST /api/bots/validate'])
  expect(stolen).toEqual({ tls: 0, plain: 0, bytes: '' })
})

it('a certificate that nobody vouches for gets no request', async () => {
  asked = []
  const { NODE_EXTRA_CA_CERTS: _, ...unvouched } = environment()
  const { code, stderr } = await at.dcalab(['bots', 'create', 'bot.json', '--dry-run'], unvouched)
  expect(code).toBe(5)
  expect(stderr).toMatch(/certificate/)
  expect(asked).toEqual([])
})

async function listen(server: Server | PlainServer): Promise<number> {
  open.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return address.port
}
