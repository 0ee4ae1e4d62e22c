import { describe, expect, it } from 'vitest'
import { createDrawSearch } from '../../../src/workbench/search/draw-search.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { exampleConfig } from '../study/example.ts'
import { answered, MARKETS, play } from './scripted.ts'

const space = plainStudy({
  base: { ...exampleConfig },
  axes: [{ field: 'takeProfit', values: [0.5, 5], continuous: { from: 0.5, to: 5, scale: 'log' } }],
})
const service = () => ({ netProfit: 1, maxDrawdownPercent: 1 })
const markets = MARKETS.slice(0, 2)

describe.each(['random', 'sobol'] as const)('%s', (by) => {
  const search = createDrawSearch({ by, configs: 12, seed: 4, markets }, space)

  it('proposes all its points at once, on every market, and then ends', async () => {
    const { history, stoppedBy } = await play(search, service)
    expect(stoppedBy).toBeNull()
    expect(new Set(history.map(({ config }) => configFingerprint(config))).size).toBe(12)
    expect(history.map(({ reason }) => reason)).toEqual(Array.from({ length: 12 }, (_, at) => `${by} ${at + 1}`))
    expect(history.every(({ batch, role }) => batch === 1 && role === 'point')).toBe(true)
    expect(history.every((told) => told.markets === markets)).toBe(true)
    expect(search.describe(history).lines).toEqual(['12 of 12 drawn configurations were tried'])
  })

  it('proposes what is missing, under the number it was drawn with', async () => {
    const first = await search.propose([])
    if (first.kind === 'end') throw new Error('nothing was proposed')
    const told = first.proposals.filter((_, at) => at !== 6).map((proposal) => answered(proposal, 1, service))
    expect(await search.propose(told)).toEqual({ kind: 'propose', proposals: [first.proposals[6]] })
  })
})

it('says how many there are where there are not as many as wanted', async () => {
  const small = plainStudy({ base: { ...exampleConfig }, axes: [{ field: 'takeProfit', values: [1, 2, 3] }] })
  const search = createDrawSearch({ by: 'sobol', configs: 12, seed: 4, markets }, small)
  const { history } = await play(search, service)
  expect(search.describe(history).lines).toEqual([
    '3 of 3 drawn configurations were tried',
    '12 were wanted: the grid has only 3 different configurations within limits',
  ])
})
