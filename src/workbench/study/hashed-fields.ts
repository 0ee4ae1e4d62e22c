/**
 * Parts of a study in the form that its fingerprint hashes. Each takes its value apart to nothing: a field that is added to one of these
 * types does not compile here before it says how it is hashed.
 */
import { CONFIG, CONFIG_DEFAULTS, type ConfigField, type FieldRow } from '../../contract/bot.ts'
import { CONVENTION_PRESETS } from '../../engine/conventions.ts'
import type { Objective, Period, Study, WalkForward } from './study.ts'

/** What is left of a value whose every field was named: nothing. */
type Nothing = Readonly<Record<string, never>>

export function isoPeriod({ from, to, ...none }: Period) {
  return { ...(none satisfies Nothing), from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

export function hashedObjective({ direction, metric, where, across, folds, ...none }: Objective) {
  return {
    ...(none satisfies Nothing),
    [direction]: metric,
    ...(across === undefined || across === 'median' ? {} : { across }),
    ...(folds === undefined || folds === 'mean' ? {} : { folds }),
    where: entriesOf(where, ({ metric, bounds, ...nothing }) => [metric, bounds, nothing]),
  }
}

export function hashedWalkForward({ trainMs, testMs, embargoMs, anchored, ...none }: WalkForward) {
  return { ...(none satisfies Nothing), trainMs, testMs, embargoMs, trainFrom: anchored ? 'first day' : 'each fold' }
}

const LATER_FIELDS = Object.entries<FieldRow>(CONFIG).flatMap(([field, { since }]) =>
  since === undefined ? [] : [field],
)

/** True where a field came later and changes nothing: the configuration was named without it. */
export function isAsBefore(field: ConfigField, value: number): boolean {
  return LATER_FIELDS.includes(field) && value === CONFIG_DEFAULTS[field]
}

export function hashedBase(base: Study['base']) {
  const first = Object.keys(base).filter((field) => !LATER_FIELDS.includes(field))
  return withoutNewDefaults(base, { first, defaults: CONFIG_DEFAULTS })
}

/** A list as a mapping: its order does not matter. */
export function entriesOf<Item>(
  items: readonly Item[],
  split: (item: Item) => readonly [key: string, value: unknown, none: Nothing],
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(items.map(split).map(([key, value]) => [key, value]))
}

const FIRST_CONVENTIONS = [
  'safetyOrderSizing',
  'spacing',
  'takeProfitBasis',
  'basePrice',
  'stopLossBasis',
  'afterStopLoss',
  'lotRounding',
  'intrabar',
  'safetyOrderSize',
]

export function hashedConventions(conventions: object): Readonly<Record<string, unknown>> {
  return withoutNewDefaults(conventions, { first: FIRST_CONVENTIONS, defaults: CONVENTION_PRESETS.default })
}

/**
 * All values, but those that came later only where they are not the default: a study from before is the same question as one that says
 * the default today, and keeps its name. `first` are those that stored fingerprints name.
 */
export function withoutNewDefaults<Values extends object>(
  values: Values,
  { first, defaults }: { readonly first: readonly string[]; readonly defaults: Values },
): Readonly<Record<string, unknown>> {
  const standard: ReadonlyMap<string, unknown> = new Map(Object.entries(defaults))
  return Object.fromEntries(
    Object.entries(values).filter(([name, value]) => first.includes(name) || value !== standard.get(name)),
  )
}
