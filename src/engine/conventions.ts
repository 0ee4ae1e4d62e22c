/** The choices on which DCA platforms disagree, each named and recorded with every result (`dca-spot.md`). First value = default. */

export const CONVENTION_VALUES = {
  safetyOrderSizing: ['scaled-from-base', 'first-equals-base', 'explicit'],
  spacing: ['from-base', 'from-previous'],
  takeProfitBasis: ['gross', 'net'],
  basePrice: ['fill', 'fill-with-fee'],
  stopLossBasis: ['base-price', 'average'],
  afterStopLoss: ['restart', 'stop'],
  lotRounding: ['down', 'up'],
  intrabar: ['pessimistic', 'optimistic', 'low-first', 'high-first', 'candle-colour'],
} as const

type ConventionValues = typeof CONVENTION_VALUES

export type Conventions = {
  readonly [Name in keyof ConventionValues]: ConventionValues[Name][number]
} & {
  /** Quote size of the first safety order; required by `explicit`, meaningless (null) otherwise. */
  readonly safetyOrderSize: number | null
}

export const CONVENTION_PRESETS = {
  default: {
    safetyOrderSizing: 'scaled-from-base',
    spacing: 'from-base',
    takeProfitBasis: 'gross',
    basePrice: 'fill',
    stopLossBasis: 'base-price',
    afterStopLoss: 'restart',
    lotRounding: 'down',
    intrabar: 'pessimistic',
    safetyOrderSize: null,
  },
  'three-commas': {
    safetyOrderSizing: 'explicit',
    spacing: 'from-base',
    takeProfitBasis: 'net',
    basePrice: 'fill-with-fee',
    stopLossBasis: 'base-price',
    afterStopLoss: 'restart',
    lotRounding: 'up',
    intrabar: 'pessimistic',
    safetyOrderSize: null,
  },
} as const satisfies Record<string, Conventions>

export type PresetName = keyof typeof CONVENTION_PRESETS

/** What trading costs, in percent of the traded amount. Slippage worsens market orders only. */
export interface Costs {
  readonly feePercent: number
  readonly slippagePercent: number
}

export const DEFAULT_COSTS: Costs = { feePercent: 0.1, slippagePercent: 0 }

/** Exchange rules of a symbol; a null is not enforced. */
export interface SymbolRules {
  /** Price step in quote. */
  readonly tick: number | null
  /** Quantity step in base. */
  readonly lot: number | null
  /** Smallest order in quote. */
  readonly minNotional: number | null
}

export const NO_SYMBOL_RULES: SymbolRules = { tick: null, lot: null, minNotional: null }
