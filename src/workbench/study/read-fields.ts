/** Fields of a study whose form in the file is not their form in the program. */
import { CONFIG_DEFAULTS, CONFIG_FIELDS } from '../../contract/bot.ts'
import { isMetricName, LEAST_IN_DEAL_PERCENT } from '../../contract/metrics.ts'
import { expandAxis } from './axis.ts'
import { isMapping, valueAt } from './path.ts'
import type { StudyFields } from './schema.ts'
import {
  type Axis,
  type Bounds,
  type Objective,
  type PlanOf,
  SEARCH_METHODS,
  type SearchSettings,
  SHAPE_MEASURES,
  type Study,
  USUAL_CONFIGS,
} from './study.ts'

/** A value for every field that no axis varies. */
export function readBase({ base, grid }: StudyFields): Study['base'] {
  const constant = CONFIG_FIELDS.filter((field) => grid[field] === undefined)
  return Object.fromEntries(constant.map((field) => [field, base?.[field] ?? CONFIG_DEFAULTS[field]]))
}

/** In the order of the file: the first axis varies slowest. (The schema's output has the schema's order.) */
export function readAxes({ grid }: StudyFields, written: unknown): Study['axes'] {
  const inFile = valueAt(written, ['grid'])
  const order = isMapping(inFile) ? Object.keys(inFile) : []
  return CONFIG_FIELDS.flatMap((field): readonly Axis[] => {
    const spec = grid[field]
    if (spec === undefined) return []
    const { continuous } = spec
    return [{ field, values: expandAxis(spec), ...(continuous === undefined ? {} : { continuous }) }]
  }).toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field))
}

export function readWhere({ where }: StudyFields): Study['where'] {
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

export function readObjective({ objective: input }: StudyFields): Objective {
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
