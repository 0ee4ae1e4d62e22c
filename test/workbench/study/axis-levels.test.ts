import { expect, it } from 'vitest'
import { demandLevels } from '../../../src/workbench/study/axis-levels.ts'
import { exampleStudy, parseData, problemsOf } from './example.ts'

const search = { method: 'sobol', configs: 20 }

it('a grid with continuous axes is no list of points: each is named, with what it lacks', () => {
  const grid = { takeProfit: { from: 0.5, to: 2 }, dcaVolumeScale: [1, 1.4], stopLoss: { from: 5, to: 25 } }
  const study = parseData(exampleStudy(grid, { search }))
  const problems = problemsOf(() => demandLevels(study, { file: 'my.yaml' }))
  expect(problems.map(({ message }) => message)).toEqual([
    'grid.takeProfit: every value from 0.5 to 2 is meant; expected a step or a count, so that it has levels',
    'grid.stopLoss: every value from 5 to 25 is meant; expected a step or a count, so that it has levels',
  ])
  for (const { place } of problems) expect(place).toMatch(/^my\.yaml:1:\d+$/)
})

it('drawn points of axes with levels are points of a list', () => {
  const study = parseData(exampleStudy({ takeProfit: { from: 0.5, to: 2, count: 4 } }, { search }))
  expect(() => demandLevels(study, { file: 'my.yaml' })).not.toThrow()
})
