/**
 * H46: whatever the program was doing when it died, and however many then try at once, twice: one bot at most. Dying covers every call of
 * the service, before and after, and every commit of the store, before and after.
 */
import { describe, expect, it } from 'vitest'
import { type DemoBotPayload, STRATEGY_TYPE } from '../../../src/contract/bot.ts'
import { createDemoBot } from '../../../src/workbench/bots/promote/make-bot.ts'
import { planPromotion } from '../../../src/workbench/bots/promote/plan.ts'
import { promote } from '../../../src/workbench/bots/promote/promote.ts'
import { share } from '../../support/share.ts'
import { BOT_PAYLOAD, type Hit } from '../api/world.ts'
import { crashAt, OWNER, STUDY, type World, worldForEachTest } from './world.ts'

const setup = worldForEachTest()

const payload: DemoBotPayload = { ...BOT_PAYLOAD, userEmail: OWNER, name: 'mine', strategyType: STRATEGY_TYPE }

type Tools = Pick<World, 'system' | 'store' | 'client'>

const WAYS: Readonly<Record<string, (tools: Tools) => Promise<{ readonly created: boolean }>>> = {
  'promoting a trial': (tools) =>
    promote({ ...tools, plan: planPromotion(tools.store, { target: STUDY, userEmail: OWNER }) }),
  'creating a bot from a file': (tools) => createDemoBot({ ...tools, payload }),
}

const isCreate = ({ method, url }: Hit) => method === 'POST' && url === '/api/bots'
const calls = ['identify', 'listBots', 'validateBot', 'createBot', 'readBot'] as const
const moments = ['before', 'after'] as const
/** Noting the service, the intent, the created bot, its verification. */
const commits = [1, 2, 3, 4]

type Dying = (lab: World, noteDeath: () => void) => Tools

const points: readonly (readonly [string, Dying])[] = moments.flatMap((moment) => [
  ...calls.map((call): readonly [string, Dying] => [
    `${moment} ${call}`,
    (lab, noteDeath) => ({ ...lab, client: crashAt(lab.client, call, moment, noteDeath) }),
  ]),
  ...commits.map((n): readonly [string, Dying] => [
    `${moment} commit ${n}`,
    (lab, noteDeath) => dyingAt(lab, { commit: n, moment, noteDeath }),
  ]),
])

/** Who then try at once. */
const many = share({ usual: 4, long: 8 })

describe.each(Object.entries(WAYS))('%s', (what, way) => {
  // Each point in one of the ways, or both.
  const some = points.filter((_, n) => n % 2 === Object.keys(WAYS).indexOf(what))
  it.each(share({ usual: some, long: points }))(
    `dying %s, then ${many} at once, twice: one bot`,
    async (_point, dying) => {
      const lab = await setup()
      let deaths = 0
      await Promise.allSettled([way(dying(lab, () => void deaths++))])
      expect(deaths).toBe(1)
      for (let round = 0; round < 2; round++) {
        const results = await Promise.allSettled(Array.from({ length: many }, () => way(lab)))
        expect(results.some(({ status }) => status === 'fulfilled')).toBe(true)
      }
      expect(lab.bots.length).toBe(1)
      expect(lab.creates().length).toBe(1)
      expect(await way(lab)).toMatchObject({ created: false })
    },
  )

  it('an answer that is lost, and a bot that appears a moment later: found, not made twice', async () => {
    const arriving: (() => void)[] = []
    const lab = await setup({
      fate: (hit) => {
        if (!isCreate(hit)) return undefined
        // On its way it is kept for a while; the line breaks meanwhile.
        arriving.push(() => lab.bots.push({ id: 'late', state: 'created', ...JSON.parse(hit.body) }))
        return { do: 'reset' }
      },
      away: true,
    })
    await expect(way(lab)).rejects.toMatchObject({ code: 'attemptUnresolved', exitCode: 5 })
    // Run again at once: nothing is sent while it may still arrive.
    await expect(way(lab)).rejects.toMatchObject({ code: 'attemptUnresolved', exitCode: 5 })
    expect(lab.creates().length).toBe(1)
    for (const arrive of arriving) arrive()
    expect(await way(lab)).toMatchObject({ created: false })
    expect(lab.bots.length).toBe(1)
    expect(lab.creates().length).toBe(1)
  })

  it.each([
    [400, 'BotPlanLimit', 'planRefused'],
    [401, 'ApiKeyInvalid', 'keyRefused'],
  ])(
    'refused with %i %s: nothing is made, nothing else is sent, and it may be tried again',
    async (status, code, failure) => {
      let refusing = true
      const fate = { do: 'answer', status, body: { error: { code, message: 'its words' } } } as const
      const lab = await setup({ fate: (hit) => (refusing && isCreate(hit) ? fate : undefined) })
      await expect(way(lab)).rejects.toMatchObject({ code: failure, exitCode: 4 })
      expect(lab.bots).toEqual([])
      expect(lab.hits.at(-1)).toMatchObject({ method: 'POST', url: '/api/bots' })
      refusing = false
      if (status === 400) expect(await way(lab)).toMatchObject({ created: true })
    },
  )
})

it('a bot from a file that was deleted at the service is made again when it is asked for again', async () => {
  const lab = await setup()
  await createDemoBot({ ...lab, payload })
  lab.bots.pop()
  expect(await createDemoBot({ ...lab, payload })).toMatchObject({ created: true })
  expect(lab.bots.length).toBe(1)
})

it('H50: a name that is taken by a bot with other parameters is refused without one write', async () => {
  const lab = await setup({ bots: [{ ...payload, id: 'own', takeProfit: 99 }] })
  await expect(createDemoBot({ ...lab, payload })).rejects.toMatchObject({ code: 'serviceRefused', exitCode: 4 })
  expect(lab.hits.filter(({ method }) => method !== 'GET')).toEqual([])
})

/** The same tools, where the n-th commit from now is the last thing that the program does, or the first that it does not. */
function dyingAt(
  { system, store, client }: World,
  { commit, moment, noteDeath }: { commit: number; moment: 'before' | 'after'; noteDeath: () => void },
): Tools {
  let commits = 0
  let isDead = false
  const die = () => {
    isDead = true
    noteDeath()
    throw new Error('crash')
  }
  // A dead program asks nobody anything.
  const alive = <T extends object>(whole: T, also?: (name: string | symbol) => unknown): T =>
    new Proxy(whole, {
      get(target, name) {
        if (isDead) throw new Error('crash')
        const value: unknown = also?.(name) ?? Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  const transaction = (work: () => unknown) => ({
    immediate: () => {
      commits++
      if (commits === commit && moment === 'before') die()
      const answer = store.db.transaction(work).immediate()
      if (commits === commit && moment === 'after') die()
      return answer
    },
  })
  const db = alive(store.db, (name) => (name === 'transaction' ? transaction : undefined))
  return { system, store: { ...store, db }, client: alive(client) }
}

it.each([
  ['made it', undefined, 1],
  ['was refused', 'refused', 1],
] as const)('one that looked for the bot before another %s goes on from there', async (_, fate, bots) => {
  let isFirst = true
  const lab = await setup({
    fate: (hit) => {
      if (fate === undefined || !isFirst || !isCreate(hit)) return undefined
      isFirst = false
      return { do: 'answer', status: 400, body: { error: { code: 'TooManyBots', message: 'no' } } }
    },
  })
  let reach = () => {}
  const hasListed = new Promise<void>((resolve) => (reach = resolve))
  let goOn = () => {}
  const mayGoOn = new Promise<void>((resolve) => (goOn = resolve))
  const validateBot: typeof lab.client.validateBot = async (...given) => {
    reach()
    await mayGoOn
    return lab.client.validateBot(...given)
  }
  const second = createDemoBot({ ...lab, client: Object.assign(Object.create(lab.client), { validateBot }), payload })
  await hasListed
  const first = createDemoBot({ ...lab, payload })
  if (fate === undefined) expect(await first).toMatchObject({ created: true })
  else await expect(first).rejects.toMatchObject({ code: 'serviceRefused' })
  goOn()
  expect(await second).toMatchObject({ created: fate !== undefined })
  expect(lab.bots).toHaveLength(bots)
})
