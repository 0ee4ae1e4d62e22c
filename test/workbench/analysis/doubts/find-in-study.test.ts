import { describe, expect, it } from 'vitest'
import { findStudyWarnings, surveyStudy } from '../../../../src/workbench/analysis/doubts/find-in-study.ts'
import { planTrials } from '../../../../src/workbench/study/trials.ts'
import { type Data, exampleConfig, exampleStudy, parseData } from '../../study/example.ts'

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

  it('warns of an axis that varies nothing', () => {
    expect(warningsOf(exampleStudy({ takeProfit: [1] }))).toMatchObject([
      { code: 'singleValueAxis', path: 'grid.takeProfit' },
    ])
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
    expect(warningsOf(withBase({}, { objective }))).toMatchObject([
      { code: 'periodTooShort', path: 'period', message: expect.stringContaining('sharpe, calmar') },
    ])
    const period = { from: '2021-04-01', to: '2021-05-01' }
    expect(warningsOf(withBase({}, { objective, period }))).toEqual([])
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

  it('sends a study that is too large to be run to the screen, and still doubts its ladders', () => {
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
