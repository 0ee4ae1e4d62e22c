/** Bots from the terminal, against the embedded service and against a scripted one: demo bots are made, changed and started; real ones only stopped. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { collectPages } from '../../src/cli/pages.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import {
  API_KEY,
  BOT_PAYLOAD,
  goodBody,
  json,
  type ScriptedService,
  SECRET_KEY,
  scriptedService,
} from '../workbench/api/world.ts'

let folder: string
beforeAll(() => {
  folder = temporaryFolder()
})

const config = {
  investment: 1000,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 3,
  dcaPriceScalePercent: 1,
  dcaPriceStepMultiplier: 1.2,
  dcaVolumeScale: 1.3,
  takeProfit: 1,
}
const market = { exchange: 'synthetic', baseAsset: 'B', quoteAsset: 'USDT' }

function file(name: string, content: unknown): string {
  const path = join(folder, name)
  writeFileSync(path, JSON.stringify(content))
  return path
}

const parse = (text: string) => JSON.parse(text)

describe('on the embedded service', () => {
  let dcalab: Program
  let ladder: string
  let id: string
  beforeAll(async () => {
    dcalab = program(folder)
    await dcalab(['candles', 'generate', '--market', 'synthetic/B-USDT', '--from', twoDaysAgo(), '--days', '2'])
    ladder = file('ladder.yaml', { config: { ...config, ...market } })
  })

  it('an empty account has no bots', async () => {
    expect(parse((await dcalab(['bots', 'list', '--json'])).out)).toEqual([])
    expect((await dcalab(['bots', 'list'])).err).toContain('none')
  })

  it('an owner named by --user has bots of its own, and every command meets them there', async () => {
    const asked = ['--user', 'colleague@localhost']
    const { botId } = parse((await dcalab(['bots', 'create', ladder, ...asked, '--json'])).out)
    expect(parse((await dcalab(['bots', 'list', ...asked, '--json'])).out)).toMatchObject([
      { id: botId, userEmail: 'colleague@localhost' },
    ])
    expect((await dcalab(['bots', 'start', botId, ...asked])).code).toBe(0)
    expect((await dcalab(['bots', 'show', botId])).code).toBe(2)
    expect(parse((await dcalab(['bots', 'list', '--json'])).out)).toEqual([])
  })

  it('a good file is valid, a bad market is not, and the exit code says which', async () => {
    expect(await dcalab(['bots', 'validate', ladder])).toMatchObject({ code: 0, out: 'valid\n' })
    const invalid = await dcalab(['bots', 'validate', ladder, '--market', 'synthetic/NO-USDT', '--json'])
    expect(invalid.code).toBe(4)
    expect(parse(invalid.out)).toMatchObject({ valid: false, errors: [{ field: 'baseAsset' }] })
  })

  it('creates a demo bot named after its file, once', async () => {
    const created = parse((await dcalab(['bots', 'create', ladder, '--json'])).out)
    expect(created).toMatchObject({ name: 'ladder', isDemo: true, created: true, reused: false })
    expect(parse((await dcalab(['bots', 'create', ladder, '--json'])).out)).toEqual({
      ...created,
      created: false,
      reused: true,
    })
    id = created.botId
    const taken = await dcalab([
      'bots',
      'create',
      file('wider.json', { config: { ...config, ...market, takeProfit: 2 } }),
      '--name',
      'ladder',
    ])
    expect(taken.code).toBe(4)
    expect(taken.err).toContain('takeProfit')
    expect(parse((await dcalab(['bots', 'list', '--json'])).out)).toMatchObject([
      { id, name: 'ladder', market: 'synthetic/B-USDT', isDemo: true, state: 'created', config: { takeProfit: 1 } },
    ])
  })

  it('is shown with every number of its configuration', async () => {
    const { out } = await dcalab(['bots', 'show', id])
    expect(out).toContain(`bot      ${id}, ladder, demo`)
    expect(out).toMatch(/dcaVolumeScale +1\.3/)
    expect(parse((await dcalab(['bots', 'show', id, '--json'])).out)).toMatchObject({
      id,
      config: { stopLoss: 0, leverage: 1 },
    })
  })

  it('starts, runs, is changed and stops', async () => {
    expect(parse((await dcalab(['bots', 'start', id, '--json'])).out)).toEqual({
      botId: id,
      isDemo: true,
      state: 'running',
      wasRunning: false,
    })
    expect(parse((await dcalab(['bots', 'start', id, '--json'])).out)).toMatchObject({ wasRunning: true })
    for (const part of ['executions', 'orders']) {
      expect(await dcalab(['bots', part, id, '--json'])).toMatchObject({ code: 0, out: expect.stringMatching(/^\[/) })
    }
    expect(parse((await dcalab(['bots', 'pnl', id, '--json'])).out)).toMatchObject({
      investment: 1000,
      netProfit: expect.any(Number),
    })
    const wider = file('wider-again.yaml', { config: { ...config, takeProfit: 2.5 } })
    expect(parse((await dcalab(['bots', 'update', id, wider, '--json'])).out)).toMatchObject({
      id,
      name: 'ladder',
      market: 'synthetic/B-USDT',
      config: { takeProfit: 2.5 },
    })
    const wrong = file('wrong.yaml', { config: { ...config, investment: 1_500 } })
    const refused = await dcalab(['bots', 'update', id, wrong])
    expect(refused.code).toBe(4)
    expect(refused.err.match(/cannot change any more/g), refused.err).toHaveLength(1)
    expect(parse((await dcalab(['bots', 'stop', id, '--keep-position', '--json'])).out)).toEqual({
      botId: id,
      closePosition: false,
      state: 'stopped',
    })
    expect(await dcalab(['bots', 'stop', id, '--close-position'])).toMatchObject({
      code: 0,
      out: expect.stringContaining('closed'),
    })
  })

  it('an unknown bot is not found, whatever is asked of it', async () => {
    for (const args of [['show'], ['executions'], ['orders'], ['pnl'], ['start']]) {
      const { code, err } = await dcalab(['bots', ...args, 'nobody', '--json'])
      expect([args, code, parse(err).error.code]).toEqual([args, 2, 'notFound'])
    }
    expect((await dcalab(['bots', 'stop', 'nobody', '--keep-position'])).code).toBe(4)
  })
})

describe('what is refused before a request', () => {
  it.each([
    [
      'neither what becomes of the position',
      ['bots', 'stop', 'b'],
      'terminalNeeded',
      /--close-position or --keep-position/,
    ],
    ['both at once', ['bots', 'stop', 'b', '--close-position', '--keep-position'], 'usage', /exclude/],
    ['a file without market', ['bots', 'create', 'plain.json'], 'usage', /market/],
    ['a market that is none', ['bots', 'create', 'plain.json', '--market', 'BTCUSDT'], 'usage', /exchange\/BASE-QUOTE/],
    ['a real bot', ['bots', 'create', 'real.json'], 'configInvalid', /real bot/],
    ['somebody else’s bot', ['bots', 'create', 'other.json'], 'usage', /owner/],
    ['a number out of bounds', ['bots', 'validate', 'wrong.json'], 'configInvalid', /takeProfit/],
    ['a state that orders do not have', ['bots', 'orders', 'b', '--state', 'gone'], 'usage', /open, filled/],
    ['a time that is none', ['bots', 'executions', 'b', '--since', 'yesterday'], 'usage', /--since/],
    ['an owner that is none', ['bots', 'list', '--user', 'me'], 'usage', /--user expects an e-mail address/],
    ['a limit that is none', ['bots', 'executions', 'b', '--limit', '0'], 'usage', /--limit/],
  ])('%s', async (_what, args, code, words) => {
    file('plain.json', { config })
    file('real.json', { config: { ...config, ...market, isDemo: false } })
    file('other.json', { config: { ...config, ...market, userEmail: 'other@example.com' } })
    file('wrong.json', { config: { ...config, ...market, takeProfit: -1 } })
    const service = await scriptedService((hit, response) => json(response, 200, goodBody(hit)))
    const dcalab = scripted(service)
    const found = await dcalab([...args.map((arg) => (arg.endsWith('.json') ? join(folder, arg) : arg)), '--json'])
    await service.close()
    expect(found.code).toBe(2)
    expect(parse(found.err).error.code).toBe(code)
    expect(found.err).toMatch(words)
    expect(service.hits).toEqual([])
  })
})

describe('against a service of bots that are not demos', () => {
  it.each([false, 'true', 1, null, undefined])(
    'isDemo %j: neither started, updated nor sold, but stopped',
    async (isDemo) => {
      const service = await scriptedService((_hit, response) =>
        json(response, 200, { id: 'bot-1', ...BOT_PAYLOAD, isDemo, state: 'stopped' }),
      )
      const dcalab = scripted(service)
      const ladder = file('any.yaml', { config })
      for (const args of [
        ['start', 'bot-1'],
        ['update', 'bot-1', ladder],
        ['stop', 'bot-1', '--close-position'],
      ]) {
        const { code, err } = await dcalab(['bots', ...args, '--json'])
        expect([code, parse(err).error.code]).toEqual([2, 'notADemoBot'])
        expect(err).toContain('nothing overrides')
      }
      expect(service.hits.every(({ method }) => method === 'GET')).toBe(true)
      expect((await dcalab(['bots', 'stop', 'bot-1', '--keep-position'])).code).toBe(0)
      expect(service.hits.at(-1)?.url).toBe('/api/bots/bot-1/stop?closePosition=false')
      await service.close()
    },
  )
})

it('the trading pair is used for bots and for nothing else, and no key is ever printed', async () => {
  const service = await scriptedService((hit, response) => {
    const echo = { ...hit.headers, said: Object.values(hit.headers).join() }
    const body = goodBody(hit)
    json(response, 200, typeof body === 'object' ? { ...body, echo, stopReason: hit.headers['x-secret-key'] } : body)
  })
  const dcalab = scripted(service, {
    DCALAB_TRADE_API_KEY: 'tRaDe-canary-0001',
    DCALAB_TRADE_SECRET_KEY: 'tRaDe-secret-0002',
  })
  const ladder = file('canary.yaml', {
    config: { ...config, exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  })
  const bots = [
    ['list'],
    ['show', 'bot-1'],
    ['executions', 'bot-1'],
    ['orders', 'bot-1'],
    ['pnl', 'bot-1'],
    ['validate', ladder],
    ['create', ladder],
    ['start', 'bot-1'],
    ['update', 'bot-1', ladder],
    ['stop', 'bot-1', '--keep-position'],
  ]
  for (const args of bots) for (const flags of [[], ['--json']]) await dcalab(['bots', ...args, ...flags])
  expect(service.hits.length).toBeGreaterThanOrEqual(2 * bots.length)
  expect(new Set(service.hits.map(({ headers }) => headers['x-api-key']))).toEqual(new Set(['tRaDe-canary-0001']))
  const before = service.hits.length
  for (const args of [
    ['jobs', 'list'],
    ['jobs', 'show', 'job-1'],
    ['jobs', 'delete', 'job-1'],
    ['symbols', 'binance'],
    ['doctor'],
  ]) {
    for (const flags of [[], ['--json']]) await dcalab([...args, ...flags])
  }
  expect(new Set(service.hits.slice(before).map(({ headers }) => headers['x-api-key']))).toEqual(new Set([API_KEY]))
  for (const key of ['tRaDe-canary-0001', 'tRaDe-secret-0002', API_KEY, SECRET_KEY]) {
    for (const spelling of [
      key,
      JSON.stringify(key).slice(1, -1),
      encodeURIComponent(key),
      Buffer.from(key).toString('base64'),
    ]) {
      expect(dcalab.said().includes(spelling)).toBe(false)
    }
  }
  await service.close()
})

it('what a service writes into names and states reaches the terminal as text only', async () => {
  const evil = '\u001b]0;owned\u0007\u001b[2J'
  const service = await scriptedService((hit, response) => {
    if (hit.url.includes('limits')) return json(response, 200, goodBody(hit))
    json(response, 200, {
      bots: [{ id: `bot-${evil.length}`, ...BOT_PAYLOAD, name: evil, state: evil, stopReason: evil }],
      next: null,
    })
  })
  const { out, err } = await scripted(service)(['bots', 'list'])
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what must not come through
  expect(out + err).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/)
  await service.close()
})

it('a bot that the service cannot compute is listed with the others, and its problem is said', async () => {
  const problem = 'its conventions cannot be used'
  const service = await scriptedService((hit, response) => {
    if (hit.url.includes('limits')) return json(response, 200, goodBody(hit))
    const bots = [
      { id: 'bot-1', ...BOT_PAYLOAD, state: 'running', problem },
      { id: 'bot-2', ...BOT_PAYLOAD, state: 'running', problem: null },
    ]
    json(response, 200, { bots, next: null })
  })
  const dcalab = scripted(service)
  const { code, out, err } = await dcalab(['bots', 'list'])
  expect([code, err]).toEqual([0, `note: bot bot-1: ${problem}\n`])
  expect(out).toMatch(/^bot-1.*\nbot-2/m)
  const listed = parse((await dcalab(['bots', 'list', '--json'])).out)
  expect(listed).toMatchObject([{ problem }, { problem: null }])
  await service.close()
})

describe('a list in pages', () => {
  const pages = (total: number, size: number) => {
    let asked = 0
    const readPage = async (next: string | undefined) => {
      asked++
      const from = Number(next ?? 0)
      const items = Array.from({ length: Math.min(size, total - from) }, (_, i) => from + i)
      const value = { items, next: from + size < total ? String(from + size) : null, unreadable: 0 }
      return { kind: 'ok' as const, value, raw: { status: 200, text: '', receivedAt: 0, serverDate: null } }
    }
    return { readPage, asked: () => asked }
  }

  it.each([
    [10, 3, 10, 10, false, 4],
    [10, 3, 4, 4, true, 2],
    [10, 5, 5, 5, true, 1],
    [10, 10, 10, 10, false, 1],
    [10, 100, 4, 4, true, 1],
    [0, 5, 5, 0, false, 1],
  ])(
    'of %i in pages of %i, %i wanted: %i, more %s, after %i requests',
    async (total, size, limit, count, more, requests) => {
      const { readPage, asked } = pages(total, size)
      const found = await collectPages(limit, 'Listing', readPage)
      expect(found).toEqual({ items: Array.from({ length: count }, (_, i) => i), more, unreadable: 0 })
      expect(asked()).toBe(requests)
    },
  )

  it('that never ends is given up', async () => {
    const endless = pages(Number.POSITIVE_INFINITY, 1)
    await expect(collectPages(Number.POSITIVE_INFINITY, 'Listing', endless.readPage)).rejects.toMatchObject({
      code: 'serviceUnreadable',
    })
  })
})

/** A market that has to be continued for two days only until the bot's present. */
function twoDaysAgo(): string {
  return new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)
}

function scripted(service: ScriptedService, more: Readonly<Record<string, string>> = {}): Program {
  return program(folder, {
    DCALAB_STORE: join(folder, 'scripted.sqlite'),
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
    DCALAB_USER_EMAIL: BOT_PAYLOAD.userEmail,
    ...more,
  })
}
