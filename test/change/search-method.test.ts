/** A new search method, file by file, and what a half-done one meets. */
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap, isFile } from './map.ts'
import { compileErrors, type Edit, inCopyWith, runInside, typeErrors } from './mutant.ts'

/** In this order; here for the smallest there is. Settings that exist are asked for by the row alone. */
const FILES = [
  'src/workbench/study/study.ts', // its row: its words, what it uses of the file's `search`, whether it draws points
  'src/workbench/search/searches.ts', // its row: how it is made
  'src/workbench/search/draw-search.ts', // what it proposes and what it says of itself
  'test/workbench/search/draw-search.test.ts', // played against a scripted service
]

const row: Edit = {
  file: 'src/workbench/study/study.ts',
  find: '  screen: {\n    what:',
  replace: "  last: { what: 'the last point of the grid', uses: ['seed'], draws: false },\n  screen: {\n    what:",
}
const made: Edit = {
  file: 'src/workbench/search/searches.ts',
  find: '  grid: null,\n',
  replace: `  grid: null,
  last: ({ seed }, { study }) => createDrawSearch({ by: 'random', configs: 1, seed, markets: study.markets }, study),
`,
}

describe('a new search method', () => {
  it('takes these files, as the map says', () => {
    expect(FILES.length).toBeLessThanOrEqual(4)
    expect(FILES.filter((file) => !isFile(file))).toEqual([])
    expect(filesOnTheMap('a search method').slice(0, 4)).toEqual(FILES)
  })

  it.runIf(inTurn(isLong, import.meta.url))(
    'that has both rows compiles, tests included, and is read, checked, hashed and made like the others',
    async () => {
      const printed = await inCopyWith([row, made], async (folder) => [
        ...(await typeErrors(folder)),
        ...(await runInside(folder, wholeWay)),
      ])
      expect(printed).toEqual([
        'read {"method":"last","seed":7}',
        'refused search.configs: the method last has no use for it; it belongs to random, sobol, screen',
        'another study true',
        'proposed random 1',
        'in the schema true',
      ])
    },
  )

  it.runIf(inTurn(isLong, import.meta.url))('that a study may name and nothing makes does not compile', async () => {
    const errors = await compileErrors([row])
    expect(errors).toEqual([expect.stringMatching(/^src\/workbench\/search\/searches\.ts[\s\S]*'last' is missing/)])
  })

  it.runIf(inTurn(isLong, import.meta.url))(
    'that reads a setting which its row does not name does not compile',
    async () => {
      const greedy: Edit = {
        ...made,
        replace: made.replace.replace('{ seed }', '{ seed, samples }').replace('configs: 1', 'configs: samples'),
      }
      const errors = await compileErrors([row, greedy])
      expect(errors).toEqual([
        expect.stringMatching(/^src\/workbench\/search\/searches\.ts[\s\S]*'samples' does not exist/),
      ])
    },
  )

  it.runIf(inTurn(isLong, import.meta.url))(
    'that uses a setting which no study file can set does not compile',
    async () => {
      const unknown: Edit = { ...row, replace: row.replace.replace("['seed']", "['generations']") }
      const errors = await compileErrors([unknown, made])
      expect(errors.join('\n')).toMatch(/study\.ts[\s\S]*generations/)
    },
  )
})

/** The way of a method: file, checks, fingerprint, search, schema. */
const wholeWay = `
import { parseStudy } from './src/workbench/study/parse.ts'
import { createSearch } from './src/workbench/search/searches.ts'
import { studyJsonSchema } from './src/workbench/study/schema.ts'

const file = (search) => JSON.stringify({
  name: 'way',
  market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
  period: { from: '2021-04-21', to: '2021-05-19' },
  base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 20, dcaMaxSafetyOrders: 3, dcaPriceScalePercent: 1, dcaVolumeScale: 1.4, dcaPriceStepMultiplier: 1.2 },
  grid: { takeProfit: [1, 2] },
  search,
})
const study = parseStudy(file({ method: 'last', seed: 7 }), { file: 'way.json' })
console.log('read', JSON.stringify(study.search))
try {
  parseStudy(file({ method: 'last', configs: 3 }), { file: 'way.json' })
} catch (failure) {
  console.log('refused', failure.problems[0].message)
}
console.log('another study', study.fingerprint !== parseStudy(file({ method: 'grid' }), { file: 'way.json' }).fingerprint)
const memory = { read: () => undefined, write: async () => {} }
const advice = await createSearch({ study, memory, localEngine: undefined, anyway: false }).propose([])
console.log('proposed', advice.proposals[0].reason)
console.log('in the schema', JSON.stringify(studyJsonSchema()).includes('last: the last point of the grid'))
`
