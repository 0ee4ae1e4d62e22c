/** A dialect module teaches us another service's spelling; it can misname things, but break nothing. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { builtInDialect, loadDialect } from '../../../src/workbench/api/reading/dialect.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { BOT_PAYLOAD, CALLS, clientOf, goodBody, type Hit, JOB_REQUEST, json, scriptedService } from './world.ts'

const folder = temporaryFolder()

let modules = 0

function moduleOf(text: string, ending = 'mjs'): string {
  const path = join(folder, `dialect-${++modules}.${ending}`)
  writeFileSync(path, text)
  return path
}

it('translates requests out and bodies in; what it leaves out stays built in', async () => {
  const dialect = await loadDialect(
    moduleOf(`export const dialect = {
      jobRequest: ({ name, from, to, ...rest }) => ({ label: name, start: from, end: to, settings: rest }),
      job: (body) => body.task && { id: body.task.number, name: body.task.label, state: body.task.phase, result: body.task.outcome },
      jobState: (word) => ({ cooking: 'pending', served: 'done' })[word] ?? 'unknown',
      jobList: (body) => ({ items: body.tasks.map((task) => ({ task })), next: null }),
    }`),
  )
  const service = await scriptedService((hit, response) => {
    if (hit.url.includes('limits')) return json(response, 200, { limit: 7 })
    const task = '{"number":9007199254740993,"label":"x","phase":"served","outcome":{"metrics":{"netProfit":5}}}'
    response.end(hit.method === 'GET' ? `{"tasks":[${task}]}` : `{"task":${task}}`)
  })
  const { client } = clientOf(service.url, { dialect })
  const created = await client.createJob(JOB_REQUEST)
  expect(created).toMatchObject({ kind: 'acked', value: { id: '9007199254740993', state: 'done' } })
  expect(JSON.parse(service.hits[0].body)).toMatchObject({ label: JOB_REQUEST.name, settings: { takeProfit: 1 } })
  expect(await client.listJobs()).toMatchObject({
    kind: 'ok',
    value: { items: [{ id: '9007199254740993', result: { metrics: { netProfit: 5 } } }] },
  })
  expect(await client.limits()).toMatchObject({ kind: 'ok', value: { limit: 7 } })
  await service.close()
})

it('a word of a state that a dialect does not explain is unknown, whatever it answers', async () => {
  const dialect = await loadDialect(
    moduleOf(`export const dialect = { jobState: (word) => ({ DONE: 'done', ODD: 'finished' })[word] }`),
  )
  expect(['DONE', 'ODD', 'COOKING'].map((word) => dialect.jobState(word))).toEqual(['done', 'unknown', 'unknown'])
})

it('a cursor that ends in padding is sent as a cursor', async () => {
  const service = await scriptedService((hit, response) => {
    const isFirst = !hit.url.includes('cursor')
    json(response, 200, { items: [{ id: isFirst ? 'a' : 'b', state: 'done' }], next: isFirst ? 'MTAw==' : null })
  })
  const { client } = clientOf(service.url)
  const first = await client.listJobs()
  if (first.kind !== 'ok' || first.value.next === null) throw new Error('no second page')
  expect(await client.listJobs({ next: first.value.next })).toMatchObject({
    kind: 'ok',
    value: { items: [{ id: 'b' }] },
  })
  expect(service.hits[1].url).toContain('?cursor=MTAw%3D%3D')
  await service.close()
})

it('a dialect that throws or returns nonsense loses no paid answer: it becomes ambiguous, with the reply kept', async () => {
  for (const nonsense of ['{ throw new Error("bug") }', '{ return null }', '{ return 7 }', '{ return { id: {} } }']) {
    const dialect = await loadDialect(moduleOf(`export const dialect = { job() ${nonsense} }`))
    const service = await scriptedService((_hit, response) => json(response, 201, { id: 'job-1' }))
    const outcome = await clientOf(service.url, { dialect }).client.createJob(JOB_REQUEST)
    expect(outcome).toMatchObject({ kind: 'ambiguous', raw: { status: 201, text: '{"id":"job-1"}' } })
    await service.close()
  }
})

const broken = () => {
  throw new Error('bug')
}

it.each([
  ['bot', 'readBot'],
  ['bot', 'proveDemo'],
  ['bot', 'createBot'],
  ['bot', 'listBots'],
  ['botState', 'readBot'],
  ['botList', 'listBots'],
  ['validation', 'validateBot'],
  ['executionList', 'listExecutions'],
  ['execution', 'listExecutions'],
  ['orderList', 'listOrders'],
  ['order', 'listOrders'],
  ['pnl', 'readPnl'],
  ['limits', 'limits'],
  ['symbols', 'listSymbols'],
  ['jobList', 'listJobs'],
  ['jobState', 'readJob'],
] as const)('a bug in %s makes the answer of %s unreadable, and nothing else', async (name, call) => {
  const service = await scriptedService((hit, response) => json(response, 200, oneOfEach(hit)))
  const outcome = await CALLS[call].call(
    clientOf(service.url, { dialect: { ...builtInDialect, [name]: broken } }).client,
  )
  expect(outcome).toMatchObject({
    kind: CALLS[call].write ? 'ambiguous' : 'failed',
    reason: expect.stringContaining('reading the reply failed: bug'),
    raw: { status: 200 },
  })
  expect(service.hits.length).toBe(1)
  await service.close()
})

it.each(['validateRequest', 'updateRequest'] as const)(
  'a bug in %s, or no object from it, sends nothing',
  async (name) => {
    const service = await scriptedService((hit, response) => json(response, 200, goodBody(hit)))
    for (const spelled of [broken, () => undefined, () => 'text', () => []]) {
      const { client } = clientOf(service.url, { dialect: { ...builtInDialect, [name]: spelled } })
      if (name === 'validateRequest') await expect(client.validateBot(BOT_PAYLOAD)).rejects.toThrow()
      else {
        const checked = await client.proveDemo('bot-1')
        if (checked.kind !== 'ok' || checked.value.proof === null) throw new Error('no proof')
        await expect(client.updateBot(checked.value.proof, BOT_PAYLOAD)).rejects.toThrow()
      }
    }
    expect(service.hits.filter(({ method }) => method !== 'GET')).toEqual([])
    await service.close()
  },
)

/** A good answer, with one item in every list. */
function oneOfEach(hit: Hit): unknown {
  if (hit.url.includes('/executions')) return { executions: [{ price: 1 }] }
  if (hit.url.includes('/orders')) return { orders: [{ price: 1 }] }
  if (/^\/api\/bots\?/.test(hit.url)) return { bots: [{ id: 'bot-1' }] }
  return goodBody(hit)
}

it('a dialect that makes no body of a job sends nothing', async () => {
  const dialect = await loadDialect(moduleOf('export const dialect = { jobRequest: () => undefined }'))
  const service = await scriptedService((_hit, response) => json(response, 201, { id: 'job-1' }))
  await expect(clientOf(service.url, { dialect }).client.createJob(JOB_REQUEST)).rejects.toMatchObject({
    code: 'settingInvalid',
  })
  expect(service.hits.length).toBe(0)
  await service.close()
})

it.each([
  ['absent.mjs', /does not load/],
  [moduleOf('export const dialect = {', 'mjs'), /does not load/],
  [moduleOf('throw new Error("no")'), /does not load/],
  [moduleOf('export const other = {}'), /named dialect/],
  [moduleOf('export const dialect = []'), /named dialect/],
  [moduleOf('export const dialect = { jobs: () => 1 }'), /not a dialect/],
  [moduleOf('export const dialect = { job: 1 }'), /not a dialect/],
  [moduleOf('export const dialect = {}', 'js'), /\.mjs/],
])('%s is refused as a setting', async (path, message) => {
  await expect(loadDialect(path)).rejects.toMatchObject({
    code: 'settingInvalid',
    message: expect.stringMatching(message),
  })
})

it('an empty dialect is the built-in one', async () => {
  expect(await loadDialect(moduleOf('export const dialect = {}'))).toEqual(builtInDialect)
})

it('H84: a next page as text replaces the query of this page, as an object it extends it', async () => {
  const service = await scriptedService((_hit, response) => json(response, 200, { rows: [{ id: 'a' }], page: 1 }))
  const asked = { limit: 5, since: 0 }
  const listed = async (next: string) => {
    const dialect = await loadDialect(
      moduleOf(`export const dialect = {
        jobListQuery: ({ limit }) => ({ size: String(limit) }),
        jobList: (body, { query }) => ({ items: body.rows, next: ${next} }),
      }`),
    )
    const outcome = await clientOf(service.url, { dialect }).client.listJobs(asked)
    return outcome.kind === 'ok' ? outcome.value : outcome
  }
  expect(await listed("'page=2'")).toMatchObject({ next: 'page=2', items: [{ id: 'a', rawText: '{"id":"a"}' }] })
  expect(await listed('{ page: body.page + 1 }')).toMatchObject({ next: 'size=5&page=2' })
  expect(await listed('{ after: query.size }')).toMatchObject({ next: 'size=5&after=5' })
  expect(await listed('undefined')).toMatchObject({ next: null })
  await service.close()
})

it('H72: an item without a usable id is named, and the others of its page are used', async () => {
  const service = await scriptedService((_hit, response) => json(response, 200, { jobs: [{ id: 'a' }, { id: '..' }] }))
  expect(await clientOf(service.url).client.listJobs()).toMatchObject({
    value: { items: [{ id: 'a' }], unreadable: 1, firstUnreadable: 'item 2 of 2: {"id":".."}' },
  })
  await service.close()
})

it('a job whose id no address can hold is ambiguous, and the id is named', async () => {
  const service = await scriptedService((_hit, response) => json(response, 201, { id: '..', state: 'queued' }))
  expect(await clientOf(service.url).client.createJob(JOB_REQUEST)).toMatchObject({
    kind: 'ambiguous',
    reason: expect.stringContaining('its id ".." cannot be used in an address'),
  })
  await service.close()
})
