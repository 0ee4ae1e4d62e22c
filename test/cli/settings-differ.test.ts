/** A study at another fee and under other conventions than its service computes with: every command that shows its results says so. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { API_KEY, goodBody, json, SECRET_KEY, scriptedService } from '../workbench/api/world.ts'
import { visibleText } from '../workbench/report/document.ts'

let folder: string
let dcalab: Program
beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await dcalab(['candles', 'generate', '--market', 'synthetic/D-USDT', '--from', '2024-01-01', '--days', '2'])
  write('plain', {})
  write('differing', { costs: { feePercent: 0.5 }, conventions: { takeProfitBasis: 'net' } })
})

const study = {
  market: { exchange: 'synthetic', baseAsset: 'D', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
}
const file = (name: string) => join(folder, `${name}.json`)
const write = (name: string, more: object) => writeFileSync(file(name), JSON.stringify({ name, ...study, ...more }))
const warnings = (text: string): { code: string; message: string }[] => JSON.parse(text).warnings
const settingsCodes = (found: readonly { code: string }[]) =>
  found.map(({ code }) => code).filter((code) => code.endsWith('Differ'))

const costs = 'the study says feePercent 0.5; all 3 results: feePercent 0.1'
const conventions = 'the study says takeProfitBasis net; all 3 results: takeProfitBasis gross'

describe('on the embedded service, which computes at 0.1 % and takes profit gross', () => {
  it('the check says so before anything is spent, with both values', async () => {
    const found = warnings((await dcalab(['study', 'check', file('differing'), '--json'])).out)
    expect(found).toContainEqual({
      code: 'costsDiffer',
      path: 'costs',
      message: 'the study says feePercent 0.5; the service: feePercent 0.1',
    })
    expect(settingsCodes(found)).toEqual(['costsDiffer', 'conventionsDiffer'])
    expect(settingsCodes(warnings((await dcalab(['study', 'check', file('plain'), '--json'])).out))).toEqual([])
  })

  it('a run that reuses every result says so too', async () => {
    expect((await dcalab(['run', file('plain')])).err).not.toContain('the study says')
    const { code, out, err } = await dcalab(['run', file('differing'), '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out).trials).toMatchObject({ done: 3, reused: 3 })
    expect(err).toContain(`note: ${costs}\n`)
    expect(err).toContain(`note: ${conventions}\n`)
  })

  it('so do the check of the finished study, the leaderboard, the report and the plan of a promotion', async () => {
    const checked = warnings((await dcalab(['study', 'check', file('differing'), '--json'])).out)
    expect(checked.map(({ message }) => message)).toEqual(expect.arrayContaining([costs, conventions]))

    const board = await dcalab(['leaderboard', 'differing', '--json'])
    expect(JSON.parse(board.out)).toHaveLength(3)
    expect(board.err).toContain(`note: ${costs}\n`)
    expect(board.err).toContain(`note: ${conventions}\n`)
    expect((await dcalab(['leaderboard', 'plain'])).err).toBe('')

    const out = join(folder, 'report.html')
    expect((await dcalab(['report', 'differing', '--out', out])).code).toBe(0)
    const page = visibleText(readFileSync(out, 'utf8'))
    expect(page).toContain(costs)
    expect(page).toContain(conventions)

    const plan = JSON.parse((await dcalab(['promote', 'differing', '--dry-run', '--json'])).out)
    expect(settingsCodes(plan.doubts)).toEqual(['costsDiffer', 'conventionsDiffer'])
    expect(plan.doubts).toContainEqual(
      expect.objectContaining({
        code: 'costsDiffer',
        weight: 'warn',
        message: 'the study says feePercent 0.5; the result: feePercent 0.1',
      }),
    )
  })
})

it('a service whose results state nothing leaves the study’s costs unknown, and that is said once each', async () => {
  const service = await scriptedService((hit, response, index) => {
    if (hit.method !== 'POST') return json(response, 200, goodBody(hit))
    const { name } = JSON.parse(hit.body)
    json(response, 201, { id: `job-${index}`, name, state: 'completed', result: { metrics: { netProfit: 5 } } })
  })
  const away = program(folder, {
    XDG_STATE_HOME: folder,
    DCALAB_STORE: join(folder, 'away.sqlite'),
    DCALAB_BASE_URL: service.url,
    DCALAB_API_KEY: API_KEY,
    DCALAB_SECRET_KEY: SECRET_KEY,
  })
  const checked = warnings((await away(['study', 'check', file('differing'), '--json'])).out)
  expect(checked.find(({ code }) => code === 'costsDiffer')?.message).toBe(
    'the study says feePercent 0.5, slippagePercent 0; the service: unknown until a result states it',
  )
  const { err } = await away(['run', file('differing')])
  expect(err.match(/note: the study says feePercent.*unknown/g)).toHaveLength(1)
  expect((await away(['leaderboard', 'differing'])).err).toContain(
    'the study says feePercent 0.5, slippagePercent 0; all 3 results: unknown: not stated',
  )
  expect(settingsCodes(warnings((await away(['study', 'check', file('plain'), '--json'])).out))).toEqual([])
  await service.close()
})
