/** What the service of a stretch computes with, and nobody tells: drawn by the seed from the sets that PROTOCOL.md names. */
import { createHash } from 'node:crypto'
import {
  CONVENTION_PRESETS,
  CONVENTION_VALUES,
  type Conventions,
  type Costs,
  DEFAULT_COSTS,
} from '../../../src/engine/conventions.ts'
import { createRandom, type Random } from '../../../src/engine/random.ts'
import { oneOf } from './space.ts'

/** What a result is computed under, beside its candles. */
export interface Terms {
  readonly conventions: Conventions
  readonly costs: Costs
}

/** What a twin computes under that was not calibrated. */
export const DEFAULT_TERMS: Terms = { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS }

const FEES_PERCENT = [0, 0.05, 0.075, 0.1, 0.2]
const SLIPPAGES_PERCENT = [0, 0.05]

export function drawTerms(random: Random): Terms {
  return {
    conventions: {
      // `explicit` needs an amount, which no field of a configuration gives.
      safetyOrderSizing: oneOf(
        CONVENTION_VALUES.safetyOrderSizing.filter((sizing) => sizing !== 'explicit'),
        random,
      ),
      spacing: oneOf(CONVENTION_VALUES.spacing, random),
      takeProfitBasis: oneOf(CONVENTION_VALUES.takeProfitBasis, random),
      basePrice: oneOf(CONVENTION_VALUES.basePrice, random),
      stopLossBasis: oneOf(CONVENTION_VALUES.stopLossBasis, random),
      afterStopLoss: oneOf(CONVENTION_VALUES.afterStopLoss, random),
      lotRounding: oneOf(CONVENTION_VALUES.lotRounding, random),
      intrabar: oneOf(CONVENTION_VALUES.intrabar, random),
      safetyOrderSize: null,
    },
    costs: { feePercent: oneOf(FEES_PERCENT, random), slippagePercent: oneOf(SLIPPAGES_PERCENT, random) },
  }
}

/** A generator of its own for each purpose, so that one more draw in one place changes no other. @param seed any text, such as a commit's hash */
export function randomFor(seed: string, purpose: string): Random {
  return createRandom(createHash('sha256').update(`${seed}\n${purpose}`).digest().readInt32BE(0))
}
