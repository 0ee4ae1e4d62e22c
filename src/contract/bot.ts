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

/** The numbers that decide what a DCA_SPOT bot does. Amounts in quote currency, percentages as percent (1 = 1 %). */
export interface DcaSpotConfig {
  /** The bot's capital in quote; the denominator of ROI. */
  readonly investment: number
  /** 1 for spot; anything else is refused. */
  readonly leverage: number
  /** Hard cap on the quote spent in one deal, fees included. */
  readonly dcaTotalBudget: number
  readonly dcaInitialOrderSize: number
  readonly dcaMaxSafetyOrders: number
  readonly dcaPriceScalePercent: number
  readonly dcaVolumeScale: number
  readonly dcaPriceStepMultiplier: number
  readonly takeProfit: number
  /** 0 = none. */
  readonly stopLoss: number
}

export const CONFIG_FIELDS = [
  'investment',
  'leverage',
  'dcaTotalBudget',
  'dcaInitialOrderSize',
  'dcaMaxSafetyOrders',
  'dcaPriceScalePercent',
  'dcaVolumeScale',
  'dcaPriceStepMultiplier',
  'takeProfit',
  'stopLoss',
] as const satisfies readonly (keyof DcaSpotConfig)[]

export type ConfigField = (typeof CONFIG_FIELDS)[number]

/**
 * Bounds of every config field: the service refuses and a study check reports values outside them. `above` is exclusive,
 * `min`/`max` inclusive.
 */
export const CONFIG_BOUNDS: Readonly<
  Record<ConfigField, { above?: number; min?: number; max: number; integer?: boolean }>
> = {
  investment: { above: 0, max: 1e12 },
  leverage: { min: 1, max: 1 },
  dcaTotalBudget: { above: 0, max: 1e12 },
  dcaInitialOrderSize: { above: 0, max: 1e12 },
  dcaMaxSafetyOrders: { min: 0, max: 100, integer: true },
  dcaPriceScalePercent: { above: 0, max: 100 },
  dcaVolumeScale: { above: 0, max: 100 },
  dcaPriceStepMultiplier: { above: 0, max: 100 },
  takeProfit: { above: 0, max: 1000 },
  stopLoss: { min: 0, max: 100 },
}

/** A sentence why `value` is not allowed in `field`, or undefined when it is. */
export function findBoundProblem(field: ConfigField, value: unknown): string | undefined {
  const bounds = CONFIG_BOUNDS[field]
  if (typeof value !== 'number' || !Number.isFinite(value)) return `expected a number, found ${describe(value)}`
  if (bounds.integer && !Number.isInteger(value)) return `expected a whole number, found ${value}`
  if (bounds.above !== undefined && value <= bounds.above) return `expected more than ${bounds.above}, found ${value}`
  if (bounds.min === bounds.max && value !== bounds.max) return `expected ${bounds.max}, found ${value}`
  if (bounds.min !== undefined && value < bounds.min) return `expected at least ${bounds.min}, found ${value}`
  if (value > bounds.max) return `expected at most ${bounds.max}, found ${value}`
  return undefined
}

function describe(value: unknown): string {
  if (value === undefined) return 'nothing'
  return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
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
