/** The creation payload of a bot, field by field as the API document writes it. */

export const BOT_FIELDS = {
  userEmail: 'string',
  name: 'string',
  strategyType: 'string',
  exchange: 'string',
  baseAsset: 'string',
  quoteAsset: 'string',
  investment: 'number',
  leverage: 'number',
  dcaTotalBudget: 'number',
  dcaInitialOrderSize: 'number',
  dcaMaxSafetyOrders: 'integer',
  dcaPriceScalePercent: 'number',
  dcaVolumeScale: 'number',
  dcaPriceStepMultiplier: 'number',
  takeProfit: 'number',
  stopLoss: 'number',
  isDemo: 'boolean',
} as const satisfies Record<string, 'string' | 'number' | 'integer' | 'boolean'>

interface Bounds {
  /** Exclusive; the others are inclusive. */
  readonly above?: number
  readonly min?: number
  readonly max: number
  readonly integer?: boolean
}

export interface FieldRow {
  /** Of the store and its views: snake_case, units last. */
  readonly column: string
  /** Amounts are in quote currency, percentages in percent (1 = 1 %). */
  readonly unit: 'quote' | 'percent' | 'count' | 'ratio'
  /** The service refuses and a study check reports values outside them. */
  readonly bounds: Bounds
  /** Its value where nobody gives one; without it the field has to be given. */
  readonly fallback?: number
  /** No engine answers two of them alike; a test asks each engine. One value where the bounds allow no other. */
  readonly tries: readonly [number, ...number[]]
  /** Head of a column in a table. */
  readonly title: string
  /** What it means: for editors, for analysts, for help. */
  readonly says: string
  /**
   * The layout of the store that brought its column, where that is not the first: a configuration in which the field has its fallback keeps the
   * fingerprint it had before.
   */
  readonly since?: number
}

/**
 * The numbers that decide what a DCA_SPOT bot does, one row each. Type, bounds, defaults, columns, schemas, readers and the cases of tests follow
 * from it; a law says that every engine obeys each of them (`test/engine/obedience.ts`).
 */
export const CONFIG = {
  investment: {
    column: 'investment',
    title: 'capital',
    unit: 'quote',
    bounds: { above: 0, max: 1e12 },
    tries: [150, 300, 5000],
    says: 'The bot’s capital in quote currency: the cash it starts with and the denominator of ROI',
  },
  leverage: {
    column: 'leverage',
    title: 'leverage',
    unit: 'ratio',
    bounds: { min: 1, max: 1 },
    fallback: 1,
    tries: [1],
    says: 'Always 1: the strategy is spot',
  },
  dcaTotalBudget: {
    column: 'dca_total_budget',
    title: 'budget',
    unit: 'quote',
    bounds: { above: 0, max: 1e12 },
    tries: [120, 250, 1000],
    says: 'Hard cap on the quote spent in one deal, fees included',
  },
  dcaInitialOrderSize: {
    column: 'dca_initial_order_size',
    title: 'base order',
    unit: 'quote',
    bounds: { above: 0, max: 1e12 },
    tries: [20, 100],
    says: 'Quote size of the base order',
  },
  dcaMaxSafetyOrders: {
    column: 'dca_max_safety_orders',
    title: 'orders',
    unit: 'count',
    bounds: { min: 0, max: 100, integer: true },
    tries: [0, 1, 2, 5],
    says: 'How many safety orders rest below the base order (0 to 100)',
  },
  dcaPriceScalePercent: {
    column: 'dca_price_scale_percent',
    title: 'step %',
    unit: 'percent',
    bounds: { above: 0, max: 100 },
    tries: [0.5, 1.5],
    says: 'Step from the base order to the first safety order, in percent',
  },
  dcaVolumeScale: {
    column: 'dca_volume_scale',
    title: 'size ×',
    unit: 'ratio',
    bounds: { above: 0, max: 100 },
    tries: [0.8, 1, 1.5],
    says: 'Each safety order is this many times the size of the one before',
  },
  dcaPriceStepMultiplier: {
    column: 'dca_price_step_multiplier',
    title: 'step ×',
    unit: 'ratio',
    bounds: { above: 0, max: 100 },
    tries: [0.8, 1, 1.5],
    says: 'Each further step is this many times the step before',
  },
  takeProfit: {
    column: 'take_profit_percent',
    title: 'TP %',
    unit: 'percent',
    bounds: { above: 0, max: 1000 },
    tries: [0.5, 2],
    says: 'Percent above the average price at which the whole position is sold',
  },
  stopLoss: {
    column: 'stop_loss_percent',
    title: 'SL %',
    unit: 'percent',
    bounds: { min: 0, max: 100 },
    fallback: 0,
    tries: [0, 2, 8],
    says: 'Percent below the base order at which the whole position is sold; 0 = none',
  },
} as const satisfies Readonly<Record<string, FieldRow>>

export type ConfigField = keyof typeof CONFIG
export type DcaSpotConfig = { readonly [Field in ConfigField]: number }

/** So many first digits of a configuration’s fingerprint are its id, more where two begin alike. */
export const ID_DIGITS = 8

export const CONFIG_FIELDS = Object.keys(CONFIG) as ConfigField[] // keys of a const literal

/** `make` for every config field, in their order. */
export function forEachField<T>(make: (field: ConfigField, row: FieldRow) => T): Record<ConfigField, T> {
  return Object.fromEntries(CONFIG_FIELDS.map((field) => [field, make(field, CONFIG[field])])) as Record<ConfigField, T> // one entry per field
}

export const CONFIG_BOUNDS: Readonly<Record<ConfigField, Bounds>> = forEachField((_, { bounds }) => bounds)

type WithFallback = {
  [Field in ConfigField]: (typeof CONFIG)[Field] extends { readonly fallback: number } ? Field : never
}[ConfigField]

/** The values of the fields that need not be given. */
export const CONFIG_DEFAULTS = Object.fromEntries(
  Object.entries<FieldRow>(CONFIG).flatMap(([field, { fallback }]) =>
    fallback === undefined ? [] : [[field, fallback]],
  ),
) as Readonly<Record<WithFallback, number> & Partial<DcaSpotConfig>> // those whose row has one

/** How a deal ends, one row each. A number of the kernel and the names of results depend on their order: new ones come last. */
export const EXITS = {
  takeProfit: { order: 'limit', says: 'take profit', mark: '' },
  stopLoss: { order: 'stop', says: 'stop loss', mark: ' ✕ stop' },
} as const satisfies Readonly<Record<string, ExitRow>>

interface ExitRow {
  /** What sells: an order that rests while the deal is open, or one to the market at that moment. */
  readonly order: 'limit' | 'stop' | 'market'
  readonly says: string
  /** Behind the time in a list of deals. */
  readonly mark: string
}

export type Exit = keyof typeof EXITS
export const EXIT_NAMES = Object.keys(EXITS) as Exit[] // keys of a const literal

/** What sells where a deal ends so. */
export function saleOf(exit: Exit): ExitRow['order'] {
  return EXITS[exit].order
}

/** A sentence why `value` is not allowed in `field`, or undefined when it is. */
export function findBoundProblem(field: ConfigField, value: unknown): string | undefined {
  const bounds = CONFIG_BOUNDS[field]
  if (typeof value !== 'number' || !Number.isFinite(value)) return `expected a number, found ${spellValue(value)}`
  if (bounds.integer && !Number.isInteger(value)) return `expected a whole number, found ${value}`
  if (bounds.above !== undefined && value <= bounds.above) return `expected more than ${bounds.above}, found ${value}`
  if (bounds.min === bounds.max && value !== bounds.max) return `expected ${bounds.max}, found ${value}`
  if (bounds.min !== undefined && value < bounds.min) return `expected at least ${bounds.min}, found ${value}`
  if (value > bounds.max) return `expected at most ${bounds.max}, found ${value}`
  return undefined
}

/** A value as JSON, shortened for a message. */
export function spellValue(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return text.length > 80 ? `${/^.{80}/su.exec(text)?.[0] ?? ''}…` : text
}

export const STRATEGY_TYPE = 'DCA_SPOT'

/** What `promote` may send: a demo bot and nothing else. `isDemo: true` is a literal type, so code that creates a real bot does not compile. */
export interface DemoBotPayload extends DcaSpotConfig {
  readonly userEmail: string
  readonly name: string
  readonly strategyType: typeof STRATEGY_TYPE
  readonly exchange: string
  readonly baseAsset: string
  readonly quoteAsset: string
  readonly isDemo: true
}
