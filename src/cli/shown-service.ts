/** Whose results a reading command shows: the option that chooses, declared once, and the heading that says which service it is. */
import type { Command } from 'commander'
import { marketName } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import type { Terminal } from '../system.ts'
import type { Choice } from '../workbench/bots/promote/choose-trial.ts'
import type { ServiceQuestion } from '../workbench/store/choose-service.ts'
import type { ResultChoice } from '../workbench/store/find-trial.ts'
import type { StudyRecord, TrialRecord } from '../workbench/store/records.ts'
import type { Store } from '../workbench/store/store.ts'
import type { StudyCount } from '../workbench/store/study-counts.ts'
import type { KeptVerdict } from '../workbench/store/verdicts.ts'
import type { Context } from './context.ts'
import { option, whole } from './option.ts'
import { say, wrapWords } from './output.ts'

// What was judged last, for those that judge nothing themselves: light enough for every ranking.

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** "3 hours ago"; "just now" under a minute. */
function ageOf(ms: number): string {
  if (ms < MINUTE_MS) return 'just now'
  const [size, name] = ms < HOUR_MS ? [MINUTE_MS, 'minute'] : ms < DAY_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day']
  const count = Math.floor(ms / size)
  return `${count} ${name}${count === 1 ? '' : 's'} ago`
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
  const when = isStale ? `judged ${age}, out of date: dcalab verdict ${target}` : `judged ${age}`
  return [...briefly({ headline, sentence }), `(${when})`]
}

export function briefly({ headline, sentence }: Pick<KeptVerdict, 'headline' | 'sentence'>): readonly string[] {
  return wrapped(`${headline.toUpperCase()}. ${sentence}`, '')
}

/** Broken between words; no line is wider than the terminal of 80 columns but for a word that is. @param first no longer than `next` */
export function wrapped(text: string, first: string, next = first): readonly string[] {
  return wrapWords(text, VERDICT_WIDTH - next.length).map((line, at) => (at === 0 ? first : next) + line)
}

export interface ServiceOptions {
  readonly service?: string | undefined
}

/** In place of a name, where a command can show results of all services. */
export const EVERY_SERVICE = 'all'

/** Every command that shows stored results takes it. `more`: what else a name may be. */
export function withServiceOption(command: Command, more = ''): Command {
  return command.addOption(
    option('--service <name>', `results of this service${more}`, { otherwise: 'the configured one if it has results' }),
  )
}

/** What was asked for and what the settings name. No service is asked. */
export async function serviceQuestion(
  context: Context,
  store: Store,
  { service: asked }: ServiceOptions,
): Promise<ServiceQuestion> {
  return { asked, configured: await configuredIdentity(context, store) }
}

/** undefined = none is known; an address that cannot be used is none: stored results are read without it. */
async function configuredIdentity(context: Context, store: Store): Promise<string | undefined> {
  const { findServiceAccount } = await import('./service-link.ts')
  try {
    return (await findServiceAccount(context, store))?.identity
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/** Whose results are shown, as a heading says it. */
export interface ShownService {
  /** Short names; of trials of several services all of them. */
  readonly name: string
  /** Line by line: "results of bots.example (87 of 128), revision 2 of 3", "also embedded (128 of 128): --service embedded". */
  readonly parts: readonly string[]
  /** Something is to be said though nobody reads headings: there are others, or there is no result. */
  readonly isNoted: boolean
}

/** Of the results of a study. `service`: null = it was run on none. */
export function shownService(
  { service, others, revision, revisions }: Pick<StudyCount, 'service' | 'others' | 'revision' | 'revisions'>,
  { asked, configured }: ServiceQuestion,
): ShownService | null {
  if (service === null) return null
  const { name, done, total } = service
  const ofSettings = others.find(({ identity }) => asked === undefined && identity === configured)
  const which = revisions > 1 ? `, revision ${revision} of ${revisions}` : ''
  const parts = [
    done === 0
      ? `nothing finished on ${name} (0 of ${total})${which}`
      : `results of ${name} (${done} of ${total})${which}`,
    ...(ofSettings?.done === 0 ? [`nothing finished on ${ofSettings.name}, the configured one`] : []),
    ...others
      .filter(({ done, open }) => done + open > 0)
      .map((other) => {
        const open = other.open === 0 ? '' : `, ${other.open} under way`
        return `also ${other.name} (${other.done} of ${other.total}${open}): --service ${other.name}`
      }),
  ]
  return { name, parts, isNoted: parts.length > 1 || done === 0 }
}

/** Of single results. */
export async function serviceOfTrials(
  store: Store,
  trials: readonly Pick<TrialRecord, 'fingerprint' | 'identity'>[],
): Promise<ShownService> {
  const { listServices, serviceName, servicesWithResult } = await import('../workbench/store/services.ts')
  const names = new Map(listServices(store).map(({ identity, name }) => [identity, name]))
  const shown = [...new Set(trials.map(({ identity }) => identity))]
  const other = new Set(trials.flatMap(({ fingerprint }) => servicesWithResult(store, fingerprint)))
  const also = [...other].filter((identity) => !shown.includes(identity)).map((identity) => names.get(identity))
  const name = shown.map((identity) => serviceName(store, identity)).join(', ')
  return {
    name,
    parts: [`results of ${name}`, ...also.map((one) => `also ${one}: --service ${one}`)],
    isNoted: also.length > 0,
  }
}

const WIDTH = 80

/** The heading, in one line where it fits behind `lead`. */
export function headingOf(shown: ShownService | null, lead = ''): string[] {
  if (shown === null) return []
  const line = lead + shown.parts.join('; ')
  return line.length <= WIDTH ? [line] : shown.parts.map((part) => lead + part)
}

/** Beside `--json`, or a file, which have no heading. */
export function noteService(terminal: Terminal, shown: ShownService | null): void {
  if (shown?.isNoted) for (const line of headingOf(shown, 'note: ')) say(terminal, line)
}

export function withResultChoice(command: Command): Command {
  return withServiceOption(
    command
      .addOption(option('--study <name>', 'choose the result of this study'))
      .addOption(whole('--revision <n>', 'choose the result of this revision of --study', { minimum: 1 }))
      .addOption(option('--settings <digits>', 'choose the result with these settings (none: without)')),
  )
}

/** What every command says of its argument. */
export const ID_WORDS = 'its id, such as 46330614, or with a market: 46330614@ETH-USDT'

export function choiceOf({ settings, service, study, revision }: ResultChoice): ResultChoice {
  return { settings, service, study, revision }
}

export interface Chosen {
  readonly choice: Choice
  /** The study that was asked for, whose other configurations it is compared with; null = a trial by itself. */
  readonly asked: StudyRecord | null
}

/** @throws Failure notFound, usage, promotionRefused */
export async function chooseTrials(
  store: Store,
  target: string,
  { market, question, ...options }: ResultChoice & { readonly market?: string; readonly question: ServiceQuestion },
): Promise<readonly Chosen[]> {
  const [{ chooseBest, chooseTrial }, { refuseChoice }, { findStudy }, { storedStudy }] = await Promise.all([
    import('../workbench/bots/promote/choose-trial.ts'),
    import('../workbench/store/find-trial.ts'),
    import('../workbench/store/study-records.ts'),
    import('../workbench/store/studies.ts'),
  ])
  const record = findStudy(store, target)
  if (record === undefined) {
    return [{ choice: chooseTrial(store, target, { choice: choiceOf(options), market }), asked: null }]
  }
  refuseChoice(target, options)
  const { markets } = storedStudy(record)
  const names = market === undefined && markets.length > 1 ? markets.map(marketName) : [market]
  return names.map((name) => ({
    choice: chooseBest(store, record, { market: name, service: question }),
    asked: record,
  }))
}

/** The latest verdict on a study's configuration on all of its markets, the worst of them; undefined where one was not judged. */
export async function lastVerdictOn(
  store: Store,
  study: string,
  trials: readonly Pick<TrialRecord, 'fingerprint' | 'identity' | 'settings' | 'market'>[],
): Promise<KeptVerdict | undefined> {
  const { findVerdict } = await import('../workbench/store/verdicts.ts')
  const [first, ...rest] = trials.flatMap((trial) => {
    const verdict = findVerdict(store, { trial, study })
    return verdict === undefined ? [] : [{ market: marketName(trial.market), verdict }]
  })
  if (first === undefined || rest.length + 1 < trials.length) return undefined
  if (rest.length === 0) return first.verdict
  const { worstOf } = await import('../workbench/verdict/judge.ts')
  return worstOf([first, ...rest]).verdict
}

export async function serviceOfChoices(
  store: Store,
  { choices, question }: { readonly choices: readonly Chosen[]; readonly question: ServiceQuestion },
): Promise<ShownService | null> {
  const record = choices.at(0)?.asked ?? null
  if (record === null)
    return serviceOfTrials(
      store,
      choices.map(({ choice }) => choice.trial),
    )
  const { countStudies } = await import('../workbench/store/study-counts.ts')
  const { revisionName } = await import('../workbench/store/study-records.ts')
  const [count] = countStudies(store, { study: revisionName(record), ...question })
  return shownService(count, question)
}
