/** Bots from the terminal, against the embedded service and against a scripted one: demo bots are made, changed and started; real ones only stopped. */
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Program, program } from '../support/program.ts'
import { goodBody, json, scriptedService } from '../workbench/api/world.ts'
import { botFiles, config, market, parse, twoDaysAgo } from './bot-files.ts'

const { folder, file, scripted } = botFiles()

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
    expect((await dcalab(['bots', 'list'])).err).toContain('no bots of')
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
    expect(await dcalab(['bots', 'create', ladder, '--dry-run'])).toMatchObject({ code: 0, out: 'valid\n' })
    const invalid = await dcalab(['bots', 'create', ladder, '--dry-run', '--market', 'synthetic/NO-USDT', '--json'])
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
    for (const more of [[], ['--orders']]) {
      expect(await dcalab(['bots', 'trades', id, ...more, '--json'])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^\[/),
      })
    }
    expect(parse((await dcalab(['bots', 'show', id, '--json'])).out)).toMatchObject({
      pnl: { investment: 1000, netProfit: expect.any(Number) },
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
    for (const args of [['show'], ['trades'], ['trades', '--orders'], ['start']]) {
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
      /bot b needs.*--keep-position .*--close-position /,
    ],
    ['both at once', ['bots', 'stop', 'b', '--close-position', '--keep-position'], 'usage', /exclude/],
    ['a file without market', ['bots', 'create', 'plain.json'], 'usage', /market/],
    ['a market that is none', ['bots', 'create', 'plain.json', '--market', 'BTCUSDT'], 'usage', /exchange\/BASE-QUOTE/],
    ['a real bot', ['bots', 'create', 'real.json'], 'configInvalid', /real bot/],
    ['somebody else’s bot', ['bots', 'create', 'other.json'], 'usage', /owner/],
    ['a number out of bounds', ['bots', 'create', 'wrong.json', '--dry-run'], 'configInvalid', /takeProfit/],
    [
      'a state that orders do not have',
      ['bots', 'trades', 'b', '--orders', '--state', 'gone'],
      'usage',
      /open, filled/,
    ],
    ['a time that is none', ['bots', 'trades', 'b', '--since', 'yesterday'], 'usage', /--since/],
    ['an owner that is none', ['bots', 'list', '--user', 'me'], 'usage', /--user expects an e-mail address/],
    ['a limit that is none', ['bots', 'trades', 'b', '--limit', '0'], 'usage', /--limit/],
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
