/** A new chart: the files to touch, and what notices each half-done change. Done on a copy of the real source: deals per trial, as bars. */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { compileErrors, type Edit, inCopyWith, runTest } from './mutant.ts'

const charts = 'src/workbench/report/charts/charts.ts'
const rowType: Edit = {
  file: charts,
  find: '  readonly importance: readonly ImportanceBar[]\n',
  replace: '  readonly importance: readonly ImportanceBar[]\n  readonly deals: readonly ImportanceBar[]\n',
}
const row: Edit = {
  file: charts,
  find: '    spec: importanceSpec,\n  },\n  parallel: {',
  replace: `    spec: importanceSpec,
  },
  deals: { title: 'Deals of each trial', without: 'no trial has a deal', kind: 'bars', spec: importanceSpec },
  parallel: {`,
}
const golden = 'test/golden/report'
const charted = 'test/workbench/report/charts.test.ts'

it('a new chart is four files, all of them named by the map', () => {
  const map = readFileSync(new URL('../../src/ARCHITECTURE.md', import.meta.url), 'utf8')
  const [line = ''] = map.match(/^\| a chart \|.*$/m) ?? []
  for (const named of [
    'workbench/report/charts/',
    'workbench/report/charts/charts.ts',
    'workbench/report/parts/',
    golden,
  ]) {
    expect(line).toContain(`\`${named}`)
  }
})

it.runIf(inTurn(isLong, import.meta.url))(
  'a chart that a part would draw but that has no row does not compile, nor does a row without its data',
  async () => {
    const unlisted: Edit = {
      file: 'src/workbench/report/parts/explorer.ts',
      find: "    name: 'importance',",
      replace: "    name: 'deals',",
    }
    const errors = await compileErrors([unlisted, row])
    expect(errors).toEqual([
      expect.stringMatching(/^src\/workbench\/report\/charts\/charts\.ts[\s\S]*'deals' does not exist/),
      expect.stringMatching(/^src\/workbench\/report\/parts\/explorer\.ts[\s\S]*'?"?deals/),
    ])
  },
)

it.runIf(inTurn(isLong, import.meta.url))('a chart that no part draws is missed by name', async () => {
  const { code, stdout, stderr } = await inCopyWith([rowType, row], (folder) =>
    runTest(folder, charted, 'drawn by a part'),
  )
  expect(code).not.toBe(0)
  expect(`${stdout}${stderr}`).toContain('deals is drawn by a part of the page')
})

it.runIf(inTurn(isLong, import.meta.url))('a chart without a golden file is asked for one by name', async () => {
  const { code, stdout, stderr } = await inCopyWith([], (folder) => {
    rmSync(join(folder, golden, 'heat.json'))
    return runTest(folder, charted, 'written down|golden')
  })
  expect(code).not.toBe(0)
  expect(`${stdout}${stderr}`).toContain('heat has a golden file')
})

it.runIf(inTurn(isLong, import.meta.url))(
  'a golden file that says something else than the chart draws is noticed',
  async () => {
    const taller: Edit = { file: charts, find: 'height: 170', replace: 'height: 171' }
    const { code, stdout, stderr } = await inCopyWith([taller], (folder) => runTest(folder, charted, 'written down'))
    expect(code).not.toBe(0)
    expect(`${stdout}${stderr}`).toContain('plot-equity')
  },
)
