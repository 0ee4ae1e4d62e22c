/** What the explorer's charts compute of the trials, held against plain second ways. */
import { inflateRawSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cellOf, pairGrid } from '../../../src/workbench/analysis/pair-grid.ts'
import { embedSection } from '../../../src/workbench/report/embed.ts'
import { readFacts } from '../../../src/workbench/report/facts.ts'
import type { StudyInput } from '../../../src/workbench/report/input.ts'
import { unpackTrials } from '../../../src/workbench/report/model/blocks.ts'
import { rangeIn, select, withRanges } from '../../../src/workbench/report/model/filter.ts'
import {
  cellValue,
  classesOf,
  classText,
  heatClasses,
  heatPlateau,
  levelColumn,
  rangeOfLevel,
  shownCells,
} from '../../../src/workbench/report/model/heat.ts'
import { nearestPoint } from '../../../src/workbench/report/model/nearest-point.ts'
import { axisAt, evenSample, numberOnAxis, parallelAxes } from '../../../src/workbench/report/model/parallel-axes.ts'
import { createTrialTable } from '../../../src/workbench/report/model/trial-table.ts'
import { trialTooltip } from '../../../src/workbench/report/model/trial-words.ts'
import { linePoints } from '../../../src/workbench/report/parts/explorer.ts'
import { fixtureStudy, fixtureTrials } from '../../support/fixture-trials.ts'
import { failedTrial, sectionOf } from './sections.ts'

/** A section as the page has it. */
function pageOf(input: StudyInput) {
  const { section, blocks } = embedSection(readFacts(input), '')
  const packed = blocks.find(({ id }) => id === 'trials')
  if (packed === undefined) throw new Error('the section has no trials')
  const bytes = new Uint8Array(inflateRawSync(packed.bytes))
  const { count, columns } = section.trials
  return { section, table: createTrialTable(section, unpackTrials(bytes, count, columns)) }
}

const { section, table } = pageOf(sectionOf())
const x = levelColumn(table, 'takeProfit')
const y = levelColumn(table, 'dcaMaxSafetyOrders')
const scores = table.values('netProfit') ?? new Float64Array()

describe('a cell of a heat map', () => {
  it('is the mean, the best and the number of the selected trials with its two values', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 96, maxLength: 96, max: 1 }),
        fc.constantFrom('maximize' as const, 'minimize' as const),
        (mask, direction) => {
          const grid = pairGrid(x, y, { scores, direction, mask })
          for (let cell = 0; cell < 24; cell++) {
            const inside = [...scores.keys()].filter((trial) => {
              const config = table.config(trial)
              const [profit, orders] = [x.levels[cell % 6].low, y.levels[Math.floor(cell / 6)].low]
              return mask[trial] === 1 && config.takeProfit === profit && config.dcaMaxSafetyOrders === orders
            })
            const values = inside.map((trial) => scores[trial])
            expect(cellValue(grid, cell, 'count')).toBe(values.length === 0 ? null : values.length)
            if (values.length === 0) continue
            expect(grid.mean[cell]).toBeCloseTo(values.reduce((a, b) => a + b) / values.length, 9)
            expect(grid.best[cell]).toBe(direction === 'maximize' ? Math.max(...values) : Math.min(...values))
          }
        },
      ),
      { numRuns: 30 },
    )
  })

  it('leaves out trials without a value, and is not 0 where none has one', () => {
    const unknown = scores.map((score, trial) => (cellOf(x, y, trial) === 3 ? Number.NaN : score))
    const grid = pairGrid(x, y, { scores: unknown, direction: 'maximize', mask: null })
    expect(cellValue(grid, 3, 'mean')).toBeNull()
    expect(cellValue(grid, 3, 'best')).toBeNull()
    expect(cellValue(grid, 4, 'mean')).not.toBeNull()
  })

  it('selects its trials when it is written into the filter, and is found there again, whatever the values', () => {
    const value = fc.double({ min: 1e-6, max: 1e6, noNaN: true })
    const some = fc.array(value, { minLength: 2, maxLength: 20 }).filter((values) => new Set(values).size > 1) // the study varies it
    fc.assert(
      fc.property(some, (values) => {
        const trials = fixtureTrials().slice(0, values.length)
        const odd = pageOf(
          sectionOf(undefined, {
            trials: trials.map((trial, index) => ({
              ...trial,
              config: { ...trial.config, takeProfit: values[index] },
            })),
          }),
        )
        const column = levelColumn(odd.table, 'takeProfit')
        column.levels.forEach((level, place) => {
          const range = rangeOfLevel(level)
          const filter = withRanges(odd.table, '', [{ column: 'takeProfit', range }])
          const [min, max] = 'is' in range ? [range.is, range.is] : [range.min, range.max]
          expect(rangeIn(odd.table, filter, 'takeProfit')).toEqual({ min, max })
          const { mask } = select(odd.table, filter, odd.section.quote)
          const own = Array.from(column.of.keys()).filter((trial) => column.of[trial] === place)
          expect(own.every((trial) => mask[trial] === 1)).toBe(true)
        })
      }),
      { numRuns: 30 },
    )
  })
})

describe('the plateau', () => {
  const size = { width: 4, height: 2 }

  it('is what is joined to the best cell and loses at most a fifth of the way to the worst', () => {
    const values = [0, 90, 100, 10, 85, 0, 79, 95] // 95 is near the best, but not joined to it
    expect([...heatPlateau(size, values, 'maximize')]).toEqual([0, 1, 1, 0, 0, 0, 0, 0])
    expect([...heatPlateau(size, values.with(3, 81), 'maximize')]).toEqual([0, 1, 1, 1, 0, 0, 0, 1])
  })

  it('is around the lowest where less is better, and never over a cell without a trial', () => {
    expect([...heatPlateau(size, [9, 1, null, 1, 9, 9, 9, 9], 'minimize')]).toEqual([0, 1, 0, 0, 0, 0, 0, 0])
  })

  it('is nowhere where all cells are the same or there are only two', () => {
    expect([...heatPlateau(size, [5, 5, 5, 5, 5, 5, 5, 5], 'maximize')]).not.toContain(1)
    expect([...heatPlateau(size, [5, null, null, 7, null, null, null, null], 'maximize')]).not.toContain(1)
  })
})

describe('the cells that are shown', () => {
  const cellsOf = (mask: Uint8Array, tried: Int32Array, blanks: 'breaksLimit' | 'untried' | 'either') => {
    const grid = pairGrid(x, y, { scores, direction: 'maximize', mask })
    const view = { ...section, blanks, aggregate: 'mean' } as const
    const pair = { x, y, whole: { ...grid, count: tried } }
    const marked = { winner: cellOf(x, y, 0), opened: null, chosen: null }
    return shownCells(pair, { grid, classes: classesOf([{ x, y, whole: grid }], view), marked }, view)
  }
  const all = new Uint8Array(96).fill(1)
  const tried = pairGrid(x, y, { scores, direction: 'maximize', mask: null }).count

  it('tell a cell that the study leaves out from one of which nothing is selected', () => {
    const mask = all.map((_, trial) => (cellOf(x, y, trial) === 0 || cellOf(x, y, trial) === 1 ? 0 : 1))
    const [left, none] = cellsOf(mask, tried.with(0, 0), 'breaksLimit')
    expect([left.kind, left.label, left.tone]).toEqual(['blank', '–', null])
    expect(left.words).toBe('TP % 0.5, orders 2: left out by the study’s constraints')
    expect([none.kind, none.words]).toEqual(['unselected', 'TP % 1, orders 2: no trial selected'])
  })

  it('say in words what colour, outline and ring show', () => {
    const cells = cellsOf(all, tried, 'untried')
    const winner = cells[cellOf(x, y, 0) ?? -1]
    expect(winner.words).toMatch(/mean of Net profit [+−]\d+\.\d\d\sUSDT of 4 trials.*holds the best trial$/)
    const onPlateau = cells.filter(({ words }) => words.includes('on the plateau'))
    expect(onPlateau.length).toBeGreaterThan(0)
    expect(cells.filter(({ edges }) => edges.length > 0).every((cell) => onPlateau.includes(cell))).toBe(true)
  })

  it('are breaksLimit only where the whole grid has been tried', () => {
    const trials = fixtureTrials()
    const blanksOf = (input: StudyInput) => pageOf(input).section.blanks
    expect(blanksOf(sectionOf())).toBe('breaksLimit')
    const [first, ...rest] = trials
    expect(blanksOf(sectionOf(undefined, { trials: [failedTrial(first, 'no'), ...rest] }))).toBe('either')
  })
})

it('the matrix pairs the most important fields first, six at most', () => {
  const { importance } = readFacts(sectionOf())
  if (importance.kind !== 'found') throw new Error('the made-up trials tell what matters')
  expect(section.paired).toEqual(importance.parameters.map(({ field }) => field))
  const fields = ['investment', 'dcaTotalBudget', 'dcaInitialOrderSize', 'dcaMaxSafetyOrders', 'takeProfit'] as const
  const axes = [...fields, 'dcaVolumeScale' as const, 'stopLoss' as const].map((field) => ({ field, values: [1, 2] }))
  const study = fixtureStudy({ axes })
  expect(pageOf(sectionOf(study)).section.paired).toHaveLength(6)
})

describe('the point that a finger means', () => {
  const spot = fc.record({ x: fc.integer({ min: 0, max: 100 }), y: fc.integer({ min: 0, max: 100 }) })

  it('is the nearest in reach, a selected one before any other, and of equals the better ranked', () => {
    fc.assert(
      fc.property(fc.array(spot, { maxLength: 30 }), spot, fc.integer({ min: 0, max: 2 ** 30 }), (points, at, bits) => {
        const mask = Uint8Array.from(points, (_, index) => (bits >> index) & 1)
        const placed = { x: points.map((point) => point.x), y: points.map((point) => point.y) }
        const far = (index: number) => Math.hypot(placed.x[index] - at.x, placed.y[index] - at.y)
        const inReach = [...points.keys()].filter((index) => far(index) <= 22)
        const [wanted] = inReach.toSorted((a, b) => mask[b] - mask[a] || far(a) - far(b) || a - b)
        expect(nearestPoint(placed, at, { reach: 22, mask })).toBe(wanted ?? null)
      }),
    )
  })

  it('is never one that is not drawn', () => {
    const placed = { x: [Number.NaN], y: [5] }
    expect(nearestPoint(placed, { x: 5, y: 5 }, { reach: 22, mask: new Uint8Array([1]) })).toBeNull()
  })
})

describe('parallel coordinates', () => {
  const axes = parallelAxes(table, { ...section, metric: 'netProfit' })

  it('have an axis for every varied field and key metric, once, from its lowest value to its highest', () => {
    expect(axes.map(({ column }) => column)).toEqual([
      ...section.varied,
      ...['netProfit', 'usedCapital.average', 'maxDrawdownPercent', 'closedDeals'],
    ])
    for (const axis of axes) {
      const values = [...(table.values(axis.column) ?? [])]
      expect([axis.low, axis.high]).toEqual([Math.min(...values), Math.max(...values)])
      for (const value of values) expect(numberOnAxis(axis, axisAt(axis, value))).toBeCloseTo(value, 9)
    }
  })

  it('have no axis for a number that no trial has, and no point for one that a trial lacks', () => {
    const numbers = {
      count: 2,
      values: (name: string) => (name === 'takeProfit' ? Float64Array.of(1, Number.NaN) : undefined),
    }
    const only = parallelAxes(numbers, { varied: ['takeProfit'], metric: 'sharpe', quote: section.quote })
    expect(only.map(({ column }) => column)).toEqual(['takeProfit'])
    expect(linePoints(numbers, only, [0, 1])).toEqual([{ axis: 0, at: 0.5, trial: 0 }])
  })

  it('draw the first and evenly many of the others where there are too many', () => {
    fc.assert(
      fc.property(fc.uint8Array({ max: 1, maxLength: 300 }), fc.integer({ min: 1, max: 60 }), (mask, most) => {
        const places = [...mask.keys()].filter((place) => mask[place] === 1)
        const sample = evenSample(mask, most)
        expect(sample.length).toBe(Math.min(most, places.length))
        expect(sample.at(0)).toBe(places.at(0))
        const steps = sample.slice(1).map((place, index) => places.indexOf(place) - places.indexOf(sample[index]))
        if (steps.length > 0) expect(Math.max(...steps) - Math.min(...steps)).toBeLessThanOrEqual(1)
      }),
    )
  })
})

it('a tooltip names the trial, its rank, and its profit beside the capital that it used', () => {
  const lines = trialTooltip(table, section, 0).split('\n')
  expect(lines[0]).toBe(`${table.id(0)}, rank 1`)
  expect(lines.slice(1, 3).map((line) => line.split('\t')[0])).toEqual(['Net profit', 'Average used capital'])
  expect(lines.at(-1)).toMatch(/^TP %\t/)
  const where = [{ metric: 'maxDrawdownPercent', bounds: { max: 5 } }] as const
  const bounded = pageOf(sectionOf(fixtureStudy({ objective: { direction: 'maximize', metric: 'netProfit', where } })))
  expect(trialTooltip(bounded.table, bounded.section, 95)).toContain(', excluded by a limit of the study')
})

it('a legend says where a selection goes beyond the colours of all trials', () => {
  const classes = heatClasses([40, 140], 'higher')
  const texts = (low: number, high: number) =>
    classes.map((_, index) => classText(classes, { index, reach: { low, high }, decimals: 2 }))
  expect(texts(40, 140)).toEqual(['40 to 60', '60 to 80', '80 to 100', '100 to 120', '120 to 140'])
  expect(texts(30, 150)).toEqual(['40 to 60 and below', '60 to 80', '80 to 100', '100 to 120', '120 to 140 and above'])
})
