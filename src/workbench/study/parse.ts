/**
 * Reads a study file into a checked study, or throws every problem with its place; plans the trials of a study, and says which settings its
 * file asks for.
 */
import { CONFIG_DEFAULTS, CONFIG_FIELDS, forEachField } from '../../contract/bot.ts'
import { isMetricName, METRICS } from '../../contract/metrics.ts'
import { Failure, findSimilar } from '../../errors.ts'
import { readDefinition, readSearch, readWalkForward } from './fields.ts'
import { studyFingerprint } from './fingerprint.ts'
import { findFoldProblem } from './folds.ts'
import { createGrid, inLadderOrder, trialsOfConfig } from './grid.ts'
import { isMapping, type Path, pathText, valueAt } from './path.ts'
import { expectationOf, findSchemaProblems, type SchemaWords } from './problems.ts'
import { type StudyFields, studyJsonSchema, studyNameSchema, studySchema } from './schema.ts'
import type { AskedSettings, Settings } from './settings.ts'
import { type PlacedProblem, placeProblems, readSourceDocument, type SourceDocument } from './source-document.ts'
import { findSpanProblem, spansOf } from './spans.ts'
import { MAX_TRIALS, METHOD_NAMES, type MethodName, SEARCH_METHODS, type Study, type Trial } from './study.ts'

// What the parts of a study file must be together. Each check compares parts that are valid by themselves; the schema reports the rest.

type Part = keyof StudyFields
type Found = { readonly path: Path; readonly message: string }

function findProblemsTogether(document: SourceDocument): readonly PlacedProblem[] {
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

const WORDS: SchemaWords = {
  jsonSchema: studyJsonSchema,
  keyNotes: {
    ...forEachField(() => 'unknown key here; write a config field in base (one value) or in grid (several)'),
    exchange: 'unknown key here; it belongs in market: { exchange, baseAsset, quoteAsset }',
    baseAsset: 'unknown key here; it belongs in market: { exchange, baseAsset, quoteAsset }',
    quoteAsset: 'unknown key here; it belongs in market: { exchange, baseAsset, quoteAsset }',
    isDemo: 'a study has no isDemo: it is only backtested, and promote makes demo bots only',
    userEmail: 'a study has no userEmail: the owner is a setting (DCALAB_USER_EMAIL)',
    strategyType: 'a study has no strategyType: it is always DCA_SPOT',
    score: 'unknown key here; a screen ranks by the objective',
    '<<': 'merge keys are not supported; write the values out',
  },
}

/** The most points that one run can screen; far fewer can be run (`planTrials`), more are screened in parts. */
const MAX_GRID_POINTS = 10_000_000

/**
 * Reads a study file (YAML 1.2 or JSON). Pure: no file is opened, `file` is only the name in problems.
 * @param mostPoints of its grid, where it is not screened by one run
 * @throws Failure studyInvalid with every problem as `file:line:column` and dotted path
 */
export function parseStudy(
  text: string,
  { file, mostPoints = MAX_GRID_POINTS }: { readonly file: string; readonly mostPoints?: number },
): Study {
  const document = readSourceDocument(text, file)
  const parsed = document.isReadable ? studySchema.safeParse(document.value, { error: expectationOf }) : undefined
  const problems = [
    ...document.problems,
    ...(parsed === undefined ? [] : findSchemaProblems(document, parsed.error?.issues ?? [], WORDS)),
    ...(parsed === undefined
      ? []
      : [...findFieldProblems(document), ...findSizeProblems(document, mostPoints), ...findProblemsTogether(document)]),
  ]
  if (parsed?.success && problems.length === 0) return buildStudy(parsed.data, document, text)
  const placed = placeProblems(document, problems)
  const count = placed.length === 1 ? '1 problem' : `${placed.length} problems`
  throw new Failure('studyInvalid', `${file} is not a valid study: ${count}`, { problems: placed })
}

/** True for a valid name of a study, which is also a file name. */
export function isStudyName(name: string): boolean {
  return studyNameSchema.safeParse(name).success
}

const FIELDS = forEachField(() => true)

/** Every config field must be in exactly one of base and grid, or have a default. */
function findFieldProblems(document: SourceDocument): readonly PlacedProblem[] {
  const base = valueAt(document.value, ['base']) ?? {}
  const grid = valueAt(document.value, ['grid'])
  if (!isMapping(base) || !isMapping(grid)) return [] // the schema reports this
  const given = [...Object.keys(base), ...Object.keys(grid)]
  // A misspelt field is reported as an unknown key and not also as missing.
  const meant = given.map((key) => (Object.hasOwn(FIELDS, key) ? key : findSimilar(key, CONFIG_FIELDS)))
  return CONFIG_FIELDS.flatMap((field): readonly PlacedProblem[] => {
    if (Object.hasOwn(base, field) && Object.hasOwn(grid, field)) {
      const inBase = document.placeAt(document.offsetOf(['base', field], 'key'))
      const message = `grid.${field}: the field is in base too (${inBase}); expected it in one of them`
      return [{ offset: document.offsetOf(['grid', field], 'key'), message }]
    }
    if (meant.includes(field) || CONFIG_DEFAULTS[field] !== undefined) return []
    const message = `base.${field}: expected a number here or values in grid, found neither`
    return [{ offset: document.offsetOf(['base'], 'key'), message }]
  })
}

/** Counts points before anything is expanded; an axis that has a problem counts as 1. */
function findSizeProblems(document: SourceDocument, mostPoints: number): readonly PlacedProblem[] {
  const lengths = CONFIG_FIELDS.flatMap((field) => {
    const axis = studySchema.shape.grid.shape[field].safeParse(valueAt(document.value, ['grid', field]))
    return axis.success && axis.data !== undefined && axis.data.length > 1n ? [axis.data.length] : []
  })
  const points = lengths.reduce((product, length) => product * length, 1n)
  const longest = lengths.reduce((most, length) => (length > most ? length : most), 1n)
  if (points <= BigInt(mostPoints) && longest <= BigInt(MAX_GRID_POINTS)) return []
  const found = `${lengths.length > 1 ? `${lengths.join(' × ')} = ` : ''}${points} points`
  const more = mostPoints > MAX_GRID_POINTS ? `, and ${MAX_GRID_POINTS} on one axis` : ''
  const message = `grid: ${found}; expected at most ${mostPoints}${more}`
  return [{ offset: document.offsetOf(['grid'], 'key'), message }]
}

function buildStudy(input: StudyFields, document: SourceDocument, source: string): Study {
  const asked = readDefinition(input, document.value)
  return { name: input.name, fingerprint: studyFingerprint(asked), ...asked, source }
}

// The trials of a study: the points of its grid that are run.

export interface TrialPlan {
  /** Points of the grid = breaksLimit + duplicates + configs. */
  readonly grid: number
  readonly breaksLimit: number
  readonly duplicates: number
  /** Different feasible configurations: each is a trial on every market. */
  readonly configs: number
  /** In grid order; those of a configuration in the order of the markets. */
  readonly trials: readonly Trial[]
}

/** @throws Failure studyInvalid when there are more than `limit` distinct feasible trials */
export function planTrials(study: Study, { limit = MAX_TRIALS }: { readonly limit?: number } = {}): TrialPlan {
  const grid = createGrid(study)
  const found: number[] = []
  const counts = { trial: 0, duplicate: 0, breaksLimit: 0 }
  createGrid(study, inLadderOrder(study.axes)).visit(0, grid.points, ({ config, fate }) => {
    counts[fate]++
    if (fate !== 'trial') return
    if ((found.length + 1) * study.markets.length > limit) throw tooManyTrials(study, limit)
    const index = grid.findPoint(config)
    if (index !== null) found.push(index)
  })
  const inOrder = found.sort((a, b) => a - b)
  const trials = inOrder.flatMap((index) => trialsOfConfig(study, grid.configAt(index)))
  return {
    grid: grid.points,
    breaksLimit: counts.breaksLimit,
    duplicates: counts.duplicate,
    configs: counts.trial,
    trials,
  }
}

function tooManyTrials(study: Study, limit: number): Failure {
  const document = readSourceDocument(study.source, study.name)
  const place = document.placeAt(document.offsetOf(['grid'], 'key'))
  const message = `grid: more than ${limit} distinct trials within limits; expected at most ${limit} to run`
  return new Failure('studyInvalid', `${study.name} has too many trials to run`, {
    problems: [{ place, message }],
    hint: 'screen it on local candles (`dcalab screen`), narrow the grid, or limit it with where',
  })
}

// Which settings the file of a study asks for. This reads the file's text, which loads a reader of YAML; so it is no part of `settings.ts`, which
// every command on a store loads.

export function askedSettings({
  costs,
  conventions,
  interval,
  source,
}: Pick<Study, 'costs' | 'conventions' | 'interval' | 'source'>): AskedSettings {
  const { value } = readSourceDocument(source, 'the study')
  const isNamed = (key: string) => valueAt(value, [key]) !== undefined
  const names = { costs: isNamed('costs'), conventions: isNamed('conventions'), interval: interval !== null }
  return { costs, conventions, interval, names }
}

/** What the file of a study asks for: what it does not name is left to the service. */
export function settingsOf(study: Study): Settings {
  const { costs, conventions, names } = askedSettings(study)
  return {
    interval: study.interval,
    conventions: names.conventions ? { ...conventions } : null,
    costs: names.costs ? costs : null,
    symbol: null,
  }
}
