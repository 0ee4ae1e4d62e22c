import { beforeAll, describe, expect, it } from 'vitest'
import { generateCandles } from '../../../src/candles/synthetic/generate.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { Calibrator } from '../../../src/workbench/search/calibration/calibrator.ts'
import type { Explanation } from '../../../src/workbench/search/calibration/explain.ts'
import { answersOf, createCalibrationSearch } from '../../../src/workbench/search/searches.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { Proposal, TestedProposal } from '../../../src/workbench/study/proposals.ts'
import { calibratorAt, OWN, type Service, serviceAt } from './calibration/hidden-service.ts'
import { MARKETS } from './scripted.ts'

const candles = generateCandles({ seed: 12, interval: '15m', from: Date.UTC(2024, 0, 1), days: 30 })
const place = { candles, symbol: NO_SYMBOL_RULES }
const truth = { ...OWN, costs: { feePercent: 0.2, slippagePercent: 0 } }

function told(proposal: Proposal, batch: number, service: Service): TestedProposal {
  const metrics = service(proposal.config)
  const trial = configFingerprint(proposal.config)
  const state = metrics === null ? ('failed' as const) : ('done' as const)
  return { ...proposal, batch, results: [{ market: MARKETS[0], trial, state, metrics, stated: null }] }
}

interface Followed {
  readonly history: readonly TestedProposal[]
  readonly concluded: readonly (Explanation | null)[]
}

function searchBy(calibrator: Calibrator, concluded: (Explanation | null)[] = []) {
  return createCalibrationSearch({
    market: MARKETS[0],
    openCalibrator: async () => calibrator,
    onConcluded: async (explanation) => {
      concluded.push(explanation)
    },
  })
}

async function follow(calibrator: Calibrator, service: Service): Promise<Followed> {
  const concluded: (Explanation | null)[] = []
  const search = searchBy(calibrator, concluded)
  const history: TestedProposal[] = []
  for (;;) {
    const advice = await search.propose(history)
    if (advice.kind === 'end') {
      expect(advice.stoppedBy).toBeNull()
      return { history, concluded }
    }
    history.push(...advice.proposals.map((proposal) => told(proposal, history.length + 1, service)))
  }
}

describe('the calibrator as a search', () => {
  let calibrator: Calibrator
  beforeAll(async () => {
    calibrator = await calibratorAt(place)
  })

  it('proposes one test after another on one market, each with its reason, and ends', async () => {
    const { history, concluded } = await follow(calibrator, serviceAt(place, truth))
    expect(history.length).toBeGreaterThan(0)
    expect(history.map(({ role, reason, markets }) => ({ role, reason, markets }))).toEqual(
      history.map((_, at) => ({ role: 'test', reason: `test ${at + 1}`, markets: [MARKETS[0]] })),
    )
    expect(concluded.map((explanation) => explanation?.best.costs)).toEqual([truth.costs])
    expect(concluded).toEqual([await calibrator.conclude(answersOf(history))])
  })

  it('goes on after a restart as if there had been none, whatever else the history holds', async () => {
    const { history } = await follow(calibrator, serviceAt(place, truth))
    const sample = { ...history[0], role: 'sample' as const, reason: 'sample 1' }
    const anew = searchBy(await calibratorAt(place))
    expect(await anew.propose([])).toMatchObject({ proposals: [{ config: history[0].config, reason: 'test 1' }] })
    expect(await anew.propose([sample, ...history])).toEqual({ kind: 'end', stoppedBy: null })
    expect((await follow(calibrator, () => null)).concluded).toEqual([null])
    expect(anew.describe(history).lines).toEqual([
      `${history.length} test backtests done: working out the service’s fees and fill rules`,
    ])
  })
})
