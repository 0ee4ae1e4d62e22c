/**
 * How a grid is cut into portions for workers. Nothing here depends on how many there are: the same portions, the same sums.
 *
 * Points are taken in an order of our own, relatives next to each other: fields that only decide how far a ladder goes and where it stops
 * vary fastest, because deals are shared among configs that differ in nothing else (`engine/jump/memo.ts`), and a portion holds whole families.
 */
import type { ConfigField } from '../../contract/bot.ts'
import type { Axis, Study } from '../study/study.ts'

/** Slowest first. */
const ORDER: readonly ConfigField[] = [
  'leverage',
  'dcaInitialOrderSize',
  'takeProfit',
  'dcaPriceScalePercent',
  'dcaVolumeScale',
  'dcaPriceStepMultiplier',
  'investment',
  'dcaTotalBudget',
  'stopLoss',
  'dcaMaxSafetyOrders',
]
/** These make relatives of one family. */
const WITHIN_FAMILY: readonly ConfigField[] = ORDER.slice(ORDER.indexOf('investment'))

/** Candles times points of a portion: a fraction of a second of work, so that Ctrl-C is answered and no worker is left alone at the end. */
const CANDLE_POINTS = 1e9
const FEWEST_POINTS = 256
const MOST_POINTS = 2048

export interface Portions {
  /** The study's axes in the order that points are numbered in. */
  readonly order: readonly Axis[]
  readonly size: number
}

export function planPortions({ axes }: Study, candleCount: number): Portions {
  const order = axes.toSorted((a, b) => ORDER.indexOf(a.field) - ORDER.indexOf(b.field))
  const family = order
    .filter(({ field }) => WITHIN_FAMILY.includes(field))
    .reduce((product, { values }) => product * values.length, 1)
  const wanted = Math.min(MOST_POINTS, Math.max(FEWEST_POINTS, Math.floor(CANDLE_POINTS / Math.max(1, candleCount))))
  return { order, size: family > MOST_POINTS ? wanted : family * Math.max(1, Math.floor(wanted / family)) }
}
