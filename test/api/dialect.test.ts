/** A dialect module teaches us another service's spelling; it can misname things, but break nothing. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { builtInDialect, loadDialect } from '../../src/api/dialect.ts'
import { clientOf, JOB_REQUEST, json, scriptedService } from './world.ts'

const folder = mkdtempSync(join(tmpdir(), 'dcalab-dialect-'))
afterAll(() => rmSync(folder, { recursive: true }))

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
    value: { jobs: [{ id: '9007199254740993', result: { metrics: { netProfit: 5 } } }] },
  })
  expect(await client.limits()).toMatchObject({ kind: 'ok', value: { limit: 7 } })
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
