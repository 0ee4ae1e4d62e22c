/** A dialect with a fault, through the whole program: it is said as that, with its function and line, and costs nothing. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { projectRoot } from '../support/dcalab.ts'
import { folderInMemory } from '../support/folder.ts'
import {
  OTHER_API_KEY,
  OTHER_OWNER,
  OTHER_SECRET_KEY,
  type OtherService,
  otherDialectService,
} from '../support/other-dialect-service.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'

const example = readFileSync(join(projectRoot, 'studies/example-dialect.mjs'), 'utf8')

let folder: string
let service: OtherService
beforeAll(async () => {
  folder = folderInMemory()
  service = await otherDialectService()
  const market = { exchange: 'elsewhere', baseAsset: 'BTC', quoteAsset: 'USDT' }
  const base = {
    investment: 1000,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 20,
    dcaMaxSafetyOrders: 3,
    dcaPriceStepMultiplier: 1.2,
    dcaVolumeScale: 1.3,
    dcaPriceScalePercent: 1,
    stopLoss: 0,
  }
  const study = {
    name: 'faults',
    market,
    period: { from: '2025-01-01', to: '2025-03-01' },
    base,
    objective: { maximize: 'netProfit' },
    grid: { takeProfit: [1, 2] },
  }
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
})
afterAll(() => service.close())

function taught(name: string, from: string, to: string): Program {
  expect(example).toContain(from)
  const dialect = join(folder, name)
  writeFileSync(dialect, example.replace(from, to))
  return program(folder, {
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: OTHER_API_KEY,
    DCALAB_SECRET_KEY: OTHER_SECRET_KEY,
    DCALAB_USER_EMAIL: OTHER_OWNER,
    DCALAB_DIALECT: dialect,
  })
}

const lineOf = (text: string) => example.slice(0, example.indexOf(text)).split('\n').length

it('a request that it cannot spell ends the run, and its attempt is free again', async () => {
  const dcalab = taught('no-request.mjs', 'label: name,', 'label: name.first.last,')
  const { code, err } = await dcalab(['run', join(folder, 'study.json')])
  expect(code).toBe(2)
  expect(err).toContain(
    `dialect.jobRequest failed: TypeError: cannot read property 'last' of undefined (no-request.mjs:${lineOf('label: name,')}:`,
  )
  expect(service.jobs).toEqual([])
  expect(selectObjects(join(folder, 'workbench.sqlite'), 'select state from attempts')).toEqual([{ state: 'released' }])
})

it('a list that it throws on is said as that', async () => {
  const dcalab = taught('no-list.mjs', 'jobList: (body) => listOf(body),', 'jobList: (body) => body.nothing.here,')
  const { code, err } = await dcalab(['service', 'jobs', 'list'])
  expect(code).toBe(5)
  expect(err).toContain(
    `dialect.jobList failed: TypeError: cannot read property 'here' of undefined (no-list.mjs:${lineOf('jobList: ')}:`,
  )
  expect(err).not.toContain('cannot be reached')
  const run = await dcalab(['run', join(folder, 'study.json')])
  expect(run.err).toContain('dialect.jobList failed')
  expect(run.err).toContain('The service’s replies lack what a run needs')
  expect(run.err).not.toContain('cannot be reached')
})

it('the doctor shows its console, each line on one', async () => {
  const dcalab = taught(
    'says.mjs',
    'const { total, left, hours }',
    "console.log('quota of\\nerror: nothing', body.data.quota)\n    const { total, left, hours }",
  )
  const { out } = await dcalab(['service', 'check'])
  expect(out).toContain('the dialect’s console:\n  quota of\\nerror: nothing {"total":100,')
  expect(JSON.parse((await dcalab(['service', 'check', '--json'])).out).console[0]).toMatch(/^quota of\nerror/)
})
