/**
 * Cuts a grid into chunks for workers. The cut does not depend on the number of workers, so the sums are always the same.
 *
 * Points are ordered so that similar configs are neighbours: the fields that only decide the ladder's length and stop vary
 * fastest, because configs that differ in nothing else share deals (`engine/jump/assembly/memo.ts`). A chunk holds whole
 * families of such configs.
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
/** The fields in which the configs of one family differ. */
const WITHIN_FAMILY: readonly ConfigField[] = ORDER.slice(ORDER.indexOf('investment'))

/** Whether configs of one family may differ in it. These fields vary fastest. */
function isWithinFamily(field: ConfigField): boolean {
  return WITHIN_FAMILY.includes(field)
}

/**
 * Candles times points of a chunk: a fraction of a second of work, so that Ctrl-C takes effect soon and the workers finish at
 * about the same time.
 */
const CANDLE_POINTS = 1e9
const FEWEST_POINTS = 256
const MOST_POINTS = 2048

export interface Chunks {
  /** The study's axes in the order that points are numbered in. */
  readonly order: readonly Axis[]
  readonly size: number
}

export function planChunks({ axes }: Study, candleCount: number): Chunks {
  const order = axes.toSorted((a, b) => ORDER.indexOf(a.field) - ORDER.indexOf(b.field))
  const family = order
    .filter(({ field }) => isWithinFamily(field))
    .reduce((product, { values }) => product * values.length, 1)
  const wanted = Math.min(MOST_POINTS, Math.max(FEWEST_POINTS, Math.floor(CANDLE_POINTS / Math.max(1, candleCount))))
  return { order, size: family > MOST_POINTS ? wanted : family * Math.max(1, Math.floor(wanted / family)) }
}

/** Multiples of it, cut to their fractions, lie evenly and with no period that an axis of the grid could have, too. */
export const GOLDEN_RATIO = 0.618_033_988_749_894_9
