/** Guesses how a service spells a backtest job: its id, its state, what was asked, what came out. */
import { CONFIG_FIELDS } from '../../../contract/bot.ts'
import { fieldsOf, idOf, isUsableId, timeOf } from '../reading/shape.ts'
import {
  accessTo,
  type Guess,
  guessFields,
  itemsIn,
  memberLines,
  oneLine,
  PAIR,
  plainName,
  type SeenField,
  SOUGHT,
  seeFields,
  seenAt,
  seeObject,
  splitLine,
} from './guess-fields.ts'

interface SeenJobs {
  /** The body of the list. */
  readonly list: unknown
  /** Bodies of single jobs: of GET /{id}, and of the POST that made one. */
  readonly single: readonly unknown[]
}

/** The id of the first item that probably says the most, to read it by itself; null when no id can be guessed. */
export function guessJobId(list: unknown): string | null {
  const items = itemsIn(list)
  const path = idPathOf(items)
  if (path === undefined) return null
  const fullest = items.toSorted((a, b) => seeFields(b).length - seeFields(a).length).at(0)
  const id = idOf(seenAt(fullest, path))
  return id !== null && isUsableId(id) ? id : null
}

/**
 * The field that is named like an id. Else a field that behaves like one: it differs in each item, its name means nothing else, and single
 * replies, where there are some, repeat it.
 */
function idPathOf(items: readonly unknown[], single: readonly unknown[] = []): readonly string[] | undefined {
  const [first] = items
  const common = seeFields(first).filter(({ path }) => differsInEach(items, path))
  const named = guessFields(common, SOUGHT.job).find(({ field }) => field === 'id')
  if (named !== undefined) return named.path
  const repeated = new Set(single.flatMap(seeFields).flatMap(({ value }) => idOf(value) ?? []))
  const isRepeated = ({ path }: SeenField) => items.some((item) => repeated.has(idOf(seenAt(item, path)) ?? ''))
  const otherwise = [...SOUGHT.job, ...SOUGHT.metrics, ...SOUGHT.request].filter(({ field }) => field !== 'id')
  const might = common.filter((seen) => mayBeId(seen) && !otherwise.some(({ names }) => names.test(seen.name)))
  return (might.find(isRepeated) ?? (single.length === 0 || items.length > 1 ? might.at(0) : undefined))?.path
}

/** Whether the field at `path` has another value in each item, as an id has. */
function differsInEach(items: readonly unknown[], path: readonly string[]): boolean {
  const values = items.map((item) => seenAt(item, path))
  return new Set(values).size === items.length
}

/** A whole number, or a text with a digit and without spaces; not a time, a decimal number or a name that we gave a job. */
function mayBeId({ value }: SeenField): boolean {
  const id = idOf(value)
  if (id === null || !isUsableId(id) || timeOf(value, { zone: 'UTC' }) !== null) return false
  return typeof value === 'number' || (/^[^\s]*\d[^\s]*$/.test(id) && !/^dcalab-|^-?\d*[.,]\d+/.test(id))
}

/** The line in place of metrics until some are seen, and the line before which further words are explained. */
export const DRAFT_MARKS = {
  noMetricYet: '      // no metric was seen yet: draft again when a job is done',
  noOtherWord: "    return 'unknown' // its job is polled on, and its word is shown",
} as const

/** `job` and `jobState`; nothing when no job was seen, or none whose id can be guessed. */
export function draftJob({ list, single }: SeenJobs): {
  readonly job: readonly string[]
  readonly jobState: readonly string[]
} {
  const items = itemsIn(list)
  const example = items.length > 0 ? items : single.slice(0, 1)
  const idPath = items.length > 0 ? idPathOf(items, single) : singleIdPath(single.at(0))
  if (example.length === 0 || idPath === undefined) return { job: [], jobState: [] }
  const key = idPath.at(-1) ?? ''
  const wrappers = items.length > 0 ? wrappersOf(single, idPath) : [idPath.slice(0, -1)]
  const roots = items.length > 0 ? items : [seenAt(single[0], idPath.slice(0, -1))]
  const unwrapped = single.map((body) =>
    wrappers.map((path) => seenAt(body, path)).find((inner) => fieldsOf(inner) !== null),
  )
  const fullest = [...roots, ...unwrapped].toSorted((a, b) => seeFields(b).length - seeFields(a).length).at(0)
  const body = wrappers.filter((path) => path.length > 0).map((path) => accessTo('body', path))
  const lines = jobLines(fullest, items.length > 0 ? idPath : [key])
  return {
    job: [
      '  // A list item, or the answer of GET /api/backtest/jobs/{id} and of the POST: a guess for each field, and what was seen there.',
      '  job: (body) => {',
      `    const job = ${[...body, 'body'].join(' ?? ')}`,
      '    return {',
      ...lines,
      '    }',
      '  },',
    ],
    jobState: draftStates(statesOf([...roots, ...unwrapped])),
  }
}

/** Of one reply alone: by its name, else the first field that might be an id. */
function singleIdPath(body: unknown): readonly string[] | undefined {
  const named = guessFields(seeFields(body), SOUGHT.job).find(({ field }) => field === 'id')
  return named?.path ?? idPathOf([body])
}

/** Where single replies have what the list has as an item: the objects with an id at the same path. */
function wrappersOf(single: readonly unknown[], idPath: readonly string[]): readonly (readonly string[])[] {
  const paths = single.map((body) => seeObject(body, (value) => idOf(seenAt(value, idPath)) !== null))
  const texts = new Map(paths.filter((path) => path !== undefined).map((path) => [path.join('\n'), path]))
  return [...texts.values()]
}

function jobLines(job: unknown, idPath: readonly string[]): string[] {
  const seen = seeFields(job)
  const configPath = seeObject(job, isConfig)
  const isOfConfig = ({ path }: SeenField) => configPath !== undefined && startsWith(path, configPath)
  const askedPath = configPath?.slice(0, 1) ?? []
  const isAsked = ({ path }: SeenField) => askedPath.length > 0 && startsWith(path, askedPath)
  const outside = seen.filter((field) => !isAsked(field))
  const own = outside.filter(({ path }) => path.length <= 2)
  const guessed = withId(
    guessFields([...outside.filter(({ path }) => path.join() === idPath.join()), ...own], SOUGHT.job),
    { field: 'id', path: idPath, value: seenAt(job, idPath) },
  )
  const used = new Set(guessed.map(({ path }) => path.join('\n')))
  const metrics = guessFields(
    outside.filter(({ path, value }) => !used.has(path.join('\n')) && typeof value !== 'boolean'),
    SOUGHT.metrics,
  )
  const request =
    askedPath.length === 0
      ? []
      : requestLines(
          job,
          seen.filter((field) => isAsked(field) && !isOfConfig(field)),
          configPath ?? [],
        )
  const unused = outside.filter(
    ({ path }) => ![...guessed, ...metrics].some((guess) => guess.path.join() === path.join()),
  )
  return [
    ...memberLines('job', guessed, '      '),
    ...(request.length === 0 ? [] : [`      request: ${accessTo('job', askedPath)} && {`, ...request, '      },']),
    ...resultLines(metrics),
    ...(unused.length === 0
      ? []
      : [
          `      // seen and not used: ${unused
            .slice(0, 12)
            .map(({ path }) => oneLine(path.join('.')))
            .join(', ')}`,
        ]),
  ]
}

/** An id that its name does not show is added by what it does. */
function withId(
  guesses: readonly Guess[],
  { field, path, value }: { field: 'id' } & Omit<SeenField, 'name'>,
): readonly Guess[] {
  if (guesses.some((guess) => guess.field === field)) return guesses
  const reason = `${(JSON.stringify(value) ?? '').slice(0, 60)}: taken for the id, as it differs in each job`
  const isOther = (guess: Guess) => guess.path.join() !== path.join()
  return [{ field, path, convert: (expression) => expression, reason }, ...guesses.filter(isOther)]
}

function resultLines(metrics: readonly Guess[]): string[] {
  const [first] = metrics
  if (first === undefined) return [DRAFT_MARKS.noMetricYet]
  const shared = metrics.reduce<readonly string[]>(
    (path, guess) => sharedStart(path, guess.path),
    first.path.slice(0, -1),
  )
  const exists = shared.length > 0 ? accessTo('job', shared) : `${accessTo('job', first.path)} !== undefined`
  return [`      result: ${exists} && { metrics: {`, ...memberLines('job', metrics, '        '), '      } },']
}

function requestLines(job: unknown, around: readonly SeenField[], configPath: readonly string[]): string[] {
  const guesses = guessFields(around, SOUGHT.request)
  const has = (field: string) => guesses.some((guess) => guess.field === field)
  const pair = has('baseAsset') ? undefined : guessFields(around, [PAIR]).at(0)
  const config = fieldsOf(seenAt(job, configPath)) ?? {}
  const isOurs = Object.keys(config)
    .filter((key) => isConfigKey(key))
    .every((key) => CONFIG_FIELDS.some((field) => field === key))
  const root = accessTo('job', configPath)
  return [
    ...memberLines('job', guesses, '        '),
    ...(pair === undefined ? [] : [splitLine('job', pair.path, seenAt(job, pair.path), '        ')]),
    ...(isOurs
      ? [`        ...${root}, // the fields of a bot, under our names`]
      : Object.keys(config)
          .filter(isConfigKey)
          .map(
            (key) =>
              `        ${CONFIG_FIELDS.find((field) => plainName(field) === plainName(key))}: ${accessTo('job', [...configPath, key])},`,
          )),
  ]
}

function isConfigKey(key: string): boolean {
  return CONFIG_FIELDS.some((field) => plainName(field) === plainName(key))
}

/** What echoes the fields of a bot: at least three of them side by side. */
function isConfig(value: unknown): boolean {
  return Object.keys(fieldsOf(value) ?? {}).filter(isConfigKey).length >= 3
}

function startsWith(path: readonly string[], start: readonly string[]): boolean {
  return start.every((key, at) => path[at] === key)
}

function sharedStart(a: readonly string[], b: readonly string[]): readonly string[] {
  const end = a.findIndex((key, at) => b[at] !== key)
  return end === -1 ? a : a.slice(0, end)
}

interface SeenState {
  readonly word: string
  /** It has metrics, so it is done. */
  readonly hasResult: boolean
}

function statesOf(jobs: readonly unknown[]): readonly SeenState[] {
  const states = jobs.flatMap((job) => {
    const seen = seeFields(job)
    const state = guessFields(
      seen.filter(({ path }) => path.length <= 2),
      SOUGHT.job,
    ).find(({ field }) => field === 'state')
    const word = state === undefined ? undefined : seenAt(job, state.path)
    const outside = seen.filter(({ path }) => !startsWith(path, seeObject(job, isConfig)?.slice(0, 1) ?? ['\n']))
    const hasResult = guessFields(outside, SOUGHT.metrics).some(({ field }) => field === 'netProfit')
    return typeof word === 'string' ? [{ word, hasResult }] : []
  })
  return [
    ...new Map(
      states.toSorted((a, b) => Number(a.hasResult) - Number(b.hasResult)).map((state) => [state.word, state]),
    ).values(),
  ]
}

/** What words for states usually mean, read from their beginning. */
const STATE_WORDS = {
  pending: /^(wait|queue|pend|run|calc|process|start|new|creat|accept|submit|open|in_?progress|active)/i,
  done: /^(done|finish|complet|succe|ready|ok$)/i,
  failed: /^(fail|err|abort|cancel|broke|reject|crash|timeout)/i,
} as const

/** Words that were seen, as they stand; others by what such words usually mean. */
function draftStates(states: readonly SeenState[]): readonly string[] {
  if (states.length === 0) return []
  const meanings = states.slice(0, 12).map(({ word, hasResult }) => {
    const usual = Object.entries(STATE_WORDS).find(([, words]) => words.test(word))?.[0]
    return {
      word,
      meaning: hasResult ? 'done' : (usual ?? 'pending'),
      why: hasResult
        ? 'it has metrics'
        : usual === undefined
          ? 'a guess: nothing says what it means'
          : 'what such a word usually means',
    }
  })
  return [
    '  jobState: (word) => {',
    ...meanings.map(
      ({ word, meaning, why }) => `    if (word === ${JSON.stringify(oneLine(word))}) return '${meaning}' // ${why}`,
    ),
    ...Object.entries(STATE_WORDS).map(
      ([meaning, words]) => `    if (${String(words)}.test(word)) return '${meaning}'`,
    ),
    DRAFT_MARKS.noOtherWord,
    '  },',
  ]
}
