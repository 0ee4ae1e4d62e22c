/** `study refine`: a new file around the best stored trial, which is the next study to run. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { behindTalk } from '../support/behind-messages.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const folder = temporaryFolder()
const file = join(folder, 'study.yaml')
const out = join(folder, 'finer.yaml')
const piped = join(folder, 'piped.yaml')
const { takeProfit: _, ...base } = STUDY_BASE
const text = (changes = '') => `# the take profit of a made-up market
name: ladder
market: { exchange: synthetic, baseAsset: T, quoteAsset: USDT }
period: { from: 2024-01-01, to: 2024-01-05 }
validate: { holdout: 1d }
base: ${JSON.stringify(base)}
objective: { maximize: netProfit }
grid:
  dcaPriceScalePercent: [0.5, 1] # first step
  takeProfit: [1, 2]
${changes}`

let dcalab: Program
const json = async (...args: string[]) => {
  const { code, out, err } = await dcalab([...args, '--json'])
  return code === 0 ? JSON.parse(out) : { exit: code, ...JSON.parse(behindTalk(err)).error }
}

beforeAll(async () => {
  dcalab = program(folder, { XDG_STATE_HOME: folder, DCALAB_USER_EMAIL: 'me@example.org' })
  await dcalab(['candles', 'generate', '--market', 'synthetic/T-USDT', '--from', '2024-01-01', '--days', '4'])
  writeFileSync(file, text())
  expect(await json('run', file)).toMatchObject({ trials: { done: 4 } })
})
afterAll(() => expect(dcalab.said()).not.toContain('bug:'))

it('--out - writes the study to stdout, ready for the next command, and says the rest on stderr', async () => {
  const { code, out, err } = await dcalab(['study', 'refine', 'ladder', '--out', '-'])
  expect([code, err]).toEqual([0, expect.stringContaining('the best of ladder@1')])
  writeFileSync(piped, out)
  expect(await json('study', 'check', piped)).toMatchObject({ name: 'ladder-refined' })
})

it('writes a study around the winner that is paid for only where it is new', async () => {
  const [{ id, fingerprint, config }] = await json('leaderboard', 'ladder')
  const refined = await json('study', 'refine', 'ladder', '--out', out)
  expect(refined).toMatchObject({
    path: out,
    study: 'ladder-refined',
    from: { study: 'ladder', revision: 1, trial: fingerprint },
    points: { grid: 12, distinct: 12 },
    axes: [
      { field: 'dcaPriceScalePercent', winner: config.dcaPriceScalePercent },
      { field: 'takeProfit', winner: config.takeProfit },
    ],
  })
  for (const { extended } of refined.axes) expect(extended).toHaveLength(1)
  const written = readFileSync(out, 'utf8')
  expect(written).toContain(`# Refined from ladder@1 around its best, ${id};\n`)
  expect(written).toContain('# the take profit of a made-up market\n')
  const checked = await json('study', 'check', out)
  expect(checked).toMatchObject({ name: 'ladder-refined', trials: { grid: 12, known: 1, toRun: 11 } })
  expect((await dcalab(['study', 'check', out])).out).toContain(
    'held out: 2024-01-04T00:00:00Z to 2024-01-05T00:00:00Z',
  )
})

it('says what it drew and what comes next', async () => {
  const { out: said } = await dcalab(['study', 'refine', 'ladder', '--out', out, '--force'])
  expect(said).toMatch(
    /^results of embedded \(4 of 4\)\nladder-refined: 12 points, 12 of them distinct and within limits, around [0-9a-f]{8} \(.+ -?[\d.]+\), the best of ladder@1\n/,
  )
  expect(said).toMatch(/\n {2}takeProfit [12]: [\d., ]+; extended (below|above)\n/)
  const read = program(folder, {}, { onTerminal: true, talkOnTerminal: true })
  const { err } = await read(['study', 'refine', 'ladder', '--out', out, '--force'])
  expect(err).toContain(`next: dcalab study check ${out}\n`)
})

it('a name that the store knows is counted on, also from a refined study', async () => {
  expect(await json('run', out)).toMatchObject({ study: 'ladder-refined', trials: { total: 12, reused: 1 } })
  for (const name of ['ladder', 'ladder-refined'])
    expect(await json('study', 'refine', name, '--out', out, '--force')).toMatchObject({ study: 'ladder-refined-2' })
})

it('refuses, with the reason and the next step: a file that is there, a study without a winner, an unknown one', async () => {
  const before = readFileSync(out, 'utf8')
  expect(await json('study', 'refine', 'ladder', '--out', out)).toMatchObject({
    exit: 2,
    code: 'usage',
    message: `cannot write ${out}: it exists already`,
    hint: 'name another file, or add --force',
  })
  expect(readFileSync(out, 'utf8')).toBe(before)
  writeFileSync(
    file,
    text()
      .replace('ladder', 'none')
      .replace('{ maximize: netProfit }', '{ maximize: netProfit, where: { closedDeals: { min: 9999 } } }'),
  )
  await json('run', file)
  expect(await json('study', 'refine', 'none')).toMatchObject({
    exit: 2,
    code: 'notFound',
    message: 'none has no best trial to refine around: 4 excluded by limits, 0 without a result',
    hint: 'widen objective.where in its file and run it',
  })
  expect(existsSync('studies/none-refined.yaml')).toBe(false)
  expect(await json('study', 'refine', 'nobody')).toMatchObject({ code: 'notFound' })
  const nowhere = join(folder, 'nowhere', 'x.yaml')
  expect(await json('study', 'refine', 'ladder', '--out', nowhere)).toMatchObject({ code: 'usage' })
})
