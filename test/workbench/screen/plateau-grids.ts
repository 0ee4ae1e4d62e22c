/** Random grids with made-up results: values whose means are whole numbers, so that they are the same in whatever order they are added up. */
import type { ConfigField, DcaSpotConfig } from '../../../src/contract/bot.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { type Appraisal, appraiseAcross } from '../../../src/workbench/screen/appraise.ts'
import type { ScreenSetting } from '../../../src/workbench/screen/messages.ts'
import { nameConfigs } from '../../../src/workbench/screen/name-configs.ts'
import { createPointColumns, noteLookedAt, writePoint } from '../../../src/workbench/screen/point-columns.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { createGrid } from '../../../src/workbench/study/grid.ts'
import { type Axis, REDUCERS, type Study } from '../../../src/workbench/study/study.ts'
import { flatCandles, PLAIN_CONFIG } from '../../engine/inputs.ts'
import type { Dice } from '../../engine/jump/cases.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { plainReduce } from './brute-force.ts'
import type { PlainResult } from './plain-plateau.ts'

export interface MadeUpResult extends PlainResult {
  /** What it did on every market, as one text. */
  readonly behaviour: string
  readonly isInside: boolean
}

interface OnOneMarket {
  readonly behaviour: number
  readonly value: number | null
  readonly isInside: boolean
}

export interface PlateauGrid {
  readonly study: Study
  readonly setting: ScreenSetting
  /** null = infeasible. */
  readonly resultOf: (config: DcaSpotConfig) => MadeUpResult | null
  readonly trials: readonly { readonly index: number; readonly config: DcaSpotConfig; readonly fingerprint: string }[]
}

const MOST_POINTS = 600
const prepared = prepareCandles(flatCandles([100, 99, 102]))
const ASSETS = ['BTC', 'ETH', 'SOL']

export function somePlateauGrid(dice: Dice, marketCount = 1): PlateauGrid {
  const { axes, logFields } = someAxes(dice)
  const varied = new Set<ConfigField>(axes.map(({ field }) => field))
  const study = plainStudy({
    markets: ASSETS.slice(0, marketCount).map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' })),
    base: Object.fromEntries(Object.entries(PLAIN_CONFIG).filter(([field]) => !varied.has(field as ConfigField))), // its own keys
    axes,
    where: dice.chance(0.5) ? [{ measure: 'ladderDepthPercent', bounds: { max: dice.between(2, 12) } }] : [],
    search: { method: 'grid', score: 'plateau', logFields },
    objective: {
      direction: dice.of(['maximize', 'minimize']),
      metric: 'netProfit',
      where: [],
      ...(marketCount === 1 ? {} : { across: dice.of(REDUCERS) }),
    },
  })
  const order = axes.toSorted(() => dice.between(-1, 1))
  const points = createPointColumns(study)
  if (points === null) throw new Error('a study by plateaus has columns')
  const results = study.markets.map(() => madeUpResults(dice))
  const nameOf = nameConfigs(study)
  const known = new Map<string, MadeUpResult>()
  const grid = createGrid(study, order)
  noteLookedAt(points, 0, grid.points)
  const trials: PlateauGrid['trials'][number][] = []
  for (const { index, config, fate } of grid.walk(0, grid.points)) {
    if (fate !== 'trial') continue
    const onMarkets = results.map((result) => result())
    known.set(configFingerprint(config), {
      behaviour: onMarkets.map(({ behaviour }) => behaviour).join(),
      value: plainReduce(
        onMarkets.map(({ value }) => value),
        study.objective,
      ),
      isInside: onMarkets.every(({ isInside }) => isInside),
    })
    trials.push({ index, config, fingerprint: nameOf(config) })
    const [appraisal] = appraiseAcross(
      onMarkets.map((result, market) => [appraisalOf(study, result, market)]),
      study.objective,
    )
    writePoint(points, index, appraisal)
  }
  const markets = study.markets.map((market) => ({ market, prepared, symbol: NO_SYMBOL_RULES }))
  const setting = { study, portions: { order, size: 1 }, markets, points }
  return { study, setting, trials, resultOf: (config) => known.get(configFingerprint(config)) ?? null }
}

/** Profits of different behaviours have different sums over the markets; what is counted does not tell all of them apart. */
function appraisalOf({ objective }: Study, { behaviour, value, isInside }: OnOneMarket, market: number): Appraisal {
  const sign = objective.direction === 'maximize' ? 1 : -1
  const netProfit = behaviour * BEHAVIOURS ** market
  return { value: value === null ? null : sign * value, isInside, netProfit, mark: behaviour % 3 }
}

const BEHAVIOURS = 12
/** Means of two and of three are whole numbers. */
const UNIT = 6

/** Twelve behaviours of seven values: equal ones, and different ones that are worth the same. */
function madeUpResults(dice: Dice): () => OnOneMarket {
  const values = Array.from({ length: BEHAVIOURS }, () => (dice.chance(0.15) ? null : UNIT * dice.whole(-3, 3)))
  return () => {
    const behaviour = dice.whole(0, values.length - 1)
    return { behaviour, value: values[behaviour], isInside: dice.chance(0.85) }
  }
}

const SPANS: readonly (readonly [ConfigField, from: number, to: number])[] = [
  ['takeProfit', 0.5, 4],
  ['dcaPriceScalePercent', 0.3, 3],
  ['dcaVolumeScale', 1, 2],
  ['dcaPriceStepMultiplier', 1, 1.6],
]

function someAxes(dice: Dice): { readonly axes: readonly Axis[]; readonly logFields: readonly ConfigField[] } {
  const logFields: ConfigField[] = []
  const choices: Axis[] = [
    { field: 'dcaMaxSafetyOrders', values: shuffled(dice, [0, 1, 2, 3, 7, 12].slice(dice.whole(0, 5))) },
    { field: 'stopLoss', values: shuffled(dice, [0, 2, 2.1, 5, 10, 40, 41].slice(0, dice.whole(1, 7))) },
  ]
  for (const [field, from, to] of SPANS) {
    const count = dice.of([1, 2, 3, 4, 21, 45])
    const isLog = dice.chance(0.4)
    const at = (share: number) => (isLog ? from * Math.exp(share * Math.log(to / from)) : from + share * (to - from))
    const values = Array.from({ length: count }, (_, n) => Number(at(n / Math.max(1, count - 1)).toPrecision(12)))
    choices.push({ field, values: dice.chance(0.3) ? shuffled(dice, values) : values })
    if (isLog) logFields.push(field)
  }
  const axes: Axis[] = []
  let points = 1
  for (const axis of shuffled(dice, choices)) {
    if (points * axis.values.length > MOST_POINTS) continue
    axes.push(axis)
    points *= axis.values.length
  }
  return { axes, logFields }
}

function shuffled<T>(dice: Dice, values: readonly T[]): readonly T[] {
  return values
    .map((value) => ({ value, at: dice.between(0, 1) }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ value }) => value)
}
