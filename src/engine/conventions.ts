/**
 * The choices on which DCA platforms disagree, each named and recorded with every result: one row per convention. Types, schemas, the
 * page CONVENTIONS.md and the random cases of the engine's tests follow from the rows; a law says that every engine obeys each of them.
 */

export const PRESET_NAMES = ['default', 'three-commas'] as const
type PresetName = (typeof PRESET_NAMES)[number]

interface Reading {
  readonly meaning: string
  /** Platforms known to do it this way. */
  readonly platforms: readonly string[]
}

/** One convention that is a choice between readings. The default comes first. */
function choice<const Readings extends Readonly<Record<string, Reading>>>(row: {
  readonly question: string
  readonly readings: Readings
  readonly presets: Readonly<Record<PresetName, keyof Readings>>
}) {
  return row
}

/** Formulas: Q_k size and P_k price of safety order k, B base order, v volume scale, A average price, T take profit, S stop, f fee. */
export const CHOICES = {
  safetyOrderSizing: choice({
    question: 'How large are the safety orders, for which a bot has no size of its own?',
    readings: {
      'scaled-from-base': { meaning: 'Q_k = B·v^k', platforms: ['KuCoin', 'Veles', 'utrading'] },
      'first-equals-base': { meaning: 'Q_k = B·v^(k−1)', platforms: ['WunderTrading'] },
      explicit: { meaning: 'Q_k = safetyOrderSize·v^(k−1)', platforms: ['3Commas', 'OKX', 'Gainium'] },
    },
    presets: { default: 'scaled-from-base', 'three-commas': 'explicit' },
  }),
  spacing: choice({
    question: 'From which price is the next step of the ladder measured?',
    readings: {
      'from-base': {
        meaning: 'steps add up below the base order',
        platforms: ['3Commas', 'OKX', 'Gainium', 'martingalebot'],
      },
      'from-previous': { meaning: 'each step lies below the safety order before', platforms: ['KuCoin', 'Gate'] },
    },
    presets: { default: 'from-base', 'three-commas': 'from-base' },
  }),
  takeProfitBasis: choice({
    question: 'Is the take profit counted before or after fees?',
    readings: {
      gross: { meaning: 'T = A·(1 + take profit)', platforms: ['OKX', 'martingalebot'] },
      net: { meaning: 'T = cost with fees / base·(1 + take profit)/(1 − f)', platforms: ['3Commas', 'hummingbot'] },
    },
    presets: { default: 'gross', 'three-commas': 'net' },
  }),
  basePrice: choice({
    question: 'Which price of the base order anchors ladder and stop?',
    readings: {
      fill: { meaning: 'the price it was filled at', platforms: ['most'] },
      'fill-with-fee': { meaning: 'that price·(1 + f)', platforms: ['3Commas'] },
    },
    presets: { default: 'fill', 'three-commas': 'fill-with-fee' },
  }),
  stopLossBasis: choice({
    question: 'Below which price does the stop lie?',
    readings: {
      'base-price': { meaning: 'S = anchor·(1 − stop loss), the same all deal long', platforms: ['OKX', '3Commas'] },
      average: { meaning: 'S = A·(1 − stop loss), lower after each fill', platforms: ['Gainium', 'freqtrade'] },
    },
    presets: { default: 'base-price', 'three-commas': 'base-price' },
  }),
  afterStopLoss: choice({
    question: 'What does a bot do after a stop loss?',
    readings: {
      restart: { meaning: 'it opens its next deal', platforms: ['martingalebot'] },
      stop: { meaning: 'it opens no further deal', platforms: ['OKX'] },
    },
    presets: { default: 'restart', 'three-commas': 'restart' },
  }),
  lotRounding: choice({
    question: 'Where a symbol has a lot: how is a quantity rounded to it?',
    readings: {
      down: { meaning: 'to the lot below', platforms: ['most'] },
      up: { meaning: 'to the lot above', platforms: ['3Commas'] },
    },
    presets: { default: 'down', 'three-commas': 'up' },
  }),
  intrabar: choice({
    question: 'In which order does a candle visit its high and its low? A candle does not say.',
    readings: {
      pessimistic: { meaning: 'both orders are tried, the one that ends with less is kept', platforms: [] },
      optimistic: { meaning: 'both orders are tried, the one that ends with more is kept', platforms: [] },
      'low-first': { meaning: 'open, low, high, close', platforms: [] },
      'high-first': { meaning: 'open, high, low, close', platforms: [] },
      'candle-colour': { meaning: 'low first where the candle rises or stands still, else high first', platforms: [] },
    },
    presets: { default: 'pessimistic', 'three-commas': 'pessimistic' },
  }),
}

/** The one convention that is an amount. It is required by `explicit` sizing and meaningless (null) with any other. */
export const SAFETY_ORDER_SIZE = {
  question: 'Quote size of the first safety order; needed by safetyOrderSizing: explicit',
  above: 0,
  presets: { default: null, 'three-commas': null },
} as const

type Choices = typeof CHOICES
export type ChoiceName = keyof Choices

export type Conventions = {
  readonly [Name in ChoiceName]: keyof Choices[Name]['readings']
} & {
  readonly safetyOrderSize: number | null
}

export const CHOICE_NAMES = Object.keys(CHOICES) as ChoiceName[] // keys of a const literal

/** The values of each choice, the default first. */
export const CONVENTION_VALUES = forEachChoice((name) => Object.keys(CHOICES[name].readings)) as {
  readonly [Name in ChoiceName]: readonly Conventions[Name][] // keys of a const literal
}

/** `make` for every choice, in their order. */
export function forEachChoice<T>(make: (name: ChoiceName) => T): Record<ChoiceName, T> {
  return Object.fromEntries(CHOICE_NAMES.map((name) => [name, make(name)])) as Record<ChoiceName, T> // one entry per choice
}

export const CONVENTION_PRESETS = {
  default: presetOf('default'),
  'three-commas': presetOf('three-commas'),
} satisfies Record<PresetName, Conventions>

function presetOf(preset: PresetName): Conventions {
  const choices = forEachChoice((name) => CHOICES[name].presets[preset])
  const conventions: Record<string, unknown> = { ...choices, safetyOrderSize: SAFETY_ORDER_SIZE.presets[preset] }
  return conventions as Conventions // each row has one of its own values here
}

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
