/** `dcalab bots` against services that are not ours: real bots, bots that cannot be computed, texts, pages. */
import { describe, expect, it } from 'vitest'
import { collectPages } from '../../src/cli/service-link.ts'
import { API_KEY, BOT_PAYLOAD, goodBody, json, SECRET_KEY, scriptedService } from '../workbench/api/world.ts'
import { botFiles, config, parse } from './bot-files.ts'

const { file, scripted } = botFiles()

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
        expect(err).toContain('without exception; nothing was sent')
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
    ['trades', 'bot-1'],
    ['trades', 'bot-1', '--orders'],
    ['create', ladder, '--dry-run'],
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
    ['service', 'jobs', 'list'],
    ['service', 'jobs', 'show', 'job-1'],
    ['service', 'jobs', 'delete', 'job-1'],
    ['service', 'symbols', 'binance'],
    ['service', 'check'],
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
  expect(out).toMatch(/ bot-1\n.* bot-2$/m)
  const listed = parse((await dcalab(['bots', 'list', '--json'])).out)
  expect(listed).toMatchObject([{ problem }, { problem: null }])
  await service.close()
})

describe('a list in pages', () => {
  const pages = (total: number, size: number) => {
    let asked = 0
    const readPage = async ({ next }: { readonly next?: string }) => {
      asked++
      const from = Number(next ?? 0)
      const items = Array.from({ length: Math.min(size, total - from) }, (_, i) => from + i)
      const value = {
        items,
        next: from + size < total ? String(from + size) : null,
        unreadable: 0,
        firstUnreadable: null,
      }
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

it('H77: stopping a bot that is stopped already is done, whatever the service says of the conflict', async () => {
  const service = await scriptedService((hit, response) =>
    hit.method === 'GET'
      ? json(response, 200, { id: 'bot-1', ...BOT_PAYLOAD, state: 'stopped' })
      : json(response, 409, { error: { code: 'Conflict', message: 'it does not run' } }),
  )
  const { code, out } = await scripted(service)(['bots', 'stop', 'bot-1', '--keep-position'])
  expect([code, out]).toEqual([0, 'bot bot-1 stopped, position kept\n'])
  await service.close()
})

it('H78: an open deal that a service does not tell of is unknown, not absent', async () => {
  for (const [stated, words] of [
    [{}, 'open deal                –'],
    [{ openDeal: null }, 'no open deal'],
  ] as const) {
    const service = await scriptedService(({ url }, response) =>
      url.split('?')[0].endsWith('/pnl')
        ? json(response, 200, { netProfit: 1, ...stated })
        : json(response, 200, { id: 'bot-1', ...BOT_PAYLOAD, state: 'running' }),
    )
    expect((await scripted(service)(['bots', 'show', 'bot-1'])).out).toContain(words)
    await service.close()
  }
})

it('H74: a list that comes back to a page it has shown is not read for ever', async () => {
  const service = await scriptedService((_hit, response) => json(response, 200, { bots: [], next: 'cursor=again' }))
  const { code, err } = await scripted(service)(['bots', 'list'])
  expect([code, err]).toEqual([5, expect.stringContaining('the list repeats a page')])
  expect(service.hits).toHaveLength(2)
  await service.close()
})
