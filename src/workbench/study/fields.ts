/**
 * One row per field of a study: how it is read from the file, what of it is hashed into the study's fingerprint, and who uses it. A field
 * without a row does not compile, nor does a row that leaves one of its users open; FIELDS.md shows the users as a table.
 */

import { CONFIG, CONFIG_DEFAULTS, CONFIG_FIELDS, type ConfigField, type FieldRow } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { isMetricName, LEAST_IN_DEAL_PERCENT } from '../../contract/metrics.ts'
import { CONVENTION_PRESETS, DEFAULT_COSTS } from '../../engine/conventions.ts'
import { expandAxis } from './axis.ts'
import { isMapping, valueAt } from './path.ts'
import type { StudyFields } from './schema.ts'
import { spansOf } from './spans.ts'
import {
  type Axis,
  type Bounds,
  type Objective,
  type Period,
  type PlanOf,
  SEARCH_METHODS,
  type SearchSettings,
  SHAPE_MEASURES,
  type Study,
  USUAL_CONFIGS,
  type WalkForward,
} from './study.ts'

// Fields of a study whose form in the file is not their form in the program.

/** A value for every field that no axis varies. */
function readBase({ base, grid }: StudyFields): Study['base'] {
  const constant = CONFIG_FIELDS.filter((field) => grid[field] === undefined)
  return Object.fromEntries(constant.map((field) => [field, base?.[field] ?? CONFIG_DEFAULTS[field]]))
}

/** In the order of the file: the first axis varies slowest. (The schema's output has the schema's order.) */
function readAxes({ grid }: StudyFields, written: unknown): Study['axes'] {
  const inFile = valueAt(written, ['grid'])
  const order = isMapping(inFile) ? Object.keys(inFile) : []
  return CONFIG_FIELDS.flatMap((field): readonly Axis[] => {
    const spec = grid[field]
    if (spec === undefined) return []
    const { continuous } = spec
    return [{ field, values: expandAxis(spec), ...(continuous === undefined ? {} : { continuous }) }]
  }).toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field))
}

function readWhere({ where }: StudyFields): Study['where'] {
  return SHAPE_MEASURES.flatMap((measure) => {
    const bounds = where?.[measure]
    return bounds === undefined ? [] : [{ measure, bounds: toBounds(bounds) }]
  })
}

const DEFAULTS: SearchSettings = { configs: USUAL_CONFIGS, samples: 8, calibrate: 'auto', seed: 1 }
const SETTING_NAMES = Object.keys(DEFAULTS) as readonly (keyof SearchSettings)[] // keys of a literal

export function readSearch({ search }: Partial<Pick<StudyFields, 'search'>>): PlanOf {
  const method = search?.method ?? 'grid'
  const uses: readonly string[] = SEARCH_METHODS[method].uses
  const settings = SETTING_NAMES.filter((name) => uses.includes(name))
  return {
    method,
    ...Object.fromEntries(settings.map((name) => [name, search?.[name] ?? DEFAULTS[name]])),
  } as PlanOf // the settings that the method's row names
}

/** Of a study that names none: profit per capital used under worst-case fills and higher costs, of bots that still trade. */
const USUAL_OBJECTIVE: Objective = {
  direction: 'maximize',
  metric: 'stressedPerUsed',
  where: [{ metric: 'timeInDealPercent', bounds: { min: LEAST_IN_DEAL_PERCENT } }],
}

function readObjective({ objective: input }: StudyFields): Objective {
  const metric = input?.minimize ?? input?.maximize
  if (metric === undefined) return USUAL_OBJECTIVE
  const where = Object.entries(input?.where ?? {}).flatMap(([metric, bounds]) =>
    isMetricName(metric) && bounds !== undefined ? [{ metric, bounds: toBounds(bounds) }] : [],
  )
  const reduced = {
    ...(input?.across === undefined ? {} : { across: input.across.markets }),
    ...(input?.folds === undefined ? {} : { folds: input.folds }),
  }
  return { direction: input?.minimize === undefined ? 'maximize' : 'minimize', metric, where, ...reduced }
}

export function readWalkForward({ validate }: Pick<StudyFields, 'validate'>): Study['walkForward'] {
  if (validate?.walkForward === undefined) return null
  const { train, test, anchored } = validate.walkForward
  return { trainMs: train, testMs: test, embargoMs: validate.embargo, anchored }
}

function toBounds({ min, max }: { readonly min?: number | undefined; readonly max?: number | undefined }): Bounds {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}

/** What a study asks: all of it but what it is called and how it is written. */
export type Definition = Omit<Study, 'name' | 'fingerprint' | 'source'>
export type FieldName = keyof Definition

/** What is done with a study, by the command that does it. */
export const CONSUMERS = ['check', 'run', 'screen', 'leaderboard', 'report', 'promote'] as const
export type Consumer = (typeof CONSUMERS)[number]

interface StudyField<Field extends FieldName> {
  /** Its name in the file and in the fingerprint. */
  readonly key: keyof StudyFields
  /** Its name inside that key, where several fields share it. */
  readonly part?: string
  /** `written` is the file's value as it stood, for what the schema's output does not keep: the order of keys. */
  readonly read: (input: StudyFields, written: unknown) => Study[Field]
  /** undefined = left out of the fingerprint. A later field leaves out its default, so that older studies keep their fingerprints. */
  readonly hashed: (value: Study[Field]) => unknown
  /** true = used; a text = ignored, because … */
  readonly consumers: Readonly<Record<Consumer, true | string>>
}

const ALL_USE = { check: true, run: true, screen: true, leaderboard: true, report: true, promote: true } as const
const OF_THE_TRIAL = 'a trial carries its own'
const COMPETE = 'what competes is read from the store, beside its trials'
const COUNTED_BY_RUN = '`run` adds it to what the store counts as tried'
const ONLY_WHEN_OPENED = 'nothing of it is shown before `holdout --test`'

export const FIELDS = {
  markets: {
    key: 'market',
    read: ({ market, markets }) => markets ?? (market === undefined ? [] : [market]),
    hashed: (markets) => (markets.length === 1 ? marketName(markets[0]) : markets.map(marketName).toSorted()),
    consumers: ALL_USE,
  },
  period: {
    key: 'period',
    read: (input) => spansOf(input).train,
    hashed: isoPeriod,
    consumers: { ...ALL_USE, leaderboard: OF_THE_TRIAL, promote: OF_THE_TRIAL },
  },
  holdout: {
    key: 'validate',
    part: 'holdout',
    read: (input) => spansOf(input).holdout,
    hashed: (holdout) => (holdout === null ? undefined : isoPeriod(holdout)),
    consumers: {
      check: true,
      run: ONLY_WHEN_OPENED,
      screen: 'it names the days, and shows nothing of them before `holdout --test`',
      leaderboard: true,
      report: ONLY_WHEN_OPENED,
      promote: true,
    },
  },
  walkForward: {
    key: 'validate',
    part: 'walkForward',
    read: readWalkForward,
    hashed: (walkForward) => (walkForward === null ? undefined : hashedWalkForward(walkForward)),
    consumers: {
      check: true,
      run: 'its folds are computed locally, and nothing is sent for them',
      screen: 'a screen ranks on all that comes before the hold-out',
      leaderboard: 'it ranks results on all that comes before the hold-out',
      report: 'it shows what was run, and the folds are computed locally',
      promote: 'the best is chosen on all that comes before the hold-out',
    },
  },
  interval: {
    key: 'interval',
    read: ({ interval }) => interval ?? null,
    hashed: (interval) => interval,
    consumers: ALL_USE,
  },
  costs: {
    key: 'costs',
    read: ({ costs }) => costs,
    hashed: (costs) => withoutNewDefaults(costs, { first: ['feePercent', 'slippagePercent'], defaults: DEFAULT_COSTS }),
    consumers: ALL_USE,
  },
  conventions: {
    key: 'conventions',
    read: ({ conventions }) => conventions ?? CONVENTION_PRESETS.default,
    hashed: hashedConventions,
    consumers: ALL_USE,
  },
  base: {
    key: 'base',
    read: readBase,
    hashed: hashedBase,
    consumers: { ...ALL_USE, leaderboard: OF_THE_TRIAL, promote: OF_THE_TRIAL },
  },
  axes: {
    key: 'grid',
    read: readAxes,
    hashed: hashedAxes,
    consumers: { ...ALL_USE, promote: OF_THE_TRIAL },
  },
  where: {
    key: 'where',
    read: readWhere,
    hashed: (where) => entriesOf(where, ({ measure, bounds, ...none }) => [measure, bounds, none]),
    consumers: {
      ...ALL_USE,
      leaderboard: 'points outside it never became trials',
      promote: 'points outside it never became trials',
    },
  },
  search: {
    key: 'search',
    read: readSearch,
    hashed: hashedSearch,
    consumers: {
      check: true,
      run: 'the search that is made of it proposes the trials',
      screen: 'a screen runs every point, however the grid is searched',
      leaderboard: COMPETE,
      report: true,
      promote: COMPETE,
    },
  },
  objective: { key: 'objective', read: readObjective, hashed: hashedObjective, consumers: ALL_USE },
  tried: {
    key: 'tried',
    read: ({ tried }) => tried,
    hashed: (tried) => tried,
    consumers: {
      check: true,
      run: true,
      screen: COUNTED_BY_RUN,
      leaderboard: COUNTED_BY_RUN,
      report: COUNTED_BY_RUN,
      promote: COUNTED_BY_RUN,
    },
  },
} as const satisfies { readonly [Field in FieldName]: StudyField<Field> }

/** Listed values in rising order; a continuous axis by its ends. */
function hashedAxes(axes: readonly Axis[]) {
  return entriesOf(axes, ({ field, values, continuous, ...none }) => [
    field,
    continuous === undefined ? values.toSorted((a, b) => a - b) : { ...continuous },
    none,
  ])
}

/**
 * undefined for a grid, which is what a study without `search` means. Every setting of another method is hashed: a plan has only those
 * that its method uses.
 */
function hashedSearch(search: PlanOf) {
  return search.method === 'grid' ? undefined : search
}

export const FIELD_NAMES = Object.keys(FIELDS) as FieldName[] // keys of a const literal

/** The same rows, each known to fit its field. */
const ROWS: { readonly [Field in FieldName]: StudyField<Field> } = FIELDS

export function readDefinition(input: StudyFields, written: unknown): Definition {
  return Object.fromEntries(FIELD_NAMES.map((field) => [field, ROWS[field].read(input, written)])) as Definition // one entry per field
}

/** The same of the fields that are given. */
export function hashedFields(given: Partial<Definition>): Readonly<Record<string, unknown>> {
  const hashed: Record<string, unknown> = {}
  for (const field of FIELD_NAMES) {
    const value = hashedIfGiven(field, given[field])
    if (value === undefined) continue
    const { key, part } = ROWS[field]
    hashed[key] = part === undefined ? value : { ...(hashed[key] as object | undefined), [part]: value } // its other parts
  }
  return hashed
}

function hashedIfGiven<Field extends FieldName>(field: Field, value: Study[Field] | undefined): unknown {
  return value === undefined ? undefined : ROWS[field].hashed(value)
}

type UsedBy<Who extends Consumer> = {
  [Field in FieldName]: (typeof FIELDS)[Field]['consumers'][Who] extends true ? Field : never
}[FieldName]

/** What a consumer may read of a study: a field that it says it ignores is not there. */
export type StudyFor<Who extends Consumer> = Pick<Study, 'name' | 'source' | UsedBy<Who>>

// Parts of a study in the form that its fingerprint hashes. Each function names every field of its value, and `none` is what is left: nothing.
// So a field that is added to one of these types does not compile before it says here how it is hashed.

/** What is left of a value whose every field was named: nothing. */
type Nothing = Readonly<Record<string, never>>

export function isoPeriod({ from, to, ...none }: Period) {
  return { ...(none satisfies Nothing), from: new Date(from).toISOString(), to: new Date(to).toISOString() }
}

function hashedObjective({ direction, metric, where, across, folds, ...none }: Objective) {
  return {
    ...(none satisfies Nothing),
    [direction]: metric,
    ...(across === undefined || across === 'median' ? {} : { across }),
    ...(folds === undefined || folds === 'mean' ? {} : { folds }),
    where: entriesOf(where, ({ metric, bounds, ...nothing }) => [metric, bounds, nothing]),
  }
}

function hashedWalkForward({ trainMs, testMs, embargoMs, anchored, ...none }: WalkForward) {
  return { ...(none satisfies Nothing), trainMs, testMs, embargoMs, trainFrom: anchored ? 'first day' : 'each fold' }
}

const LATER_FIELDS = Object.entries<FieldRow>(CONFIG).flatMap(([field, { since }]) =>
  since === undefined ? [] : [field],
)

/** True for the default of a later field: it is left out of the fingerprint. */
export function isAsBefore(field: ConfigField, value: number): boolean {
  return LATER_FIELDS.includes(field) && value === CONFIG_DEFAULTS[field]
}

function hashedBase(base: Study['base']) {
  const first = Object.keys(base).filter((field) => !LATER_FIELDS.includes(field))
  return withoutNewDefaults(base, { first, defaults: CONFIG_DEFAULTS })
}

/** A list as a mapping: its order does not matter. */
function entriesOf<Item>(
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
