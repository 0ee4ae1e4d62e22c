/** `run --part i/n`: each part submits its trials alone, together all of them, and what cannot be divided is refused. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let folder: string
let dcalab: Program
const study = (name: string, more: object = {}) => ({
  name,
  market: { exchange: 'synthetic', baseAsset: 'H', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  grid: { dcaPriceScalePercent: [1, 1.2, 1.4, 1.6, 1.8, 2] },
  ...more,
})

beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await dcalab(['candles', 'generate', '--market', 'synthetic/H-USDT', '--from', '2024-01-01', '--days', '2'])
  writeFileSync(join(folder, 'parts.json'), JSON.stringify(study('parts')))
  writeFileSync(join(folder, 'screen.json'), JSON.stringify(study('screened', { search: { method: 'screen' } })))
})

it('two parts submit every trial once, and the first says whose the others are', async () => {
  const file = join(folder, 'parts.json')
  const first = await dcalab(['run', file, '--part', '1/2'])
  expect(first.code).toBe(0)
  const [, done = '', pending = ''] = /: (\d+) of 6 done, .* (\d+) pending/.exec(first.out) ?? []
  expect(Number(done) + Number(pending)).toBe(6)
  expect(Number(done)).toBeGreaterThan(0)
  expect(Number(pending)).toBeGreaterThan(0)
  expect(first.out).toContain('the rest belongs to other parts: `dcalab store merge <their store>` imports them')
  const second = await dcalab(['run', file, '--part', '2/2', '--json'])
  expect(JSON.parse(second.out)).toMatchObject({
    stoppedBy: null,
    trials: { done: 6, reused: Number(done), pending: 0 },
  })
})

it.each([
  [['parts.json', '--part', '3/2'], '--part 3/2: expected a number from 1 to 2'],
  [['parts.json', '--part', 'half'], '--part: expected i/n or auto/n'],
  [
    ['screen.json', '--part', '1/2'],
    '--part 1/2: screened uses method: screen, which chooses trials by the results of all parts',
  ],
] as const)('run %j is refused', async ([name, ...words], said) => {
  const { code, err } = await dcalab(['run', join(folder, name), ...words])
  expect(code).toBe(2)
  expect(err).toContain(said)
})
