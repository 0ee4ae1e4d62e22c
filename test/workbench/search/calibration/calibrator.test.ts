import { beforeAll, describe, expect, it } from 'vitest'
import { generateCandles } from '../../../../src/candles/synthetic/generate.ts'
import { metricValue } from '../../../../src/contract/metrics.ts'
import { NO_SYMBOL_RULES } from '../../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../../src/engine/jump/prepared.ts'
import { type Calibrator, createCalibrator } from '../../../../src/workbench/search/calibration/calibrator.ts'
import type { AssumedTerms } from '../../../../src/workbench/search/calibration/hypotheses.ts'
import { metricsWith } from '../../../support/metrics.ts'
import {
  calibratorAt,
  interrogate,
  moveCandles,
  OWN,
  reporting,
  rulesAt,
  type Service,
  SPACE,
  serviceAt,
  uncover,
} from './hidden-service.ts'

const candles = generateCandles({
  seed: 12,
  interval: '15m',
  from: Date.UTC(2024, 0, 1),
  days: 30,
  annualVolatility: 1.5,
})
const place = { candles, symbol: NO_SYMBOL_RULES }
const truth: AssumedTerms = {
  conventions: {
    ...OWN.conventions,
    spacing: 'from-previous',
    takeProfitBasis: 'net',
    stopLossBasis: 'average',
    intrabar: 'optimistic',
  },
  costs: { feePercent: 0.075, slippagePercent: 0.05 },
}
const service = serviceAt(place, truth)

describe('a calibrator', () => {
  let calibrator: Calibrator
  beforeAll(async () => {
    calibrator = await calibratorAt(place)
  })

  it('tells of each value which job told it, and how near a set with another value comes', async () => {
    const { explanation, jobs } = await uncover(calibrator, service, truth)
    expect(explanation.jobs).toHaveLength(jobs)
    expect(explanation.sets).toBe(640)
    for (const { trait, decidedBy } of explanation.traits) {
      const isTied = explanation.ties.some((tie) => tie.trait === trait)
      expect({ trait, isAlike: decidedBy !== null }).toEqual({ trait, isAlike: !isTied })
      expect(decidedBy === null || decidedBy.service !== decidedBy.otherwise).toBe(true)
    }
    for (const { service: said, predicted } of explanation.jobs) {
      expect(Object.keys(said)).toEqual(Object.keys(predicted))
      expect(predicted.netProfit).toBeCloseTo(said.netProfit ?? Number.NaN, 6)
    }
  })

  it('asks the same when it is asked again', async () => {
    const answers = await interrogate(calibrator, service)
    expect(await interrogate(calibrator, service)).toEqual(answers)
    expect(await calibrator.nextTest(answers)).toBeNull()
  })

  it('asks something else after a job that failed, and concludes from the others', async () => {
    const first = await calibrator.nextTest([])
    if (first === null) throw new Error('nothing is asked')
    const failed = { trial: 'failed', config: first, metrics: null }
    const second = await calibrator.nextTest([failed])
    expect(second).not.toBeNull()
    expect(second).not.toEqual(first)
    const failing: Service = (config) => (config.takeProfit === first.takeProfit ? null : service(config))
    const { explanation, isFound } = await uncover(calibrator, failing, truth)
    expect({ isFound, isPoor: explanation.isPoor }).toEqual({ isFound: true, isPoor: false })
  })

  it('ends after six jobs that all failed, and concludes nothing', async () => {
    const answers = await interrogate(calibrator, () => null)
    expect(answers).toHaveLength(6)
    expect(await calibrator.conclude(answers)).toBeNull()
  })

  it('ends after one job of a service that states no profit', async () => {
    const answers = await interrogate(calibrator, reporting(service, ['feesPaid', 'closedDeals']))
    expect(answers).toHaveLength(1)
    expect(await calibrator.conclude(answers)).toBeNull()
  })

  it('takes profits that are cut off at a decimal as well as rounded ones', async () => {
    const cutOff: Service = (config) => {
      const metrics = service(config)
      if (metrics === null) return null
      return { ...idleNumbers(), netProfit: Math.trunc(100 * (metricValue(metrics, 'netProfit') ?? 0)) / 100 }
    }
    const { explanation, isRight } = await uncover(calibrator, cutOff, truth)
    expect({ isRight, isPoor: explanation.isPoor }).toEqual({ isRight: true, isPoor: false })
  })

  it('sets a metric aside by which the service means something else, when its profits agree', async () => {
    const otherDrawdown: Service = (config) => {
      const metrics = service(config)
      return metrics === null ? null : { ...metrics, maxDrawdownPercent: metrics.maxDrawdownLowPercent }
    }
    const { explanation, isFound } = await uncover(calibrator, otherDrawdown, truth)
    expect({ isFound, isPoor: explanation.isPoor, setAside: explanation.setAside }).toEqual({
      isFound: true,
      isPoor: false,
      setAside: ['maxDrawdownPercent'],
    })
  })

  it('sets even net profit aside where realized profit agrees: a service may leave the open deal out', async () => {
    const withoutOpenDeal: Service = (config) => {
      const metrics = service(config)
      return metrics === null
        ? null
        : { ...metrics, netProfit: metrics.realizedProfit, roiPercent: metrics.realizedProfit }
    }
    const { explanation, isRight } = await uncover(calibrator, withoutOpenDeal, truth)
    expect({ isRight, isPoor: explanation.isPoor }).toEqual({ isRight: true, isPoor: false })
    expect(explanation.setAside).toContain('netProfit')
  })

  it('says what the nearest set leaves where the candles are others', async () => {
    const elsewhere = serviceAt({ ...place, candles: moveCandles(candles, 4) }, truth)
    const { explanation, jobs } = await uncover(calibrator, elsewhere, truth)
    expect(jobs).toBeLessThanOrEqual(6)
    expect(explanation.isPoor).toBe(true)
    expect(explanation.residual).toBeGreaterThan(1e-4)
  })

  it.each([
    { feePercent: 0.15, slippagePercent: 0.1 },
    { feePercent: 0.03, slippagePercent: 0 },
    { feePercent: 0.2719, slippagePercent: 0.0333 },
  ])('finds costs that no list has: %o', async (costs) => {
    const { explanation, isFound } = await uncover(calibrator, serviceAt(place, { ...truth, costs }), {
      ...truth,
      costs,
    })
    expect(isFound).toBe(true)
    expect(explanation.best.costs).toEqual(costs)
  })

  it('says what a service that fills optimistically counts, and what worst-case fills leave of it', async () => {
    const { explanation } = await uncover(calibrator, service, truth)
    const { trial, service: counted, worstCase } = explanation.fills ?? {}
    const { config } = (await interrogate(calibrator, service)).find((answer) => answer.trial === trial) ?? {}
    if (config === undefined) throw new Error('it is one of the jobs')
    const cautious = { ...truth, conventions: { ...truth.conventions, intrabar: 'pessimistic' } } as const
    expect(counted).toBeCloseTo(service(config)?.netProfit ?? Number.NaN, 6)
    expect(worstCase).toBeCloseTo(serviceAt(place, cautious)(config)?.netProfit ?? Number.NaN, 6)
    const worst = await uncover(calibrator, serviceAt(place, cautious), cautious)
    expect(worst.explanation.fills).toBeNull()
  })

  it('calls nothing found from answers too few to tell', async () => {
    const answers = (await interrogate(calibrator, service)).slice(0, 3)
    expect(await calibrator.conclude(answers)).toMatchObject({ isPoor: true })
  })

  it('stops in the middle of its work when the pause says so', async () => {
    let pauses = 0
    const stopping = createCalibrator({
      space: SPACE,
      own: OWN,
      prepared: prepareCandles(candles),
      symbol: rulesAt(candles.open[0]),
      seed: 1,
      pause: async () => {
        pauses++
        if (pauses > 3) throw new Error('interrupted')
      },
    })
    await expect(stopping).rejects.toThrow('interrupted')
  })

  function idleNumbers() {
    return metricsWith(() => null)
  }
})
