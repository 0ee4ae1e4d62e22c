/** Another store that submits the same study with the same key: its jobs are taken over where they are what this study wants, and nothing is said that is not so. */
import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { JobRequestBody } from '../../../src/contract/bodies.ts'
import { STRATEGY_TYPE } from '../../../src/contract/bot.ts'
import type { JobReading, Page } from '../../../src/workbench/api/reading/readings.ts'
import { isInPart, Labs } from '../../../src/workbench/run/labs.ts'
import { runStudy } from '../../../src/workbench/run/run.ts'
import { readLetters } from '../../../src/workbench/store/attempts.ts'
import { readSpent } from '../../../src/workbench/store/ledger.ts'
import { listTrials } from '../../../src/workbench/store/readers.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import type { Trial } from '../../../src/workbench/study/study.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { runSelect } from '../../support/run-select.ts'
import { mergeFrom } from '../store/merge-setup.ts'
import type { Script } from './scripted-script.ts'
import { makeStudy, makeTrials, makeWorld } from './setup.ts'

const trials = makeTrials(6)
const theirLetters = 'kqzmzt'

/** As another lab sends a trial. */
function theirs({ market, period, config, fingerprint }: Trial, letters = `-${theirLetters}`): JobRequestBody {
  return {
    name: `dcalab-elsewhere-${fingerprint.slice(0, 12)}-1${letters}`,
    strategyType: STRATEGY_TYPE,
    ...market,
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    ...config,
  }
}

/** Names are all that the list shows of what was asked. */
const namesOnly = (page: Page<JobReading>): Page<JobReading> => ({
  ...page,
  items: page.items.map((job) => ({ ...job, request: null })),
})

/** Before submission n of ours arrives, the other lab sends these. */
function meeting(
  given: { readonly at: number; readonly requests: readonly JobRequestBody[] },
  script: Omit<Script, 'system'> = {},
) {
  const world = makeWorld({
    ...script,
    fate: (n) => {
      if (n === given.at) for (const request of given.requests) world.service.submitForeign(request)
      return 'ok'
    },
  })
  const messages = () => world.events.flatMap((event) => ('message' in event ? [event.message] : []))
  return { ...world, messages }
}

it('a trial that another lab sends meanwhile is not paid for here: its job, by name alone, is the trial’s', async () => {
  const { run, service, store, messages } = meeting({ at: 0, requests: [theirs(trials[1])] }, { page: namesOnly })
  expect(await run(trials)).toMatchObject({ stoppedBy: null, trials: { done: 6, reused: 1 }, allowance: { used: 6 } })
  expect(service.counts.posts).toBe(5)
  const said = `Another lab (${theirLetters}) runs this study with this key: each sends its part, results of both count here.`
  expect(messages().filter((message) => message.startsWith('Another lab'))).toEqual([said])
  const { rows } = runSelect(store.path, `select name, state from attempts where name like '%${theirLetters}'`)
  expect(rows).toEqual([[theirs(trials[1]).name, 'adopted']])
})

it('a job whose name says one trial and whose request another is not taken for the trial', async () => {
  const named = { ...theirs(trials[1]), takeProfit: 77 }
  const { run, service, store, messages } = meeting({ at: 0, requests: [named] })
  expect(await run(trials)).toMatchObject({ stoppedBy: null, trials: { done: 6, reused: 0 }, allowance: { used: 7 } })
  expect(service.counts.posts).toBe(6)
  expect(messages().some((message) => /Another lab|paid for twice|delivered twice/.test(message))).toBe(false)
  expect(runSelect(store.path, 'select count(*) from foreign_job').rows).toEqual([[1]])
})

it('what failed at another lab is sent here, and counts all the same', async () => {
  const { run, service } = meeting(
    { at: 0, requests: [theirs(trials[1])] },
    { page: namesOnly, state: ({ request }) => (request.name?.endsWith(theirLetters) ? 'failed' : undefined) },
  )
  expect(await run(trials)).toMatchObject({ trials: { done: 6, failed: 0 }, allowance: { used: 7 } })
  expect(service.counts.posts).toBe(6)
})

it('a trial that both sent is named with both jobs, once, and the first result stays', async () => {
  const { run, service, store, messages } = meeting({ at: 0, requests: [theirs(trials[0])] })
  await run(trials)
  const [first] = service.book.filter(({ request }) => request.name?.endsWith(theirLetters))
  const [ours] = service.book.filter(({ request }) => request.takeProfit === 1 && !request.name?.endsWith(theirLetters))
  const digits = trials[0].fingerprint.slice(0, 12)
  const said = `trial ${digits} was paid for twice: job ${ours.id} of this lab counts, job ${first.id} is of lab ${theirLetters}`
  await run(trials)
  expect(messages().filter((message) => /twice/.test(message))).toEqual([said])
  expect(listTrials(store, { study: 'ladder' })[0].jobId).toBe(ours.id)
})

it('two stores that have no letters used one name: its second job is not called delivered twice', async () => {
  const { run, store, service, messages } = meeting({ at: 0, requests: [] })
  await run(trials)
  // As a store of a layout without letters named it.
  const old = theirs(trials[0], '').name ?? ''
  store.db.exec('drop trigger attempt_is_itself')
  store.db
    .prepare(`update attempt set name = ? where name like '%' || ? || '%'`)
    .run(old, trials[0].fingerprint.slice(0, 12))
  service.submitForeign(theirs(trials[0], ''))
  await run(makeTrials(7))
  expect(messages().filter((message) => /twice/.test(message))).toEqual([
    expect.stringMatching(/was paid for twice: job job-1 of this lab counts, job job-7 was not sent by this store/),
  ])
})

it('a lost store’s jobs are known by name alone, and no other lab is said to be there', async () => {
  const { run, service, store, messages, system } = meeting({ at: 0, requests: [] }, { page: namesOnly })
  await run(trials)
  const lost = openStore(join(temporaryFolder(), 'anew.sqlite'), { system })
  const events: string[] = []
  const onProgress = (event: { readonly kind: string; readonly message?: string }) =>
    void events.push(event.message ?? '')
  const given = { system, store: lost, client: service, study: makeStudy(), trials, options: { onProgress } }
  expect(await runStudy(given)).toMatchObject({ trials: { done: 6, reused: 6 } })
  expect(service.counts.posts).toBe(6)
  expect([...messages(), ...events].some((message) => message.startsWith('Another lab'))).toBe(false)
  expect(readLetters(lost.db)).not.toBe(readLetters(store.db))
})

it('a copy of a store draws letters of its own, and the file itself keeps its letters', async () => {
  const { run, store, service, system } = meeting({ at: -1, requests: [] })
  await run(trials.slice(0, 2))
  const letters = readLetters(store.db)
  await run(trials.slice(0, 3))
  expect(readLetters(store.db)).toBe(letters)
  store.db.pragma('wal_checkpoint(truncate)')
  const path = join(temporaryFolder(), 'copy.sqlite')
  copyFileSync(store.path, path)
  const copy = openStore(path, { system })
  await runStudy({ system, store: copy, client: service, study: makeStudy(), trials, options: {} })
  expect(readLetters(copy.db)).not.toBe(letters)
  expect(readLetters(copy.db)).toMatch(/^[a-z]{6}$/)
  expect(service.counts.posts).toBe(6)
})

it('letters that somebody else uses as well are exchanged for others', async () => {
  const world = makeWorld({
    fate: () => {
      if (world.service.counts.posts === 1)
        world.service.submitForeign(theirs(trials[5], `-${readLetters(world.store.db)}`))
      return 'ok'
    },
  })
  let before: string | null = null
  const onProgress = () => {
    before ??= readLetters(world.store.db)
  }
  await world.run(trials, { onProgress })
  expect(before).toMatch(/^[a-z]{6}$/)
  expect(readLetters(world.store.db)).not.toBe(before)
  expect(world.service.counts.posts).toBe(5)
})

it('stores of two labs are merged, and every unit counts once', async () => {
  const { run, store, service, system } = meeting({ at: 0, requests: [] })
  await run(trials, { part: { number: 1, of: 2 } })
  const other = openStore(join(temporaryFolder(), 'other.sqlite'), { system })
  const given = { system, store: other, client: service, study: makeStudy(), trials }
  // It takes over what the first one sent, and sends the rest.
  await runStudy({ ...given, options: { part: { number: 2, of: 2 } } })
  expect(service.book).toHaveLength(6)
  const letters = [readLetters(store.db), readLetters(other.db)]
  other.close()
  await mergeFrom(store, other.path)
  expect(listTrials(store, { study: 'ladder' }).map(({ state }) => state)).toEqual(Array(6).fill('done'))
  const spender = { identity: 'https://bots.example#1234', account: '' }
  expect(readSpent(store, { ...spender, now: system.clock.wall() })).toHaveLength(6)
  expect(readLetters(store.db)).toBe(letters[0])
  expect(runSelect(store.path, 'select count(*) from job where duplicate = 1').rows).toEqual([[0]])
})

it('parts are disjoint and complete, whatever their number, and the same in every store', () => {
  const many = makeTrials(200)
  for (const of of [1, 2, 3, 7, 50]) {
    const parts = Array.from({ length: of }, (_, n) => many.filter((trial) => isInPart(trial, { number: n + 1, of })))
    expect(
      parts
        .flat()
        .map(({ fingerprint }) => fingerprint)
        .toSorted(),
    ).toEqual(many.map(({ fingerprint }) => fingerprint).toSorted())
    if (of <= 7) expect(Math.min(...parts.map(({ length }) => length))).toBeGreaterThan(0)
  }
})

it('a lab alone sends in the order of the study; of several each has an order of its own', () => {
  const many = makeTrials(30)
  const orderOf = (labs: Labs, letters: string) => {
    const todo = [...many]
    return many.map(() => {
      const next = labs.choose(todo, letters)
      todo.splice(todo.indexOf(next), 1)
      return next.config.takeProfit
    })
  }
  const inOrder = many.map(({ config }) => config.takeProfit)
  expect(orderOf(new Labs(), 'aaaaaa')).toEqual(inOrder)
  const [a, b, c] = ['aaaaaa', 'bbbbbb', 'cccccc']
  const orders = [a, b, c].map((own) => {
    const labs = new Labs()
    for (const other of [a, b, c]) if (other !== own) labs.note(other)
    return orderOf(labs, own)
  })
  for (const order of orders) expect(order.toSorted((x, y) => x - y)).toEqual(inOrder)
  const firsts = orders.map((order) => order.slice(0, 5))
  expect(new Set(firsts.flat()).size).toBe(15)
  const nameless = [a, b].map((own) => {
    const labs = new Labs()
    labs.note(null)
    return orderOf(labs, own)
  })
  for (const order of nameless) expect(order.toSorted((x, y) => x - y)).toEqual(inOrder)
  expect(nameless[0]).not.toEqual(nameless[1])
})

it('the list is read after the 1st, 2nd and 4th submission and then every 4, and before each once another lab is there', async () => {
  const readsBefore = async (requests: readonly JobRequestBody[]) => {
    const reads: number[] = []
    const { run, service } = meeting(
      { at: 0, requests },
      {
        durationMs: 3_600_000,
        page: (page) => {
          reads.push(service.counts.posts)
          return page
        },
      },
    )
    await run(makeTrials(14), { limit: 13 })
    return [...new Set(reads.filter((posts) => posts < 13))]
  }
  expect(await readsBefore([])).toEqual([0, 1, 2, 4, 8, 12])
  expect(await readsBefore([theirs(makeTrials(14)[13])])).toEqual(Array.from({ length: 13 }, (_, n) => n))
})

it('a service of our own is not asked more often for it', async () => {
  const { run, service } = makeWorld({ identity: 'embedded:one' })
  expect(await run(makeTrials(60))).toMatchObject({ trials: { done: 60 } })
  expect(service.counts.reads).toBeLessThanOrEqual(25)
})
