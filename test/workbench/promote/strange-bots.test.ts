/** Bots that a service stored otherwise than asked, or would not take (H51). */
import { expect, it } from 'vitest'
import { isCreate, rowOf, run } from './promoting.ts'
import { worldForEachTest } from './world.ts'

const setup = worldForEachTest()

it.each([
  ['says false', { isDemo: false }],
  ['says "true"', { isDemo: 'true' }],
  ['says nothing', { isDemo: undefined }],
])('a bot that %s when read back raises the alarm, now and at every later call', async (_what, change) => {
  const lab = await setup({ store: (bot) => ({ ...bot, ...change }) })
  for (let call = 0; call < 2; call++) {
    await expect(run(lab)).rejects.toMatchObject({
      code: 'serviceRefused',
      exitCode: 4,
      message: expect.stringContaining('ALARM: bot bot-1'),
    })
  }
  expect(lab.creates().length).toBe(1)
  expect(rowOf(lab)?.state).toBe('alarmed')
})

it('a demo bot that was stored with other numbers is reported', async () => {
  const lab = await setup({ store: (bot) => ({ ...bot, investment: 999_999 }) })
  await expect(run(lab)).rejects.toMatchObject({
    code: 'serviceRefused',
    message: expect.stringContaining('investment'),
  })
})

it.each([
  [400, 'BotPlanLimit', 'planRefused', 4],
  [400, 'InvalidPayload', 'serviceRefused', 4],
  [401, 'ApiKeyInvalid', 'keyRefused', 4],
  [403, 'ApiKeyScope', 'scopeRefused', 4],
])('a create refused with %i %s ends as %s and can be tried again', async (status, code, failure, exitCode) => {
  const fate = { do: 'answer', status, body: { error: { code, message: 'its words' } } } as const
  let refusing = true
  const lab = await setup({ fate: (hit) => (refusing && isCreate(hit) ? fate : undefined) })
  await expect(run(lab)).rejects.toMatchObject({
    code: failure,
    exitCode,
    message: expect.stringContaining('its words'),
  })
  expect(lab.bots.length).toBe(0)
  expect(rowOf(lab)?.state).toBe('released')
  refusing = false
  if (status === 400) expect(await run(lab)).toMatchObject({ created: true })
})

it('an invalid payload is not created, and every problem is named', async () => {
  const body = {
    valid: false,
    errors: [
      { field: 'takeProfit', message: 'too small' },
      { field: 'name', message: 'odd' },
    ],
  }
  const lab = await setup({
    fate: (hit) => (hit.url.endsWith('validate') ? { do: 'answer', status: 200, body } : undefined),
  })
  await expect(run(lab)).rejects.toMatchObject({
    code: 'serviceRefused',
    problems: [{ place: 'takeProfit' }, { place: 'name' }],
  })
  expect(lab.creates().length).toBe(0)
})

it('H74: a list of bots that comes back to a page it has shown may hide the bot: nothing is created', async () => {
  const lab = await setup({
    fate: (hit) =>
      hit.method === 'GET' && /^\/api\/bots\?/.test(hit.url)
        ? { do: 'answer', status: 200, body: { bots: [], next: 'cursor=again' } }
        : undefined,
  })
  await expect(run(lab)).rejects.toMatchObject({
    code: 'serviceUnreadable',
    message: expect.stringContaining('comes back to a page that was read already; nothing was created'),
  })
  expect(lab.hits.filter(({ method }) => method !== 'GET')).toEqual([])
  expect(lab.hits.filter(({ url }) => url.startsWith('/api/bots')).length).toBeLessThan(4)
})

it('H83: a machine that says 1970 makes no bot', async () => {
  const lab = await setup()
  const clock = { ...lab.system.clock, wall: () => 12_000 }
  await expect(run({ ...lab, system: { ...lab.system, clock } })).rejects.toMatchObject({
    code: 'clockWrong',
    exitCode: 2,
  })
  expect(lab.bots).toEqual([])
  expect(lab.hits.filter(({ method }) => method !== 'GET')).toEqual([])
})
