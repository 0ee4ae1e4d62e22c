/** What files and flags say about conventions → all of them resolved, or every problem. */
import {
  CHOICE_NAMES,
  CONVENTION_PRESETS,
  CONVENTION_VALUES,
  type Conventions,
  PRESET_NAMES,
  SAFETY_ORDER_SIZE,
} from './conventions.ts'

/** What is wrong with a convention, and where: `path` is relative to the value given ('' = the value itself). */
interface ConventionProblem {
  readonly path: string
  readonly message: string
}

type ResolvedConventions = { readonly conventions: Conventions } | { readonly problems: readonly ConventionProblem[] }

/**
 * Reads what files and flags say about conventions: a preset's name, or `{ preset, …overrides }` (without a preset: `default`;
 * absent altogether: `default`). All problems at once. `explicit` sizing requires `safetyOrderSize`; with any other sizing it must be
 * absent or null, because it would silently do nothing.
 */
export function resolveConventions(input: unknown): ResolvedConventions {
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
  return withSizeJudged(resolved as unknown as Conventions, problems) // a preset in which checked values have replaced others of the same name
}

/** In the order in which results state them. */
export const CONVENTION_NAMES: readonly string[] = [...CHOICE_NAMES, 'safetyOrderSize']

/** Reads conventions as results state them: every one by its name, no preset standing in for the others. All problems at once. */
export function readStatedConventions(read: (name: string) => unknown): ResolvedConventions {
  const stated: Record<string, unknown> = {}
  const problems: ConventionProblem[] = []
  for (const name of CONVENTION_NAMES) {
    stated[name] = read(name)
    const message = findValueProblem(name, stated[name])
    if (message !== undefined) problems.push({ path: name, message })
  }
  return withSizeJudged(stated as unknown as Conventions, problems) // used only where every value was found to be one
}

const SIZING_PATHS = ['preset', 'safetyOrderSizing', 'safetyOrderSize']

/** Looks for a missing or useless size only where sizing and size themselves could be read. */
function withSizeJudged(conventions: Conventions, problems: readonly ConventionProblem[]): ResolvedConventions {
  const isSizingKnown = problems.every(({ path }) => !SIZING_PATHS.includes(path))
  const message = isSizingKnown ? findSizeProblem(conventions) : undefined
  if (message !== undefined) return { problems: [...problems, { path: 'safetyOrderSize', message }] }
  return problems.length === 0 ? { conventions } : { problems }
}

function isPreset(name: unknown): name is keyof typeof CONVENTION_PRESETS {
  return typeof name === 'string' && Object.hasOwn(CONVENTION_PRESETS, name)
}

function findValueProblem(name: string, value: unknown): string | undefined {
  if (name === 'safetyOrderSize') {
    const isSize =
      value === null || (typeof value === 'number' && Number.isFinite(value) && value > SAFETY_ORDER_SIZE.above)
    return isSize ? undefined : `expected a quote amount above ${SAFETY_ORDER_SIZE.above}, found ${spell(value)}`
  }
  if (!Object.hasOwn(CONVENTION_VALUES, name))
    return `unknown convention; there are preset, ${listed(CONVENTION_NAMES)}`
  const values: readonly string[] = CONVENTION_VALUES[name as keyof typeof CONVENTION_VALUES] // just seen to be one of its keys
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
  return `expected ${listed(values)}, found ${spell(found)}`
}

function spell(value: unknown): string {
  if (typeof value === 'number') return String(value) // JSON has no word for Infinity
  return value === undefined ? 'nothing' : JSON.stringify(value)
}

function listed(values: readonly string[]): string {
  return values.join(', ')
}
