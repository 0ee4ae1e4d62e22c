/** A trial becomes a demo bot exactly once, whatever breaks on the way. The oracle is the service's own books. */
import { expect, it } from 'vitest'
import { planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { idOfTrial } from '../../../src/workbench/store/find-trial.ts'
import { promotionLedger } from '../../../src/workbench/store/promotions.ts'
import { isCreate, isRead, rowOf, run } from './promoting.ts'
import { type Bot, crashAt, IDENTITY, OWNER, STUDY, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

it('the best trial becomes one demo bot: listed, validated, created, read back', async () => {
  const lab = await setup()
  expect(await run(lab)).toEqual({
    trial: lab.trials[0],
    botId: 'bot-1',
    isDemo: true,
    validated: true,
    created: true,
    reused: false,
    started: false,
  })
  expect(lab.hits.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`)).toEqual([
    'GET /api/backtest/limits',
    'GET /api/bots',
    'POST /api/bots/validate',
    'POST /api/bots',
    'GET /api/bots/bot-1',
  ])
  expect(lab.bots[0]).toMatchObject({
    name: `dcalab-lab-${idOfTrial(lab.store, lab.trials[0])}`,
    userEmail: OWNER,
    isDemo: true,
  })
  expect(rowOf(lab)?.state).toBe('verified')
})

it('a bot that is not found is gone only when it was seen before', async () => {
  let isHidden = true
  const notFound = { do: 'answer', status: 404, body: {} } as const
  const lab = await setup({ fate: (hit) => (isHidden && isRead(hit) ? notFound : undefined) })
  const unseen = { code: 'serviceRefused', hint: expect.stringContaining('not read back since it was created') }
  await expect(run(lab)).rejects.toMatchObject(unseen)
  await expect(run(lab)).rejects.toMatchObject(unseen)
  isHidden = false
  expect(await run(lab)).toMatchObject({ botId: 'bot-1', created: false })
  isHidden = true
  await expect(run(lab)).rejects.toMatchObject({ message: expect.stringContaining('no longer exists') })
  expect(lab.creates().length).toBe(1)
})

it('promoting twice reuses the bot', async () => {
  const lab = await setup()
  await run(lab)
  expect(await run(lab)).toMatchObject({ botId: 'bot-1', created: false, reused: true, validated: true, isDemo: true })
  expect(lab.bots.length).toBe(1)
  expect(lab.creates().length).toBe(1)
})

it('a bot that another machine made of the same trial is adopted', async () => {
  const first = await setup()
  await run(first)
  const second = await setup({ bots: [...first.bots, { ...first.bots[0], id: 'other', name: 'mine', takeProfit: 9 }] })
  expect(await run(second)).toMatchObject({ botId: 'bot-1', created: false, reused: true })
  expect(second.creates().length).toBe(0)
})

it('the name taken by a bot with other parameters is refused without one write', async () => {
  const first = await setup()
  await run(first)
  const changes: Partial<Bot>[] = [{ takeProfit: 99 }, { isDemo: false }, { baseAsset: 'ETH' }, { leverage: undefined }]
  for (const change of changes) {
    const second = await setup({ bots: [{ ...first.bots[0], ...change }] })
    await expect(run(second)).rejects.toMatchObject({ code: 'serviceRefused', exitCode: 4 })
    expect(second.hits.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(rowOf(second)).toBeUndefined()
  }
})

it('a bot on a later page of the list is found', async () => {
  const first = await setup()
  await run(first)
  const others = Array.from({ length: 5 }, (_, i) => ({ ...first.bots[0], id: `own-${i}`, name: `own ${i}` }))
  const second = await setup({ bots: [...others, ...first.bots] })
  expect(await run(second)).toMatchObject({ botId: 'bot-1', reused: true })
})

it('a bot in the list that cannot be read stops everything: absence would prove nothing', async () => {
  const lab = await setup({ bots: [{ id: '..', userEmail: OWNER }] })
  await expect(run(lab)).rejects.toMatchObject({ code: 'serviceUnreadable' })
  expect(lab.creates().length).toBe(0)
})

it('an answer lost after the create is looked up, not sent again', async () => {
  const lab = await setup({ fate: (hit) => (isCreate(hit) ? { do: 'resetAfter' } : undefined) })
  expect(await run(lab)).toMatchObject({ botId: 'bot-1', created: true, reused: false })
  expect(lab.creates().length).toBe(1)
  expect(rowOf(lab)?.state).toBe('verified')
})

it('a create that was lost before it happened is reported, and the next call creates the one bot', async () => {
  let broken = true
  const lab = await setup({ fate: (hit) => (broken && isCreate(hit) ? { do: 'reset' } : undefined) })
  await expect(run(lab)).rejects.toMatchObject({ code: 'serviceUnreachable', exitCode: 5 })
  expect(lab.creates().length).toBe(1)
  expect(rowOf(lab)?.state).toBe('released')
  broken = false
  expect(await run(lab)).toMatchObject({ created: true })
  expect(lab.bots.length).toBe(1)
})

it('a service elsewhere gets a quarter of an hour before an unanswered create counts as lost', async () => {
  let broken = true
  const lab = await setup({ away: true, fate: (hit) => (broken && isCreate(hit) ? { do: 'reset' } : undefined) })
  await expect(run(lab)).rejects.toMatchObject({ code: 'attemptUnresolved', exitCode: 5 })
  broken = false
  await lab.advance(10 * 60_000)
  await expect(run(lab)).rejects.toMatchObject({ code: 'attemptUnresolved' })
  expect(lab.creates().length).toBe(1)
  await lab.advance(6 * 60_000)
  expect(await run(lab)).toMatchObject({ created: true })
  expect(lab.bots.length).toBe(1)
})

it.each([false, true])(
  'a crash between intent and create leaves one bot (the create had arrived: %s)',
  async (arrived) => {
    const lab = await setup()
    await expect(run(lab, { client: crashAt(lab.client, 'createBot', arrived ? 'after' : 'before') })).rejects.toThrow(
      'crash',
    )
    expect(rowOf(lab)?.state).toBe('intent')
    expect(await run(lab)).toMatchObject({ botId: 'bot-1', isDemo: true, created: !arrived, reused: arrived })
    expect(lab.bots.length).toBe(1)
    expect(rowOf(lab)?.state).toBe('verified')
  },
)

it.each(
  (['identify', 'listBots', 'validateBot', 'createBot', 'readBot'] as const).flatMap((call) =>
    (['before', 'after'] as const).map((moment) => [moment, call] as const),
  ),
)('a crash %s %s ends in one verified bot when it is run again', async (moment, call) => {
  const lab = await setup()
  await expect(run(lab, { client: crashAt(lab.client, call, moment) })).rejects.toThrow('crash')
  await run(lab)
  await run(lab)
  expect(lab.bots.length).toBe(1)
  expect(rowOf(lab)?.state).toBe('verified')
})

it('eight at once make one bot', async () => {
  const lab = await setup()
  const results = await Promise.allSettled(Array.from({ length: 8 }, () => run(lab)))
  expect(lab.bots.length).toBe(1)
  const made = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value)
  expect(new Set(made.map(({ botId }) => botId))).toEqual(new Set(['bot-1']))
  expect(made.filter(({ created }) => created).length).toBe(1)
  expect(await run(lab)).toMatchObject({ reused: true })
})

it('a bot that was deleted after its promotion is not made again', async () => {
  const lab = await setup()
  await run(lab)
  lab.bots.pop()
  await expect(run(lab)).rejects.toMatchObject({ code: 'serviceRefused', message: expect.stringContaining('bot-1') })
  expect(lab.creates().length).toBe(1)
})

it('a bot that cannot be read back yet stays created, and the next call verifies it', async () => {
  let down = true
  const lab = await setup({ fate: (hit) => (down && isRead(hit) ? { do: 'reset' } : undefined) })
  await expect(run(lab)).rejects.toMatchObject({ code: 'serviceUnreachable' })
  expect(rowOf(lab)?.state).toBe('created')
  down = false
  expect(await run(lab)).toMatchObject({ botId: 'bot-1', reused: true })
  expect(rowOf(lab)?.state).toBe('verified')
})

it('without an owner nothing is asked of the service', async () => {
  const lab = await setup()
  for (const userEmail of ['', 'nobody']) {
    await expect(run(lab, { userEmail })).rejects.toMatchObject({ code: 'settingInvalid', exitCode: 2 })
  }
  expect(lab.hits).toEqual([])
})

it('a young intent belongs to a living process: its bot is left for it to record', async () => {
  const lab = await setup()
  const plan = planPromotion(lab.store, { target: STUDY, userEmail: OWNER })
  await run(lab)
  const other = await setup({ bots: lab.bots })
  // The service's row exists since the study ran; the intent is that of another process.
  await promotionLedger(other.store, {
    identity: IDENTITY,
    account: OWNER,
    fingerprint: plan.trial,
    name: plan.botName,
    planHash: plan.hash,
  }).open(undefined)
  const before = other.system.clock.monotonic()
  expect(await run(other)).toMatchObject({ botId: 'bot-1', reused: true })
  expect(other.system.clock.monotonic() - before).toBeGreaterThanOrEqual(35_000)
  expect(other.creates().length).toBe(0)
})
