/** `dcalab status --watch`, and bots that are named, stopped and asked for their profit, on the embedded service and on one that tells little. */
import { beforeAll, expect, it } from 'vitest'
import { program } from '../support/program.ts'
import { BOT_PAYLOAD, json, scriptedService } from '../workbench/api/world.ts'
import { botFiles, config, market, parse, twoDaysAgo } from './bot-files.ts'

const { folder, file, scripted } = botFiles()
const dcalab = program(folder)
let id = ''

beforeAll(async () => {
  const ofMarket = ['--market', 'synthetic/B-USDT', '--from', twoDaysAgo(), '--days', '1', '--seed', '3']
  const made = await dcalab(['candles', 'generate', ...ofMarket])
  expect(made.code, made.err).toBe(0)
  const ladder = file('ladder.yaml', { config: { ...config, ...market } })
  const created = await dcalab(['bots', 'create', ladder, '--name', 'my-ladder', '--json'])
  expect(created.code, created.err).toBe(0)
  id = parse(created.out).botId
  expect((await dcalab(['bots', 'start', 'my-ladder'])).code).toBe(0)
  dcalab.advance(6 * 3_600_000)
})

it('watch shows allowance and demo bots with their profit and drift', async () => {
  const { code, out, err } = await dcalab(['status', '--watch', '--times', '1', '--json'])
  expect(code, err).toBe(0)
  expect(parse(out)).toMatchObject({
    allowance: { limit: 100, used: 0 },
    bots: [{ bot: id, name: 'my-ladder', state: 'running', drift: 'none', gap: expect.closeTo(0, 9) }],
    botsReason: null,
  })
})

it('off a terminal a look is one line, and looks follow each other', async () => {
  const { out } = await dcalab(['status', '--watch', '--times', '2', '--every', '5'])
  const lines = out.trimEnd().split('\n')
  expect(lines).toHaveLength(2)
  for (const line of lines) {
    expect(line).toMatch(
      /^\S+Z trials 0 of 0 done, .*; allowance 0 of 100; bots 1; my-ladder running profit \S+ drift none$/,
    )
  }
})

it('on a terminal the table is drawn anew', async () => {
  const { out } = await program(folder, {}, { onTerminal: true })(['status', '--watch', '--times', '1'])
  expect(out.startsWith('\u001b[H\u001b[2J')).toBe(true)
  expect(out).toContain('my-ladder')
})

it('a bot is named by its id, the first characters of it, or its name', async () => {
  for (const named of [id, id.slice(0, 9), 'my-ladder']) {
    expect(parse((await dcalab(['bots', 'show', named, '--json'])).out)).toMatchObject({ id })
  }
  const { code, err } = await dcalab(['bots', 'show', 'bot', '--json']) // too short for a prefix
  expect([code, parse(err).error.code]).toEqual([2, 'notFound'])
})

it('stopping a bot that is stopped is done, also where the service refuses it', async () => {
  const service = await scriptedService((hit, response) =>
    hit.method === 'POST'
      ? json(response, 409, { code: 'NotRunning', message: 'it is stopped' })
      : json(response, 200, { id: 'bot-1', ...BOT_PAYLOAD, isDemo: true, state: 'stopped' }),
  )
  const { code, out, err } = await scripted(service)(['bots', 'stop', 'bot-1', '--keep-position', '--json'])
  expect(code, err).toBe(0)
  expect(parse(out)).toEqual({ botId: 'bot-1', closePosition: false, state: 'stopped' })
  await service.close()
})

it('a profit without a word of an open deal leaves it unknown', async () => {
  let body: object = { netProfit: 3 }
  const service = await scriptedService((hit, response) =>
    json(
      response,
      200,
      hit.url.endsWith('/pnl') ? body : { id: 'bot-1', ...BOT_PAYLOAD, isDemo: true, state: 'running' },
    ),
  )
  const elsewhere = scripted(service)
  expect((await elsewhere(['bots', 'show', 'bot-1'])).out).toMatch(/^open deal +–$/m)
  body = { netProfit: 3, openDeal: null }
  expect((await elsewhere(['bots', 'show', 'bot-1'])).out).toMatch(/^no open deal$/m)
  await service.close()
})
