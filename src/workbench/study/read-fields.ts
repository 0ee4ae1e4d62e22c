/** Fields of a study whose form in the file is not their form in the program. */
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { isMetricName } from '../../contract/metrics.ts'
import { expandAxis } from './axis.ts'
import { CONFIG_DEFAULTS } from './config-fields.ts'
import { isMapping, valueAt } from './path.ts'
import type { StudyFields } from './schema.ts'
import { type Axis, type Bounds, type Objective, type Search, SHAPE_MEASURES, type Study } from './study.ts'

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
    return spec === undefined ? [] : [{ field, values: expandAxis(spec) }]
  }).toSorted((a, b) => order.indexOf(a.field) - order.indexOf(b.field))
}

export function readWhere({ where }: StudyFields): Study['where'] {
  return SHAPE_MEASURES.flatMap((measure) => {
    const bounds = where?.[measure]
    return bounds === undefined ? [] : [{ measure, bounds: toBounds(bounds) }]
  })
}

export function readSearch({ search, grid }: StudyFields): Search {
  const { method, score } = { method: 'grid', score: 'point', ...search } as const
  if (score !== 'plateau') return { method, score }
  return { method, score, logFields: CONFIG_FIELDS.filter((field) => grid[field]?.scale === 'log') }
}

export function readObjective({ objective: input }: StudyFields): Objective {
  const where = Object.entries(input?.where ?? {}).flatMap(([metric, bounds]) =>
    isMetricName(metric) && bounds !== undefined ? [{ metric, bounds: toBounds(bounds) }] : [],
  )
  if (input?.minimize !== undefined) return { direction: 'minimize', metric: input.minimize, where }
  return { direction: 'maximize', metric: input?.maximize ?? 'netProfit', where }
}

function toBounds({ min, max }: { readonly min?: number | undefined; readonly max?: number | undefined }): Bounds {
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) }
}
