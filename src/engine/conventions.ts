/** The choices on which DCA platforms disagree, each named and recorded with every result. First value = default. */

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

/** What is wrong with a convention, and where: `path` is relative to the value given ('' = the value itself). */
interface ConventionProblem {
  readonly path: string
  readonly message: string
}

/**
 * Reads conventions from a file or a flag: a preset's name, or `{ preset, …overrides }` (without a preset: `default`; absent
 * altogether: `default`). Returns all problems at once. `explicit` sizing requires `safetyOrderSize`; with any other sizing it
 * must be absent or null, because it would silently do nothing.
 */
export function resolveConventions(
  input: unknown,
): { readonly conventions: Conventions } | { readonly problems: readonly ConventionProblem[] } {
  if (input === undefined) return { conventions: CONVENTION_PRESETS.default }
  if (typeof input === 'string' && !isPreset(input)) {
    return { problems: [{ path: '', message: expected(PRESET_NAMES, input) }] }
  }
  const given: unknown = typeof input === 'string' ? { preset: input } : input
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    const message = `expected a preset (${listed(PRESET_NAMES)}) or { preset, …overrides }, found ${JSON.stringify(given)}`
    return { problems: [{ path: '', message }] }
  }
  const { preset = 'default', ...overrides } = given as Readonly<Record<string, unknown>> // any object can be read by key
  const problems: ConventionProblem[] = []
  if (!isPreset(preset)) problems.push({ path: 'preset', message: expected(PRESET_NAMES, preset) })

  const resolved: Record<string, unknown> = { ...CONVENTION_PRESETS[isPreset(preset) ? preset : 'default'] }
  for (const [name, value] of Object.entries(overrides)) {
    const message = findValueProblem(name, value)
    if (message === undefined) resolved[name] = value
    else problems.push({ path: name, message })
  }
  const conventions = resolved as unknown as Conventions // a preset whose values were replaced by checked values of the same names

  // Whether a size is missing or not needed can only be checked when both the sizing and the size are valid.
  const isSizingKnown = problems.every(({ path }) => !SIZING_PATHS.includes(path))
  const sizeProblem = isSizingKnown ? findSizeProblem(conventions) : undefined
  if (sizeProblem !== undefined) problems.push({ path: 'safetyOrderSize', message: sizeProblem })
  return problems.length === 0 ? { conventions } : { problems }
}

const PRESET_NAMES = Object.keys(CONVENTION_PRESETS)
const SIZING_PATHS = ['preset', 'safetyOrderSizing', 'safetyOrderSize']
const CONVENTION_NAMES = [...Object.keys(CONVENTION_VALUES), 'safetyOrderSize']

function isPreset(name: unknown): name is PresetName {
  return typeof name === 'string' && Object.hasOwn(CONVENTION_PRESETS, name)
}

function findValueProblem(name: string, value: unknown): string | undefined {
  if (name === 'safetyOrderSize') {
    const isSize = value === null || (typeof value === 'number' && Number.isFinite(value) && value > 0)
    return isSize ? undefined : `expected a quote amount above 0, found ${JSON.stringify(value)}`
  }
  if (!Object.hasOwn(CONVENTION_VALUES, name))
    return `unknown convention; there are preset, ${listed(CONVENTION_NAMES)}`
  const values: readonly string[] = CONVENTION_VALUES[name as keyof ConventionValues] // checked above to be one of its keys
  return values.some((known) => known === value) ? undefined : expected(values, value)
}

function findSizeProblem({ safetyOrderSizing, safetyOrderSize }: Conventions): string | undefined {
  if (safetyOrderSizing === 'explicit' && safetyOrderSize === null) {
    return 'required where safetyOrderSizing is explicit: the quote size of the first safety order'
  }
  if (safetyOrderSizing !== 'explicit' && safetyOrderSize !== null) {
    return `has no effect where safetyOrderSizing is ${safetyOrderSizing}: leave it out, or say explicit`
  }
  return undefined
}

function expected(values: readonly string[], found: unknown): string {
  return `expected ${listed(values)}, found ${JSON.stringify(found)}`
}

function listed(values: readonly string[]): string {
  return values.join(', ')
}
