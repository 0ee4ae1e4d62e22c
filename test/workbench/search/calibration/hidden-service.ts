/** Services that compute by a set of conventions and costs that they do not tell, and a calibration who asks them. */
import type { DcaSpotConfig } from '../../../../src/contract/bot.ts'
import { type MetricName, type MetricsAsRead, metricValue } from '../../../../src/contract/metrics.ts'
import type { Candles } from '../../../../src/engine/candles.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS, type SymbolRules } from '../../../../src/engine/conventions.ts'
import { runJump } from '../../../../src/engine/jump/jump.ts'
import { type PreparedCandles, prepareCandles } from '../../../../src/engine/jump/prepared.ts'
import { createRandom } from '../../../../src/engine/random.ts'
import { type Calibrator, createCalibrator } from '../../../../src/workbench/search/calibration/calibrator.ts'
import type { Explanation, TestAnswer } from '../../../../src/workbench/search/calibration/explain.ts'
import {
  type AssumedTerms,
  listSets,
  TRAITS,
  traitOf,
} from '../../../../src/workbench/search/calibration/hypotheses.ts'
import { type ConfigSpace, drawConfigs } from '../../../../src/workbench/search/draw-configs.ts'
import { configFingerprint } from '../../../../src/workbench/study/fingerprint.ts'
import { metricsWith } from '../../../support/metrics.ts'
import { plainStudy } from '../../../support/plain-study.ts'

export const OWN: AssumedTerms = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS }

/** An ordinary grid: 144 points of a ladder that 1,000 pay for. */
export const SPACE: ConfigSpace = plainStudy({
  base: {
    investment: 1000,
    leverage: 1,
    dcaTotalBudget: 1000,
    dcaInitialOrderSize: 25,
    dcaPriceStepMultiplier: 1.1,
  },
  axes: [
    { field: 'dcaMaxSafetyOrders', values: [4, 6, 8] },
    { field: 'dcaPriceScalePercent', values: [1, 1.5, 2, 2.5] },
    { field: 'dcaVolumeScale', values: [1.2, 1.4] },
    { field: 'takeProfit', values: [1, 2, 3] },
    { field: 'stopLoss', values: [0, 11] },
  ],
  ...OWN,
})

export interface Place {
  readonly candles: Candles
  readonly symbol: SymbolRules
}

export function calibratorAt({ candles, symbol }: Place, seed = 1): Promise<Calibrator> {
  return createCalibrator({
    space: SPACE,
    own: OWN,
    prepared: preparedOf(candles),
    symbol,
    seed,
    pause: async () => {},
  })
}

export type Service = (config: DcaSpotConfig) => MetricsAsRead | null

const prepared = new WeakMap<Candles, PreparedCandles>()

function preparedOf(candles: Candles): PreparedCandles {
  const known = prepared.get(candles) ?? prepareCandles(candles)
  prepared.set(candles, known)
  return known
}

/** Whole backtests under the truth, one at a time. */
export function serviceAt({ candles, symbol }: Place, truth: AssumedTerms): Service {
  return (config) => runJump({ candles, config, ...truth, symbol }, preparedOf(candles)).metrics
}

/** The service reports only these metrics. */
export function reporting(service: Service, names: readonly MetricName[]): Service {
  return changing(service, (value, name) => (names.includes(name) ? value : null))
}

/** The service reports only net profit, to two decimals. */
export function roundedProfit(service: Service): Service {
  return changing(reporting(service, ['netProfit']), (value) => (value === null ? null : Math.round(100 * value) / 100))
}

function changing(service: Service, change: (value: number | null, name: MetricName) => number | null): Service {
  return (config) => {
    const metrics = service(config)
    return metrics === null ? null : metricsWith((name) => change(metricValue(metrics, name), name))
  }
}

/** One candle in `every`, drawn, is moved as a whole by at most `most` (0.01 = 1 %), up or down. */
export function moveCandles(candles: Candles, seed: number, { every = 100, most = 0.01 } = {}): Candles {
  const { uniform } = createRandom(seed)
  const moved = {
    ...candles,
    open: candles.open.slice(),
    high: candles.high.slice(),
    low: candles.low.slice(),
    close: candles.close.slice(),
  }
  for (let i = 0; i < moved.close.length; i++) {
    if (uniform() * every >= 1) continue
    const factor = 1 + most * (2 * uniform() - 1)
    for (const column of [moved.open, moved.high, moved.low, moved.close]) column[i] *= factor
  }
  return moved
}

/** Asks until calibration has no question left. */
export async function interrogate(calibrator: Calibrator, service: Service): Promise<readonly TestAnswer[]> {
  const answers: TestAnswer[] = []
  for (;;) {
    const config = await calibrator.nextTest(answers)
    if (config === null) return answers
    answers.push({ trial: configFingerprint(config), config, metrics: service(config) })
  }
}

export interface Verdict {
  readonly explanation: Explanation
  readonly jobs: number
  /** The truth is the best or ties with it, in every trait: fee and slippage to 0.005. */
  readonly isRight: boolean
  /** Right and called so, and no other test backtest would tell its ties apart. */
  readonly isFound: boolean
}

export async function uncover(calibrator: Calibrator, service: Service, truth: AssumedTerms): Promise<Verdict> {
  const answers = await interrogate(calibrator, service)
  const explanation = await calibrator.conclude(answers)
  if (explanation === null) throw new Error('the service told nothing')
  const { best, ties, isSettled, isPoor } = explanation
  const isRight = TRAITS.every((trait) => {
    const open = ties.find((tie) => tie.trait === trait)?.values ?? [traitOf(best, trait)]
    return open.some((value) => isAlike(value, traitOf(truth, trait)))
  })
  return { explanation, jobs: answers.length, isRight, isFound: isRight && isSettled && !isPoor }
}

function isAlike(one: string | number, other: string | number): boolean {
  return typeof one === 'number' && typeof other === 'number' ? Math.abs(one - other) <= 0.005 : one === other
}

/** Of configs of the grid that nobody asked about: how many the best set predicts with the net profit and the deals of the truth. */
export function countPredicted(
  place: Place,
  { best, truth, configs }: { best: AssumedTerms; truth: AssumedTerms; configs: number },
) {
  const [ours, theirs] = [serviceAt(place, best), serviceAt(place, truth)]
  return drawConfigs(SPACE, { by: 'random', count: configs, seed: 99 }).configs.filter(({ config }) => {
    const [one, other] = [ours(config), theirs(config)]
    if (one === null || other === null) return false
    return Math.abs((one.netProfit ?? 0) - (other.netProfit ?? 0)) < 1e-6 && one.closedDeals === other.closedDeals
  }).length
}

/** Percent: what a hidden service may cost. */
const DEAREST = { feePercent: 0.5, slippagePercent: 0.2 }

/** Conventions, and costs of any size, drawn by a seed. */
export function drawTruths(count: number, seed: number): readonly AssumedTerms[] {
  const { uniform } = createRandom(seed)
  const sets = listSets(OWN)
  return Array.from({ length: count }, () => ({
    conventions: sets[Math.floor(uniform() * sets.length)],
    costs: {
      feePercent: DEAREST.feePercent * uniform(),
      slippagePercent: DEAREST.slippagePercent * uniform(),
    },
  }))
}

/** What a symbol at this price might have: a lot of about 2 quote, a tick of a millionth. */
export function rulesAt(price: number): SymbolRules {
  const round = (value: number) => Number(value.toPrecision(1))
  return { tick: round(price * 1e-6), lot: round(2 / price), minNotional: 5 }
}
