/** `study check` says on which folds a study tests its choice; nothing of the run follows from them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const folder = temporaryFolder()
let dcalab: Program

const check = (validate: object, ...more: readonly string[]) => {
  const file = join(folder, 'study.json')
  const study = {
    name: 'folded',
    market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
    period: { from: '2024-01-01', to: '2024-01-21' },
    validate,
    base: STUDY_BASE,
    grid: { dcaPriceScalePercent: [0.5, 1] },
  }
  writeFileSync(file, JSON.stringify(study))
  return dcalab(['study', 'check', file, ...more])
}

beforeAll(() => {
  dcalab = program(folder, { XDG_STATE_HOME: folder })
})

it('lists the folds, in text and in JSON', async () => {
  const validate = { holdout: '5d', embargo: '1d', walkForward: { train: '6d', test: '3d' } }
  const { out } = await check(validate)
  expect(out).toContain(
    'walk-forward: 2 windows, local and free\n' +
      '  1: optimised on 2024-01-01T00:00:00Z to 2024-01-07T00:00:00Z, tested on 2024-01-08T00:00:00Z to 2024-01-11T00:00:00Z\n' +
      '  2: optimised on 2024-01-04T00:00:00Z to 2024-01-10T00:00:00Z, tested on 2024-01-11T00:00:00Z to 2024-01-14T00:00:00Z\n',
  )
  const json = JSON.parse((await check(validate, '--json')).out)
  expect(json.walkForward.folds).toHaveLength(2)
  expect(json.walkForward.folds[1]).toEqual({
    train: { from: '2024-01-04T00:00:00.000Z', to: '2024-01-10T00:00:00.000Z' },
    test: { from: '2024-01-11T00:00:00.000Z', to: '2024-01-14T00:00:00.000Z' },
  })
  expect(JSON.parse((await check({ holdout: '5d' }, '--json')).out).walkForward).toBeNull()
})

it('names the first and the last where there are many', async () => {
  const { out } = await check({ walkForward: { train: '2d', test: '1d', anchored: true } })
  expect(out).toMatch(
    /walk-forward: 18 windows, local and free\n {2}1: .*\n {2}… 16 more\n {2}18: optimised on 2024-01-01T/,
  )
})
