/** What parts of a study file must be in view of each other. Each check looks at parts that are valid by themselves; the schema reports the rest. */
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { isMetricName, METRICS } from '../../contract/metrics.ts'
import { readSearch, readWalkForward } from './fields.ts'
import { findFoldProblem } from './folds.ts'
import type { PlacedProblem } from './node-reader.ts'
import { isMapping, type Path, pathText, valueAt } from './path.ts'
import { type StudyFields, studySchema } from './schema.ts'
import type { SourceDocument } from './source-document.ts'
import { findSpanProblem, spansOf } from './spans.ts'
import { METHOD_NAMES, type MethodName, SEARCH_METHODS } from './study.ts'

type Part = keyof StudyFields
type Found = { readonly path: Path; readonly message: string }

export function findProblemsTogether(document: SourceDocument): readonly PlacedProblem[] {
  const found = [...judgeMarkets(document), ...judgeSpans(document), ...judgeSearch(document), ...judgeUnits(document)]
  return found.map(({ path, message }) => ({
    offset: document.offsetOf(path, 'value'),
    message: `${pathText(path)}: ${message}`,
  }))
}

/** A part of the file as the schema reads it; undefined = absent, or not valid. */
function read<Name extends Part>(document: SourceDocument, part: Name): StudyFields[Name] | undefined {
  const parsed = studySchema.shape[part].safeParse(valueAt(document.value, [part]))
  return parsed.success ? (parsed.data as StudyFields[Name]) : undefined // the schema of this part
}

function judgeMarkets(document: SourceDocument): readonly Found[] {
  if (!isMapping(document.value)) return [] // the schema reports this
  const isGiven = (part: Part) => valueAt(document.value, [part]) !== undefined
  if (isGiven('market') && isGiven('markets'))
    return [{ path: ['markets'], message: 'there is a market too; expected one of the two' }]
  if (!isGiven('market') && !isGiven('markets'))
    return [
      {
        path: ['market'],
        message: 'expected { exchange, baseAsset, quoteAsset }, or a list of them in markets, found nothing',
      },
    ]
  return []
}

function judgeSpans(document: SourceDocument): readonly Found[] {
  const period = read(document, 'period')
  const validate = read(document, 'validate')
  if (period === undefined || validate === undefined) return []
  const message = findSpanProblem({ period, validate })
  if (message !== undefined) return [{ path: ['validate', 'holdout'], message }]
  const walkForward = readWalkForward({ validate })
  const { train } = spansOf({ period, validate })
  const lengths = walkForward === null ? undefined : findFoldProblem(train, walkForward)
  return lengths === undefined ? [] : [{ path: ['validate', 'walkForward'], message: lengths }]
}

function usesOf(method: MethodName): readonly string[] {
  return SEARCH_METHODS[method].uses
}

const SEARCH_KEYS = [...new Set(METHOD_NAMES.flatMap(usesOf))]

function judgeSearch(document: SourceDocument): readonly Found[] {
  const search = read(document, 'search')
  if (search === undefined && valueAt(document.value, ['search']) !== undefined) return []
  const grid = read(document, 'grid')
  const plan = readSearch(search === undefined ? {} : { search })
  const { method } = plan
  const unused = SEARCH_KEYS.flatMap((key): readonly Found[] => {
    const methods = METHOD_NAMES.filter((name) => usesOf(name).includes(key))
    if (methods.includes(method) || valueAt(document.value, ['search', key]) === undefined) return []
    const message = `the method ${method} has no use for it; it belongs to ${methods.join(', ')}`
    return [{ path: ['search', key], message }]
  })
  const tooMany: readonly Found[] =
    method === 'screen' && plan.samples >= plan.configs
      ? [
          {
            path: ['search', 'samples'],
            message: `expected fewer than configs (${plan.configs}), so that some of the best are confirmed; found ${plan.samples}`,
          },
        ]
      : []
  const continuous = CONFIG_FIELDS.filter((field) => grid?.[field]?.continuous !== undefined)
  const drawing = METHOD_NAMES.filter((name) => SEARCH_METHODS[name].draws)
  const levels = SEARCH_METHODS[method].draws
    ? []
    : continuous.map((field) => ({
        path: ['grid', field],
        message: `expected { from, to, step } or { from, to, count }, found neither step nor count; without them it is continuous, which only the search methods ${drawing.join(' and ')} can draw from`,
      }))
  return [...unused, ...tooMany, ...levels]
}

/** Money of unlike quote assets cannot be compared or averaged. */
function judgeUnits(document: SourceDocument): readonly Found[] {
  const objective = read(document, 'objective')
  const quotes = new Set((read(document, 'markets') ?? []).map(({ quoteAsset }) => quoteAsset))
  if (quotes.size < 2) return []
  const named = [objective?.maximize, objective?.minimize, ...Object.keys(objective?.where ?? {})]
  return named
    .filter((name) => name !== undefined && isMetricName(name) && METRICS[name].unit === 'quote')
    .map((name) => ({
      path: ['objective'],
      message: `${name} is money, and the markets are paid in ${[...quotes].join(', ')}; expected a metric without a currency, such as roiPercent`,
    }))
}
