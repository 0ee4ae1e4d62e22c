import { describe, expect, it } from 'vitest'
import { findStudyWarnings, surveyStudy } from '../../../../src/workbench/analysis/warnings/find-in-study.ts'
import { planTrials } from '../../../../src/workbench/study/parse.ts'
import { type Data, exampleConfig, parseData, exampleStudy as shortStudy } from '../../study/example.ts'

/** Long enough that nothing is said of its length. */
const PERIOD = { from: '2021-04-01', to: '2021-05-19' }

function exampleStudy(grid: Parameters<typeof shortStudy>[0], changes: Parameters<typeof shortStudy>[1] = {}) {
  return shortStudy(grid, { period: PERIOD, ...changes })
}

function warningsOf(data: Data) {
  const study = parseData(data)
  return findStudyWarnings(study, planTrials(study))
}

/** A study of two take profits with the example's constants changed. */
function withBase(changes: Readonly<Record<string, number>>, more: { readonly [key: string]: Data } = {}) {
  const { takeProfit, ...base } = exampleConfig
  return exampleStudy({ takeProfit: [1, 2] }, { base: { ...base, ...changes }, ...more })
}

describe('the check of a study', () => {
  it('has nothing to say of an ordinary study', () => {
    expect(warningsOf(exampleStudy({ takeProfit: [1, 2] }))).toEqual([])
  })

  it('warns of safety orders below nothing', () => {
    const ladder = { dcaPriceScalePercent: 10, dcaPriceStepMultiplier: 2, dcaVolumeScale: 1 }
    const [warning] = warningsOf(withBase(ladder))
    expect(warning).toMatchObject({ code: 'depthOver100', path: 'base.dcaPriceScalePercent' })
    expect(warning.message).toMatch(/^2 of 2 trials: /)
  })

  it('counts the trials whose stop cuts their ladder, and names the axis', () => {
    const [warning] = warningsOf(exampleStudy({ stopLoss: [0, 2, 5, 50] }))
    expect(warning).toMatchObject({ code: 'cutByStop', path: 'grid.stopLoss' })
    expect(warning.message).toMatch(/^2 of 4 trials: /)
  })

  it('warns of a ladder that the budget cuts, and of a budget that the bot does not have', () => {
    expect(warningsOf(withBase({ dcaTotalBudget: 100 }))).toMatchObject([
      { code: 'overBudget', path: 'base.dcaTotalBudget' },
    ])
    expect(warningsOf(withBase({ dcaTotalBudget: 5000 }))).toMatchObject([{ code: 'overInvestment' }])
    expect(warningsOf(withBase({ investment: 100 })).map(({ code }) => code)).toEqual(['overBudget', 'overInvestment'])
  })

  it('warns of a bot that never trades, even when its base order fits without the fee', () => {
    expect(warningsOf(withBase({ dcaInitialOrderSize: 1000 }))).toMatchObject([
      { code: 'neverTrades', path: 'base.dcaInitialOrderSize' },
    ])
  })

  it('warns of a take profit that does not pay both fees, unless it is meant net', () => {
    const grid = { takeProfit: [0.2, 0.21, 1] }
    const [warning, ...others] = warningsOf(exampleStudy(grid))
    expect(others).toEqual([])
    expect(warning).toMatchObject({ code: 'takeProfitBelowFees', path: 'grid.takeProfit' })
    expect(warning.message).toMatch(/^1 of 3 trials: /)
    expect(warningsOf(exampleStudy(grid, { conventions: { takeProfitBasis: 'net' } }))).toEqual([])
    expect(warningsOf(exampleStudy(grid, { costs: { feePercent: 0 } }))).toEqual([])
  })

  it('warns when no point of the grid is inside the bounds', () => {
    expect(warningsOf(withBase({}, { where: { ladderCost: { max: 1 } } }))).toMatchObject([
      { code: 'noTrials', path: 'where' },
    ])
  })

  it('warns of an objective that prefers the worse', () => {
    expect(warningsOf(withBase({}, { objective: { maximize: 'maxDrawdownPercent' } }))).toMatchObject([
      { code: 'objectiveDirection', path: 'objective.maximize' },
    ])
    expect(warningsOf(withBase({}, { objective: { minimize: 'orders' } }))).toEqual([])
  })

  it('warns of metrics that a short period leaves undefined', () => {
    const objective = { maximize: 'sharpe', where: { calmar: { min: 1 } } }
    const weeks = { from: '2021-04-21', to: '2021-05-19' }
    expect(warningsOf(withBase({}, { objective, period: weeks }))).toMatchObject([
      { code: 'periodTooShort', path: 'period', message: expect.stringContaining('sharpe, calmar') },
    ])
    const period = { from: '2021-04-01', to: '2021-05-01' }
    expect(warningsOf(withBase({}, { objective, period }))).toEqual([])
  })

  it('says once that a period is short, where nothing is held out', () => {
    const days = (to: string, more: { readonly [key: string]: Data } = {}) =>
      warningsOf(withBase({}, { period: { from: '2021-01-01', to }, ...more })).map(({ code, message }) => [
        code,
        message,
      ])
    expect(days('2021-01-30')).toEqual([['shortPeriod', expect.stringContaining('29 days are too few')]])
    expect(days('2021-01-31')).toEqual([])
    const validate = { holdout: '10d' }
    expect(days('2021-01-20', { validate })).toEqual([])
    expect(days('2021-01-20', { validate, objective: { maximize: 'sharpe' } })).toEqual([
      ['periodTooShort', expect.any(String)],
    ])
  })

  it('asks whether a ratio was written where percent are read', () => {
    const asked = (grid: Parameters<typeof shortStudy>[0], more: { readonly [key: string]: Data } = {}) =>
      warningsOf(exampleStudy(grid, more)).flatMap(({ code, message, path }) =>
        code === 'ratioForPercent' ? [`${path}: ${message}`] : [],
      )
    expect(asked({ takeProfit: [0.02, 2] })).toEqual([
      'grid.takeProfit: takeProfit 0.02 is below the fees; did you mean 2?',
    ])
    expect(asked({ takeProfit: [0.02, 0.07, 0.1, 0.11] })).toEqual([
      'grid.takeProfit: takeProfit 0.02, 0.07, 0.1 are below the fees; did you mean 2, 7, 10?',
    ])
    expect(asked({ takeProfit: [0.02, 2] }, { costs: { feePercent: 0 } })).toEqual([
      'grid.takeProfit: takeProfit 0.02 is less than the noise of a price; did you mean 2?',
    ])
    expect(asked({ stopLoss: [0, 0.1, 5] })).toEqual([
      'grid.stopLoss: stopLoss 0.1 is less than the noise of a price; did you mean 10?',
    ])
    const { dcaVolumeScale: _, ...base } = { ...exampleConfig, takeProfit: 0.05 }
    expect(asked({ dcaVolumeScale: [1, 2] }, { base })).toEqual([
      'base.takeProfit: takeProfit 0.05 is below the fees; did you mean 5?',
    ])
    expect(asked({ stopLoss: [0, 0.11], takeProfit: [0.11] })).toEqual([])
  })
})

describe('the survey of a study', () => {
  const count = (takeProfits: number) => ({ from: 0.5, to: 5, count: takeProfits })

  it('counts and warns as the plan of its trials does', () => {
    const study = parseData(
      exampleStudy(
        { stopLoss: [0, 2, 50], dcaMaxSafetyOrders: [0, 3, 8], dcaVolumeScale: [1, 2] },
        { where: { ladderCost: { max: 800 } } },
      ),
    )
    const { trials, configs, ...plan } = planTrials(study)
    expect(configs).toBe(trials.length)
    expect(surveyStudy(study)).toEqual({
      ...plan,
      distinct: trials.length,
      tooManyToRun: false,
      warnings: findStudyWarnings(study, { ...plan, configs, trials }),
    })
  })

  it('looks at one of the trials that differ in their take profit alone, and counts all of them, under every convention', () => {
    const bases = ['net', 'gross'].flatMap((takeProfitBasis) =>
      ['fill', 'fill-with-fee'].flatMap((basePrice) =>
        ['base-price', 'average'].map((stopLossBasis) => ({ takeProfitBasis, basePrice, stopLossBasis })),
      ),
    )
    for (const conventions of bases) {
      const grid = {
        takeProfit: [0.05, 0.15, 0.2, 0.21, 3, 40],
        stopLoss: [0, 2, 50],
        dcaMaxSafetyOrders: [0, 1, 8],
        dcaPriceScalePercent: [1, 20],
        dcaInitialOrderSize: [20, 5000],
      }
      const study = parseData(exampleStudy(grid, { conventions, where: { ladderDepthPercent: { max: 60 } } }))
      const { trials, configs, ...plan } = planTrials(study)
      const warnings = findStudyWarnings(study, { ...plan, configs, trials })
      expect(warnings.map(({ code }) => code)).toEqual(expect.arrayContaining(['neverTrades', 'cutByStop']))
      expect(warnings.some(({ code }) => code === 'takeProfitBelowFees')).toBe(conventions.takeProfitBasis === 'gross')
      expect(surveyStudy(study)).toEqual({ ...plan, distinct: trials.length, tooManyToRun: false, warnings })
    }
  })

  it('tells now and then how far it has counted, takes profits included', () => {
    const study = parseData(
      exampleStudy({
        takeProfit: [1, 2],
        dcaTotalBudget: { from: 500, to: 999, step: 1 },
        stopLoss: { from: 0, to: 50, step: 0.1 },
      }),
    )
    const told: number[] = []
    expect(surveyStudy(study, (done) => told.push(done))).toMatchObject({ grid: 501_000, distinct: 501_000 })
    expect(told).toEqual([0, 2 ** 18])
  })

  it('sends a study that is too large to be run to the screen, and still warns of its ladders', () => {
    const study = parseData(exampleStudy({ takeProfit: count(2001), stopLoss: [0, 1, 2, 3, 50] }))
    const survey = surveyStudy(study)
    expect(survey).toMatchObject({ grid: 10_005, distinct: 10_005, tooManyToRun: true })
    expect(survey.warnings.map(({ code }) => code)).toEqual(['forScreening', 'cutByStop'])
    expect(survey.warnings[0].message).toContain('dcalab screen')
    expect(surveyStudy(parseData(exampleStudy({ takeProfit: count(2000), stopLoss: [0, 1, 2, 3, 50] })))).toMatchObject(
      {
        tooManyToRun: false,
      },
    )
  })
})
