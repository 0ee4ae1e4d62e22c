/** A run whose dialect did not understand the results; then a better one reads what was kept, and nothing is asked or paid for again. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { studyOf } from '../proc/http-service.ts'
import { projectRoot } from '../support/dcalab.ts'
import { temporaryFolder } from '../support/folder.ts'
import {
  OTHER_API_KEY,
  OTHER_OWNER,
  OTHER_SECRET_KEY,
  type OtherService,
  otherDialectService,
} from '../support/other-dialect-service.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'

const example = join(projectRoot, 'studies/example-dialect.mjs')

let folder: string
let service: OtherService
/** Result left unread; everything else as in the example. */
let young: Program
let taught: Program
beforeAll(async () => {
  folder = temporaryFolder()
  service = await otherDialectService()
  const module = join(folder, 'young.mjs')
  const grown = readFileSync(example, 'utf8')
  const unread = grown.replace('result: job.report &&', 'result: undefined &&')
  expect(unread).not.toBe(grown)
  writeFileSync(module, unread)
  const speaking = (dialect: string) =>
    program(folder, {
      DCALAB_BASE_URL: service.url,
      DCALAB_API_KEY: OTHER_API_KEY,
      DCALAB_SECRET_KEY: OTHER_SECRET_KEY,
      DCALAB_USER_EMAIL: OTHER_OWNER,
      DCALAB_DIALECT: dialect,
    })
  young = speaking(module)
  taught = speaking(example)
  writeFileSync(join(folder, 'study.json'), studyOf(4))
})
afterAll(async () => {
  await service.close()
})

const json = (text: string) => JSON.parse(text)
const profits = () => selectObjects(join(folder, 'workbench.sqlite'), 'select net_profit from results order by 1')

it('results that a dialect did not understand are read later, without a request', async () => {
  expect((await young(['run', join(folder, 'study.json'), '--json'])).code).toBe(0)
  const unread = profits()
  expect(unread.length).toBeGreaterThan(1)
  expect(unread.every((row: { net_profit: unknown }) => row.net_profit === null)).toBe(true)
  const before = service.requests.length

  const still = await young(['store', 'reread', '--json'])
  expect(still.code).toBe(5)
  expect(json(still.out)).toMatchObject({ changed: 0 })
  expect(json(still.out).unreadable[0]).toMatchObject({ reason: 'no metric of it can be read' })

  const rehearsed = await taught(['store', 'reread', '--dry-run', '--json'])
  expect(rehearsed.code).toBe(0)
  expect(json(rehearsed.out)).toMatchObject({ dryRun: true, jobs: 4, changed: unread.length, unreadable: [] })
  expect(profits()).toEqual(unread)

  const read = await taught(['store', 'reread', 'proc', '--json'])
  expect(read.code).toBe(0)
  expect(json(read.out)).toMatchObject({
    study: 'proc',
    jobs: 4,
    changed: unread.length,
    unchanged: 4 - unread.length,
    unreadable: [],
    columns: { net_profit: unread.length, metric_flags_json: unread.length },
  })
  expect(profits().every((row: { net_profit: unknown }) => typeof row.net_profit === 'number')).toBe(true)
  expect(service.requests.length).toBe(before)
})

it('doing it again changes nothing', async () => {
  const { code, out } = await taught(['store', 'reread'])
  expect(code).toBe(0)
  expect(out).toContain('4 jobs read again: 0 changed, 4 unchanged, 0 unreadable')
})

it('a dialect that understands less takes nothing away', async () => {
  const known = profits()
  const { code, out, err } = await young(['store', 'reread'])
  expect(code).toBe(5)
  expect(out).toContain('0 changed')
  expect(out).toContain('no metric of it can be read')
  expect(err).toContain('unreadable replies keep their old columns')
  expect(profits()).toEqual(known)
})

it('what the service computes again is noticed, bars a recommendation, and becomes the result when it is taken', async () => {
  const best = 'select trial, net_profit from results order by net_profit desc, job_id limit 1'
  const trialOf = () => selectObjects(join(folder, 'workbench.sqlite'), best)[0]
  const { trial, net_profit: paid } = trialOf()
  for (const job of service.jobs) job.gain = 12.75
  const before = service.requests.length
  const again = await taught(['run', join(folder, 'study.json')])
  expect(again.err).toMatch(/note: [23] of [23] results read again have changed since they were paid/)
  expect(service.requests.slice(before).filter((request) => !request.startsWith('GET '))).toEqual([])
  expect(service.requests.length - before).toBeLessThanOrEqual(4)
  const shown = json((await taught(['show', trial, '--json'])).out)
  expect(shown.metrics.netProfit).toBe(paid)
  expect(shown.revised).toMatchObject([{ changes: { netProfit: [paid, 12.75] }, takenAt: null, isPending: true }])
  expect((await taught(['show', trial])).out).toContain(`Net profit ${paid} → 12.75`)
  const plan = json((await taught(['promote', trial, '--dry-run', '--json'])).out)
  expect(plan.verdict).toMatchObject({ grade: 'doNotUse', sentence: expect.stringContaining('since it was paid for') })
  expect(json((await taught(['store', 'reread', '--json'])).out)).toMatchObject({ changed: 0, unreadable: [] })

  const taken = await taught(['store', 'reread', '--revised', '--json'])
  expect(taken.code).toBe(0)
  const { jobs, changed } = json(taken.out)
  expect([changed, changed > 1]).toEqual([jobs, true])
  const after = json((await taught(['show', trial, '--json'])).out)
  expect(after.metrics.netProfit).toBe(12.75)
  expect(after.revised).toMatchObject([{ replaced: { net_profit: paid }, isPending: false }])
  expect(json((await taught(['store', 'reread', '--json'])).out)).toMatchObject({ changed: 0, unreadable: [] })
})

it('the dialect of one service is not tried on the replies of another', async () => {
  const elsewhere = program(folder, {
    DCALAB_BASE_URL: 'http://127.0.0.1:9',
    DCALAB_API_KEY: OTHER_API_KEY,
    DCALAB_SECRET_KEY: OTHER_SECRET_KEY,
    DCALAB_DIALECT: join(folder, 'young.mjs'),
  })
  const { code, out } = await elsewhere(['store', 'reread', '--json'])
  expect(code).toBe(0)
  expect(json(out)).toMatchObject({ study: null, jobs: 0, changed: 0, unreadable: [] })
})

it('a study that the store does not hold is not found', async () => {
  const { code, err } = await taught(['store', 'reread', 'nothing', '--json'])
  expect(code).toBe(2)
  expect(json(err).error.code).toBe('notFound')
})
