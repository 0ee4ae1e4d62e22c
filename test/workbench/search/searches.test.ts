import { expect, it } from 'vitest'
import { createSearch } from '../../../src/workbench/search/searches.ts'
import { METHOD_NAMES, type MethodName, SEARCH_METHODS } from '../../../src/workbench/study/study.ts'
import { exampleConfig, exampleStudy, parseData } from '../study/example.ts'
import { createMemory, play, scriptedTwin } from './scripted.ts'

const answer = () => ({ netProfit: 5, maxDrawdownPercent: 1 })

function searchBy(method: MethodName) {
  const takeProfit = { from: 1, to: 10, step: 1 }
  const uses: readonly string[] = SEARCH_METHODS[method].uses
  const settings = Object.entries({ configs: 6, samples: 2, seed: 3 }).filter(([name]) => uses.includes(name))
  const study = parseData(
    exampleStudy(
      { takeProfit },
      { objective: { maximize: 'netProfit' }, search: { method, ...Object.fromEntries(settings) } },
    ),
  )
  const best = [1, 2, 3, 4, 5, 6].map((value) => ({ ...exampleConfig, takeProfit: value }))
  const twin = scriptedTwin({ markets: study.markets, objective: study.objective, best, localEngine: answer })
  return createSearch({ study, memory: createMemory(), localEngine: twin, anyway: false })
}

it('a grid is not searched: all of its points are trials', () => {
  expect(searchBy('grid')).toBeNull()
})

it.each(METHOD_NAMES.filter((method) => method !== 'grid'))(
  '%s asks for no more than the file says, and ends',
  async (method) => {
    const search = searchBy(method)
    if (search === null) throw new Error(`${method} makes no search`)
    const { history, stoppedBy } = await play(search, answer)
    expect(stoppedBy).toBeNull()
    const asked = new Set(history.map(({ config }) => config.takeProfit)).size
    expect(asked).toBeGreaterThan(0)
    expect(asked).toBeLessThanOrEqual(6)
    expect(search.describe(history).lines).not.toEqual([])
  },
)
