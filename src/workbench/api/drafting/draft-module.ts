/** Puts a dialect together from guesses: only what is lacking, each function with what it was guessed from. */

import { money, percent } from '../reading/dialect-library.ts'
import { fieldsOf, idOf, timeOf } from '../reading/shape.ts'
import { DRAFT_MARKS, draftJob } from './draft-job.ts'
import {
  accessTo,
  draftList,
  guessFields,
  itemsIn,
  memberLines,
  oneLine,
  PAIR,
  SOUGHT,
  seeFields,
  seeList,
  seenAt,
  splitLine,
} from './guess-fields.ts'

/** Bodies as parsed; absent where there was none. */
export interface SeenBodies {
  readonly limits?: unknown
  readonly jobList?: unknown
  /** Single jobs: of GET /{id}, and of the POST that made one. */
  readonly jobs: readonly unknown[]
  readonly symbols?: unknown
  readonly botList?: unknown
}

/** The functions of a dialect that a draft can write, in the order of a draft. */
export const DRAFTED = ['limits', 'jobRequest', 'jobList', 'job', 'jobState', 'symbols', 'botList', 'bot'] as const

export type DraftedName = (typeof DRAFTED)[number]

interface DraftedFunction {
  readonly name: DraftedName
  readonly lines: readonly string[]
}

/** Nothing that is read shows how a job is asked for, so this is what we would send, to be spelled by hand. */
const JOB_REQUEST = [
  '  // No reply shows how a job is asked for: this is what we would send. Spell it as your service wants it; `name` finds a lost job again.',
  '  jobRequest: ({ name, strategyType, exchange, baseAsset, quoteAsset, from, to, interval, ...fields }) => ({',
  '    name,',
  '    strategyType, // "DCA_SPOT"',
  '    exchange,',
  '    baseAsset,',
  '    quoteAsset,',
  '    from, // "2025-01-01T00:00:00.000Z"; in seconds: Date.parse(from) / 1000',
  '    to,',
  '    interval, // "1m", or undefined',
  '    ...fields, // investment, dcaTotalBudget … as the API document names them',
  '  }),',
]

/** A guess for each function of `lacking` that the bodies allow one for. */
export function draftFunctions(seen: SeenBodies, lacking: ReadonlySet<DraftedName>): readonly DraftedFunction[] {
  const { job, jobState } = draftJob({ list: seen.jobList, single: seen.jobs })
  const drafts: Readonly<Record<DraftedName, readonly string[]>> = {
    limits: draftLimits(seen.limits),
    jobRequest: JOB_REQUEST,
    jobList: draftList('jobList', seen.jobList, 'GET /api/backtest/jobs'),
    job,
    jobState,
    symbols: draftSymbols(seen.symbols),
    botList: draftList('botList', seen.botList, 'GET /api/bots'),
    bot: draftBot(seen.botList),
  }
  return DRAFTED.filter((name) => lacking.has(name) && drafts[name].length > 0).map((name) => ({
    name,
    lines: drafts[name],
  }))
}

function draftLimits(body: unknown): readonly string[] {
  const guesses = guessFields(seeFields(body), SOUGHT.limits)
  if (guesses.length === 0) return []
  return ['  limits: (body) => ({ // GET /api/backtest/limits', ...memberLines('body', guesses, '    '), '  }),']
}

function draftSymbols(body: unknown): readonly string[] {
  const list = seeList(body)
  const [item] = list?.items ?? []
  if (list === undefined || fieldsOf(item) === null) return []
  const seen = seeFields(item)
  const guesses = guessFields(seen, SOUGHT.symbol)
  const pair = guesses.some(({ field }) => field === 'baseAsset') ? undefined : guessFields(seen, [PAIR]).at(0)
  return [
    `  symbols: (body) => ${accessTo('body', list.path)}.map((item) => ({ // GET /api/markets/{exchange}/symbols`,
    ...memberLines('item', guesses, '    '),
    ...(pair === undefined ? [] : [splitLine('item', pair.path, seenAt(item, pair.path), '    ')]),
    '  })),',
  ]
}

/** Where the answer about one bot holds it cannot be seen before there is a dialect; the wrappers of its list are tried. */
function draftBot(list: unknown): readonly string[] {
  const [item] = itemsIn(list)
  if (fieldsOf(item) === null) return []
  const guesses = guessFields(seeFields(item), SOUGHT.bot)
  const id = guesses.find(({ field }) => field === 'id')
  if (id === undefined || idOf(seenAt(item, id.path)) === null) return []
  return [
    '  // An item of GET /api/bots, or the answer about one bot. That it is a demo has to stand in the service’s own text.',
    '  bot: (body) => {',
    `    const bot = ${accessTo('body', ['data'])} ?? body`,
    '    return {',
    '      ...bot,',
    ...memberLines('bot', guesses, '      '),
    '    }',
    '  },',
  ]
}

const OPENING = 'export const dialect = {\n'

/** A module of its own, or `existing` with the functions added to its dialect; undefined when it has no such opening line. */
export function writeModule(functions: readonly DraftedFunction[], existing: string | undefined): string | undefined {
  const body = functions.map(({ lines }) => `${lines.join('\n')}\n`).join('')
  if (existing === undefined) {
    return `// Drafted by \`dcalab service draft\`: each line is a guess and says why. DIALECT.md explains every function.\n${OPENING}${body}}\n`
  }
  const at = existing.indexOf(OPENING)
  if (at === -1) return undefined
  return existing.slice(0, at + OPENING.length) + body + existing.slice(at + OPENING.length)
}

/** An earlier draft whose `job` was guessed from one reply or from the list alone, guessed again from all there are; the same text where it was corrected by hand. */
export function draftAgain(existing: string, { jobList, jobs }: SeenBodies): string {
  const now = draftJob({ list: jobList, single: jobs }).job.join('\n')
  const then = [...jobs.map((body) => ({ list: undefined, single: [body] })), { list: jobList, single: [] }]
    .map((seen) => draftJob(seen).job.join('\n'))
    .find((text) => text !== '' && existing.includes(text))
  return then === undefined || now === '' ? existing : existing.replace(then, () => now)
}

/** What a draft calls of 'dcalab', and the lines that bring it. */
const HELPERS = ['money', 'percent', 'share', 'time', 'minutes'] as const
const HEADER = /^import \{ [\w, ]* \} from 'dcalab'\n(?:\nconst \{ .* \} = form\((.*)\)(.*)\n\n)?/m

/**
 * A module with the helpers that it calls: their names, and the form that the texts of the bodies show. A form that was written there by hand
 * stays; a module that brings them in its own way is left alone.
 */
export function bringHelpers(text: string, bodies: SeenBodies): string {
  const earlier = HEADER.exec(text)
  const rest = text.replace(HEADER, '')
  const called = HELPERS.filter((name) => new RegExp(`\\b${name}\\(`).test(rest))
  if (called.length === 0 || rest.includes("from 'dcalab'")) return text
  const at = Math.max(0, earlier?.index ?? rest.indexOf(OPENING))
  return rest.slice(0, at) + headerOf(called.join(', '), earlier, formIn(bodies)) + rest.slice(at)
}

function headerOf(names: string, earlier: RegExpExecArray | null, { options, why }: FormShown): string {
  const [, given, behind = ''] = earlier ?? []
  if (given !== undefined) return `import { form } from 'dcalab'\n\nconst { ${names} } = form(${given})${behind}\n\n`
  if (options === '') return `import { ${names} } from 'dcalab'\n`
  return `import { form } from 'dcalab'\n\nconst { ${names} } = form({ ${options} }) // ${oneLine(why)}\n\n`
}

interface FormShown {
  /** Members of an object literal; empty where nothing is shown. */
  readonly options: string
  readonly why: string
}

/** What the texts show of their form; nothing where they show none, or one text shows another than the next. */
function formIn({ jobs, ...bodies }: SeenBodies): FormShown {
  const texts = [...jobs, ...Object.values(bodies)].flatMap((body) =>
    [body, ...itemsIn(body)].flatMap(seeFields).flatMap(({ value }) => (typeof value === 'string' ? [value] : [])),
  )
  const decimal = shownBy(texts, ['.', ','], (text, mark) =>
    [money, percent].some((read) => typeof read(text.toUpperCase(), { decimal: mark }) === 'number'),
  )
  const dates = shownBy(texts, ['dmy', 'mdy'], (text, order) => timeOf(text, { dates: order, zone: 'UTC' }) !== null)
  const order = dates === undefined ? {} : { dates: dates.choice }
  const zoneless = texts.find(
    (text) => timeOf(text, order) === null && timeOf(text, { ...order, zone: 'UTC' }) !== null,
  )
  const found = [
    ...(decimal === undefined ? [] : [[`decimal: '${decimal.choice}'`, `as in ${JSON.stringify(decimal.text)}`]]),
    ...(dates === undefined ? [] : [[`dates: '${dates.choice}'`, `as in ${JSON.stringify(dates.text)}`]]),
    ...(zoneless === undefined ? [] : [["zone: 'UTC'", `a guess: ${JSON.stringify(zoneless)} names no zone`]]),
  ]
  const options = found.map(([option]) => option).join(', ')
  return { options, why: found.map(([, why]) => why).join('; ') }
}

/** The choice that some text allows and the other does not, with the first such text; undefined where no text decides, or two disagree. */
function shownBy<Choice extends string>(
  texts: readonly string[],
  choices: readonly Choice[],
  allows: (text: string, choice: Choice) => boolean,
): { readonly choice: Choice; readonly text: string } | undefined {
  const decided = texts.flatMap((text) => {
    const allowed = choices.filter((choice) => allows(text, choice))
    return allowed.length === 1 ? [{ choice: allowed[0], text: text.slice(0, 40) }] : []
  })
  return new Set(decided.map(({ choice }) => choice)).size === 1 ? decided.at(0) : undefined
}

const JOB_BEGINS = /^ {2}job: \(body\) => \{\n {4}const job = .*\n {4}return \{$/m

/** An earlier draft with what was not there to be seen then: the name and the request of a job, metrics, its end, and words of states. The same text when there is nothing new. */
export function completeModule(existing: string, { jobList, jobs }: SeenBodies): string {
  const { job, jobState } = draftJob({ list: jobList, single: jobs })
  const from = job.findIndex((line) => line.startsWith('      result: '))
  const result = from === -1 ? [] : job.slice(from, job.findIndex((line, at) => at > from && line === '      } },') + 1)
  const late = result.length === 0 ? [] : job.filter((line) => isLate(line) && !existing.includes(memberOf(line)))
  const words = jobState.filter((line) => line.includes('if (word === ') && !existing.includes(wordIn(line)))
  const sent = lackingOf(existing, job)
  const withSent = sent.length === 0 ? existing : existing.replace(JOB_BEGINS, (begins) => [begins, ...sent].join('\n'))
  const withResult =
    result.length === 0 ? withSent : withSent.replace(DRAFT_MARKS.noMetricYet, () => [...late, ...result].join('\n'))
  return words.length === 0
    ? withResult
    : withResult.replace(DRAFT_MARKS.noOtherWord, (mark) => [...words, mark].join('\n'))
}

/** The lines that read name and request, by which a lost answer is found, where an earlier draft of a job lacks them. */
function lackingOf(existing: string, job: readonly string[]): readonly string[] {
  const from = existing.search(JOB_BEGINS)
  const drafted = from === -1 ? '' : existing.slice(from, existing.indexOf('\n  },\n', from))
  return ['name', 'request'].flatMap((field) => {
    const at = job.findIndex((line) => line.startsWith(`      ${field}: `))
    if (at === -1 || drafted === '' || drafted.includes(`\n      ${field}: `)) return []
    return job.slice(at, field === 'name' ? at + 1 : job.indexOf('      },', at) + 1)
  })
}

/** What a job has only once it has begun or ended. */
function isLate(line: string): boolean {
  return /^ {6}(startedAt|finishedAt|error): /.test(line)
}

/** `      finishedAt:` of a line that reads it. */
function memberOf(line: string): string {
  return line.slice(0, line.indexOf(':') + 1)
}

/** `word === "RIPE"` of a line that explains it, as the draft writes it. */
function wordIn(line: string): string {
  return /word === "(?:[^"\\]|\\.)*"/.exec(line)?.[0] ?? line
}
