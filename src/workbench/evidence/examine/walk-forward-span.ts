/** All configurations on one span of every market, by the sweep of the screen. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { type Candles, sliceCandles } from '../../../engine/candles.ts'
import type { Conventions, Costs } from '../../../engine/conventions.ts'
import { createMemory } from '../../../engine/jump/memory.ts'
import { type PreparedCandles, prepareCandles } from '../../../engine/jump/prepared.ts'
import { type Appraisal, appraiseAcross, createAppraiser, type MarketAppraisal } from '../../screen/appraise.ts'
import type { Depth } from '../../screen/measures.ts'
import type { ScreenedMarket } from '../../screen/messages.ts'
import { createSimulation, type Simulation } from '../../screen/simulate.ts'
import { decidingMetrics } from '../../study/objective.ts'
import type { Objective, Period } from '../../study/study.ts'
import type { PriceMove } from './walk-forward-result.ts'

export interface FoldTerms {
  readonly conventions: Conventions
  readonly costs: Costs
}

/** A market on which spans are looked at, one after the other. */
export interface CutMarket {
  /** `exchange/BASE-QUOTE`. */
  readonly name: string
  moveOn(span: Period): PriceMove | null
  /** What computes on the span under some terms; valid until another span of the market is asked for. */
  openSpan(span: Period): (terms: FoldTerms) => Simulation
}

/** Configurations of one sweep; between two of them an interrupt takes effect. */
const AT_ONCE = 2048

/** Every span of a market is prepared in one memory, which is only reserved once. */
export function cutMarket({ market, prepared: whole, symbol }: ScreenedMarket, objective: Objective): CutMarket {
  const { memory } = createMemory(0)
  const candles: Candles = { ...whole, volume: new Float64Array(0) } // the engine looks at no volume
  const cut = ({ from, to }: Period) => sliceCandles(candles, from, to)
  return { name: marketName(market), moveOn, openSpan }

  function moveOn(span: Period): PriceMove | null {
    const { open, close } = cut(span)
    if (open.length === 0) return null
    const first = open[0]
    const last = close[close.length - 1]
    const direction = last > first ? 'rose' : last < first ? 'fell' : 'flat'
    return { direction, percent: 100 * (last / first - 1) }
  }

  function openSpan(span: Period): (terms: FoldTerms) => Simulation {
    const prepared: PreparedCandles = prepareCandles(cut(span), memory)
    const portions = { order: [], size: AT_ONCE }
    return (terms) => createSimulation({ portions, prepared, symbol }, terms, decidingMetrics(objective))
  }
}

export interface SpanAppraising {
  /** One for each market. */
  readonly simulations: readonly Simulation[]
  readonly configs: readonly DcaSpotConfig[]
  readonly objective: Objective
  readonly depth: Depth
  /** Lets an interrupt take effect. */
  readonly pause: () => Promise<void>
}

/** What the configurations come to on all markets together, one each, in their order; higher values are better. */
export async function appraiseConfigs({
  simulations,
  configs,
  objective,
  depth,
  pause,
}: SpanAppraising): Promise<readonly Appraisal[]> {
  const appraise = createAppraiser(objective, depth)
  const onMarkets: MarketAppraisal[][] = []
  for (const simulation of simulations) {
    const appraisals: MarketAppraisal[] = []
    for (let from = 0; from < configs.length; from += AT_ONCE) {
      await pause()
      appraisals.push(...simulation.evaluate(configs.slice(from, from + AT_ONCE), depth, appraise).verdicts)
    }
    onMarkets.push(appraisals)
  }
  return appraiseAcross(onMarkets, objective)
}
