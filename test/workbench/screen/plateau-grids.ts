/** Random grids with made-up results: whole numbers, so that a mean is the same in whatever order it is added up. */
import type { ConfigField, DcaSpotConfig } from '../../../src/contract/bot.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import type { ScreenSetting } from '../../../src/workbench/screen/messages.ts'
import { createPointColumns, noteLookedAt, writePoint } from '../../../src/workbench/screen/point-columns.ts'
import { configFingerprint, trialFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { createGrid } from '../../../src/workbench/study/grid.ts'
import type { Axis, Study } from '../../../src/workbench/study/study.ts'
import { flatCandles, PLAIN_CONFIG } from '../../engine/inputs.ts'
import type { Dice } from '../../engine/jump/cases.ts'
import { plainStudy } from '../../support/plain-study.ts'
import type { PlainResult } from './plain-plateau.ts'

export interface MadeUpResult extends PlainResult {
  readonly behaviour: number
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

export function somePlateauGrid(dice: Dice): PlateauGrid {
  const { axes, logFields } = someAxes(dice)
  const varied = new Set<ConfigField>(axes.map(({ field }) => field))
  const study = plainStudy({
    base: Object.fromEntries(Object.entries(PLAIN_CONFIG).filter(([field]) => !varied.has(field as ConfigField))), // its own keys
    axes,
    where: dice.chance(0.5) ? [{ measure: 'ladderDepthPercent', bounds: { max: dice.between(2, 12) } }] : [],
    search: { method: 'grid', score: 'plateau', logFields },
    objective: { direction: dice.of(['maximize', 'minimize']), metric: 'netProfit', where: [] },
  })
  const order = axes.toSorted(() => dice.between(-1, 1))
  const points = createPointColumns(study)
  if (points === null) throw new Error('a study by plateaus has columns')
  const sign = study.objective.direction === 'maximize' ? 1 : -1
  const results = madeUpResults(dice)
  const known = new Map<string, MadeUpResult>()
  const grid = createGrid(study, order)
  noteLookedAt(points, 0, grid.points)
  const trials: PlateauGrid['trials'][number][] = []
  for (const { index, config, fate } of grid.walk(0, grid.points)) {
    if (fate !== 'trial') continue
    const result = results()
    known.set(configFingerprint(config), result)
    trials.push({ index, config, fingerprint: trialFingerprint({ ...study, config }) })
    const { behaviour, isInside } = result
    const value = result.value === null ? null : sign * result.value
    writePoint(points, index, { value, isInside, netProfit: behaviour, mark: behaviour % 3 })
  }
  const setting = { study, portions: { order, size: 1 }, prepared, symbol: NO_SYMBOL_RULES, points }
  return { study, setting, trials, resultOf: (config) => known.get(configFingerprint(config)) ?? null }
}

/** Twelve behaviours of seven values: equal ones, and different ones that are worth the same. */
function madeUpResults(dice: Dice): () => MadeUpResult {
  const values = Array.from({ length: 12 }, () => (dice.chance(0.15) ? null : dice.whole(-3, 3)))
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
