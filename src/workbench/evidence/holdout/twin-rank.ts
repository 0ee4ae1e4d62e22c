/**
 * Where a result on the hold-out stands among what the twin computes on the same span: for the study's grid, or, where that is larger than
 * `MOST_POINTS` or continuous, for Sobol points of its space. Values of the two are compared as they are; how far they lie apart on the
 * same configuration is said beside it.
 */

import { findSymbolRules, loadCandles } from '../../../candles/folder/folder.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type Market, marketName } from '../../../contract/market.ts'
import { prepareCandles } from '../../../engine/jump/prepared.ts'
import { Failure } from '../../../errors.ts'
import type { Clock } from '../../../system.ts'
import { percentileAmong } from '../../analysis/percentile-among.ts'
import { depthOf } from '../../screen/measures.ts'
import { createSimulation } from '../../screen/simulate.ts'
import { drawConfigs } from '../../search/draw-configs.ts'
import { countPoints, createGrid } from '../../study/grid.ts'
import type { Period, Study } from '../../study/study.ts'

/** Points of a grid that is screened whole. */
const MOST_POINTS = 100_000
/** Points drawn from a larger space. */
const DRAWN_POINTS = 2_000
/** Configurations between two looks at the signal. */
const AT_ONCE = 250

export interface TwinSpan {
  readonly study: Study
  readonly span: Period
  readonly market: Market
  readonly candlesFolder: string
}

export interface TwinField {
  /** What was computed: every point of the grid, or drawn ones. */
  readonly points: 'grid' | 'sobol'
  /** Of them, those with a value of the objective. */
  readonly n: number
  /** In percent of those with a value that `value` is better than, ties half; null without any. */
  percentileOf(value: number): number | null
  /** Net profit of a configuration, in quote. */
  netProfitOf(config: DcaSpotConfig): number | null
}

/** The field on one market, or why there is none: the candles are not here. @throws the signal's reason */
export async function screenSpan(
  { study, span, market, candlesFolder }: TwinSpan,
  {
    clock,
    signal,
    tell,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly tell: (text: string) => void },
): Promise<TwinField | { readonly missing: string }> {
  const loaded = findCandles({ study, span, market, candlesFolder })
  if ('missing' in loaded) return loaded
  const { objective } = study
  const onSpan = { ...study, markets: [market], period: span }
  const prepared = prepareCandles(loaded.candles)
  const portions = { order: onSpan.axes, size: AT_ONCE }
  const symbol = findSymbolRules(candlesFolder, marketName(market))
  const simulation = createSimulation({ portions, prepared, symbol }, study, [objective.metric])
  const { points, configs } = pointsOf(onSpan)
  const depth = depthOf(objective.metric)
  const values: number[] = []
  for (let from = 0; from < configs.length; from += AT_ONCE) {
    const { verdicts } = simulation.evaluate(configs.slice(from, from + AT_ONCE), depth, (read) =>
      read(objective.metric),
    )
    values.push(...verdicts.filter((value) => value !== null))
    tell(`${Math.min(from + AT_ONCE, configs.length)} of ${configs.length} on ${marketName(market)}`)
    await clock.sleep(0, signal) // lets an interrupt take effect
  }
  return {
    points,
    n: values.length,
    percentileOf: (value) => percentileAmong(values, value, objective),
    netProfitOf: (config) => simulation.metricOf(config, 'netProfit'),
  }
}

function findCandles({ study, span, market, candlesFolder }: TwinSpan) {
  const { interval } = study
  try {
    return loadCandles(candlesFolder, {
      market: marketName(market),
      ...span,
      ...(interval === null ? {} : { interval }),
    })
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    return { missing: error.message }
  }
}

function pointsOf(study: Study): { readonly points: TwinField['points']; readonly configs: readonly DcaSpotConfig[] } {
  const isContinuous = study.axes.some(({ continuous }) => continuous !== undefined)
  if (isContinuous || countPoints(study) > MOST_POINTS) {
    const seed = 'seed' in study.search ? study.search.seed : 1
    const { configs } = drawConfigs(study, { by: 'sobol', count: DRAWN_POINTS, seed })
    return { points: 'sobol', configs: configs.map(({ config }) => config) }
  }
  const grid = createGrid(study)
  const configs = [...grid.walk(0, grid.points)].flatMap(({ config, fate }) => (fate === 'trial' ? [config] : []))
  return { points: 'grid', configs }
}
