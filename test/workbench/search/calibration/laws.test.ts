/** What holds for every suspect, on made-up candles of which half are tall. */
import { beforeAll, describe, expect, it } from 'vitest'
import { generateCandles } from '../../../../src/candles/synthetic/generate.ts'
import { metricValue } from '../../../../src/contract/metrics.ts'
import { NO_SYMBOL_RULES } from '../../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../../src/engine/jump/prepared.ts'
import type { Calibrator } from '../../../../src/workbench/search/calibration/calibrator.ts'
import { drawCandidates } from '../../../../src/workbench/search/calibration/candidates.ts'
import { COMPARED } from '../../../../src/workbench/search/calibration/compared-metrics.ts'
import type { AssumedTerms, Trait } from '../../../../src/workbench/search/calibration/hypotheses.ts'
import { createPredictions } from '../../../../src/workbench/search/calibration/predictions.ts'
import { share } from '../../../support/share.ts'
import { calibratorAt, drawTruths, OWN, rulesAt, SPACE, serviceAt, uncover } from './hidden-service.ts'

const candles = generateCandles({
  seed: 12,
  interval: '15m',
  from: Date.UTC(2024, 0, 1),
  days: 30,
  annualVolatility: 1.5,
})
const bare = { candles, symbol: NO_SYMBOL_RULES }
const ruled = { candles, symbol: rulesAt(candles.open[0]) }

describe('each suspect’s own answers', () => {
  for (const [name, place] of Object.entries({ 'without symbol rules': bare, 'with tick and lot': ruled })) {
    it(`make it the best or a tie, at no distance, or, of one in thirty, a poor match, ${name}`, async () => {
      const calibrator = await calibratorAt(place)
      const truths = drawTruths(share({ usual: 1, long: 300 }), 5)
      let missed = 0
      for (const truth of truths) {
        const { explanation, isFound } = await uncover(calibrator, serviceAt(place, truth), truth)
        const { isPoor, residual } = explanation
        expect({ truth, isFound, isPoor }).toEqual({ truth, isFound: !isPoor, isPoor })
        if (isPoor) missed++
        else expect(residual).toBeLessThan(1e-9)
      }
      expect(missed).toBeLessThanOrEqual(truths.length / 30)
    })
  }
})

it('a prediction is what a backtest gives', async () => {
  const terms = { prepared: prepareCandles(candles), symbol: ruled.symbol, pause: async () => {} }
  const candidates = (await drawCandidates({ ...terms, space: SPACE, seed: 1 })).slice(0, 8)
  const truths = drawTruths(25, 8)
  const drawn = truths.map((_, number) => number)
  const predictions = createPredictions({ ...terms, hypotheses: truths })
  await predictions.compute(candidates, drawn)
  for (const suspect of drawn) {
    for (const config of candidates) {
      const metrics = serviceAt(ruled, truths[suspect])(config)
      if (metrics === null) throw new Error('a backtest has a result')
      for (const metric of COMPARED) {
        const [predicted, computed] = [predictions.of(config)(suspect, metric), metricValue(metrics, metric)]
        expect(predicted === null).toBe(computed === null)
        expect(Math.abs((predicted ?? 0) - (computed ?? 0))).toBeLessThanOrEqual(
          1e-9 * Math.max(1, Math.abs(computed ?? 0)),
        )
      }
    }
  }
})

describe('what no job can tell apart', () => {
  let calibrator: Calibrator
  beforeAll(async () => {
    calibrator = await calibratorAt(bare)
  })
  async function tiesUnder(change: {
    conventions?: Partial<AssumedTerms['conventions']>
    costs?: Partial<AssumedTerms['costs']>
  }) {
    const truth = {
      conventions: { ...OWN.conventions, ...change.conventions },
      costs: { ...OWN.costs, ...change.costs },
    }
    const { explanation } = await uncover(calibrator, serviceAt(bare, truth), truth)
    expect(explanation).toMatchObject({ isPoor: false, isSettled: true })
    return new Map<Trait, readonly (string | number)[]>(explanation.ties.map(({ trait, values }) => [trait, values]))
  }

  it('is how a lot is rounded where there is none', async () => {
    expect((await tiesUnder({})).get('lotRounding')).toEqual(['down', 'up'])
  })

  it('is what fees enter where there are none', async () => {
    const ties = await tiesUnder({ costs: { feePercent: 0 } })
    expect(ties.get('takeProfitBasis')).toEqual(['gross', 'net'])
    expect(ties.get('basePrice')).toEqual(['fill', 'fill-with-fee'])
    expect(ties.get('feePercent')).toBeUndefined()
  })

  it('is given to the study’s own value', async () => {
    const truth = { ...OWN, conventions: { ...OWN.conventions, lotRounding: 'up' } } as const
    const { explanation } = await uncover(calibrator, serviceAt(bare, truth), truth)
    expect(explanation.best).toEqual(OWN)
  })
})
