/** What was judged last, for those that judge nothing themselves: light enough for every ranking. */
import type { KeptVerdict } from '../workbench/store/verdicts.ts'
import type { Grade } from '../workbench/verdict/judge.ts'
import { wrapWords } from './output.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** "3 hours ago"; "just now" under a minute. */
export function ageOf(ms: number): string {
  if (ms < MINUTE_MS) return 'just now'
  const [size, name] = ms < HOUR_MS ? [MINUTE_MS, 'minute'] : ms < DAY_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day']
  const count = Math.floor(ms / size)
  return `${count} ${name}${count === 1 ? '' : 's'} ago`
}

/** Grades as a column has them, worst first. */
const GRADE_WORDS = {
  doNotUse: 'do not use',
  notJudged: 'not judged',
  holdingDidBetter: 'below holding',
  holdingAsGood: 'as holding',
  noBetterThanPlain: 'as plain',
  ahead: 'ahead',
  beat: 'beat',
} as const satisfies Readonly<Record<Grade, string>>

/** null = it was not judged. */
export function gradeWord(found: Pick<KeptVerdict, 'grade'> | undefined): string | null {
  return found === undefined ? null : GRADE_WORDS[found.grade]
}

/** Days that a person waits, where nothing else is said. */
export const USUAL_HORIZON_DAYS = 30

export const VERDICT_WIDTH = 80

/** Two or three lines below a ranking or a result: what was judged last, and the command that judges. */
export function describeLastVerdict(
  found: KeptVerdict | undefined,
  { now, target }: { readonly now: number; readonly target: string },
): readonly string[] {
  if (found === undefined) return [`not judged yet: dcalab verdict ${target}`]
  const { headline, sentence, judgedAt, isStale } = found
  const age = ageOf(now - Date.parse(judgedAt))
  const when = isStale ? `judged ${age}; newer results exist: dcalab verdict ${target}` : `judged ${age}`
  return [...briefly({ headline, sentence }), `(${when})`]
}

export function briefly({ headline, sentence }: Pick<KeptVerdict, 'headline' | 'sentence'>): readonly string[] {
  return wrapped(`${headline.toUpperCase()}. ${sentence}`, '')
}

/** Broken between words; no line is wider than the terminal of 80 columns but for a word that is. @param first no longer than `next` */
export function wrapped(text: string, first: string, next = first): readonly string[] {
  return wrapWords(text, VERDICT_WIDTH - next.length).map((line, at) => (at === 0 ? first : next) + line)
}
