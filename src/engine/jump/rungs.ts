import { type LadderTerms, nextDepthPercent } from '../ladder-terms.ts'
import {
  CONFIGURED,
  FLOATS,
  INTS,
  ROW,
  RUNG,
  RUNG_COST,
  RUNG_RATIO,
  RUNG_SIZE,
  STOP_RATIO,
  TABLE,
  TAKE_PROFIT_RATIO,
} from './layout.ts'

/** The part of a flight into which rungs are written. */
interface RungSlots {
  readonly rungs: Float64Array
  readonly ints: Int32Array
  readonly floats: Float64Array
}

/** Writes what all deals of a config have in common where each is rounded by itself: the kernel computes its levels from that (assembly/levels.ts). */
export function writeRungs({ rungs, ints, floats }: RungSlots, slot: number, terms: LadderTerms): void {
  const first = (ints[slot * INTS + TABLE] / ROW) * RUNG
  let depth = 0
  let step = terms.firstStepPercent
  let size = terms.firstSize
  let quote = 0
  let configured = 0
  for (; configured <= terms.maxSafetyOrders; configured++) {
    const rung = first + configured * RUNG
    if (configured > 0) {
      depth = nextDepthPercent(terms, depth, step)
      if (depth >= 100) break
      step *= terms.stepMultiplier
    }
    rungs[rung + RUNG_RATIO] = 1 - depth / 100
    rungs[rung + RUNG_SIZE] = configured === 0 ? terms.baseSize : size
    if (configured > 0) size *= terms.volumeScale
    quote += rungs[rung + RUNG_SIZE]
    rungs[rung + RUNG_COST] = quote * (1 + terms.feeRate)
  }
  ints[slot * INTS + CONFIGURED] = configured
  floats[slot * FLOATS + TAKE_PROFIT_RATIO] = terms.takeProfitRatio
  floats[slot * FLOATS + STOP_RATIO] = terms.stopLossRate === 0 ? 0 : 1 - terms.stopLossRate
}
