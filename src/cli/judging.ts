/** Judges results on the stored candles and keeps the verdicts. */

import { marketName } from '../contract/market.ts'
import { DAY_MS } from '../engine/daily-equity.ts'
import { Failure } from '../errors.ts'
import type { Evaluation } from '../workbench/evidence/examine/evaluation.ts'
import { makeEvaluation } from '../workbench/evidence/examine/make-evaluation.ts'
import { idOfTrial, type ResultChoice } from '../workbench/store/find-trial.ts'
import { countLooks } from '../workbench/store/look-count.ts'
import { readWhole } from '../workbench/store/readers.ts'
import type { StudyRecord, TrialRecord, WholeTrial } from '../workbench/store/records.ts'
import { serviceName } from '../workbench/store/services.ts'
import type { Store } from '../workbench/store/store.ts'
import { rankStored } from '../workbench/store/stored-ranking.ts'
import { storedStudy } from '../workbench/store/stored-study.ts'
import { findStudy, revisionName } from '../workbench/store/study-records.ts'
import { keepVerdict } from '../workbench/store/verdicts.ts'
import { configFingerprint, shortIds } from '../workbench/study/fingerprint.ts'
import type { Study } from '../workbench/study/study.ts'
import { gatherEvidence } from '../workbench/verdict/evidence.ts'
import { type Expectation, judge, type MarketVerdict, type Verdict, worstOf } from '../workbench/verdict/judge.ts'
import type { Names } from '../workbench/verdict/reasons.ts'
import type { HistoryStretch } from '../workbench/verdict/stretches.ts'
import { dateOf, describeLadder, gain, yearsOf } from '../workbench/verdict/words.ts'
import type { CommonOptions, Context } from './context.ts'
import { findKnownTerms } from './known-terms.ts'
import { briefly, USUAL_HORIZON_DAYS, VERDICT_WIDTH, wrapped } from './last-verdict.ts'
import { withProgress } from './long-work.ts'
import { printAnswer, printJson, say } from './output.ts'
import {
  type Chosen,
  chooseTrials,
  headingOf,
  noteService,
  serviceOfChoices,
  serviceQuestion,
} from './shown-service.ts'
import { fittingTable } from './table.ts'
import { type Paths, pathsOf, withKnownStore } from './workbench.ts'

export interface Judged extends MarketVerdict {
  readonly trial: WholeTrial
  /** Of its configuration, as it is typed. */
  readonly id: string
  readonly study: string | null
  readonly revision: number | null
  /** The service that counted. */
  readonly service: string
  readonly isOwn: boolean
  /** Of how many configurations, and at which place; null = it has none. */
  readonly rank: number | null
  readonly ranked: number
  /** ISO 8601 UTC. */
  readonly judgedAt: string
  readonly stretches: readonly ShownStretch[]
}

type ShownStretch = Omit<HistoryStretch, 'from' | 'to' | 'holdReturn'> & {
  readonly from: string
  readonly to: string
  readonly holdPercent: number
}

interface Work {
  readonly candlesFolder: string
  readonly horizonDays: number
  readonly onProgress: (text: string) => void
  /** What was computed again before, of these choices. */
  readonly evaluated?: ReadonlyMap<Chosen, Evaluation>
}

/** The best of a study in a few lines, as the end of a run says it, and for JSON; null where it cannot be judged, which is said: what was run stays run. */
export async function judgeStudy(context: Context, study: string, { store: path, candlesFolder }: Paths) {
  try {
    return await withKnownStore(context, path, async (store) => {
      const choices = await chooseTrials(store, study, { question: await serviceQuestion(context, store, {}) })
      const work = { candlesFolder, horizonDays: USUAL_HORIZON_DAYS, onProgress: () => {} }
      const [first, ...rest] = await judgeChoices(context, store, { choices, ...work })
      if (first === undefined) return null
      const { grade, headline, sentence, tried } = worstOf([first, ...rest]).verdict
      const { judgedAt } = first
      return { lines: briefly({ headline, sentence }), json: { grade, headline, sentence, tried, judgedAt } }
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say(context.system.terminal, `the best is not judged: ${error.message}`)
    return null
  }
}

/** One after another; each is kept in the store. Nothing is sent. @throws the signal's reason */
export async function judgeChoices(
  context: Context,
  store: Store,
  { choices, ...work }: Work & { readonly choices: readonly Chosen[] },
): Promise<readonly Judged[]> {
  const judged: Judged[] = []
  for (const chosen of choices) {
    work.onProgress(`judging on ${marketName(chosen.choice.trial.market)}`)
    judged.push(await judgeOne(context, store, { chosen, work }))
    await context.system.clock.sleep(0, context.signal)
  }
  return judged
}

async function judgeOne(
  context: Context,
  store: Store,
  { chosen, work }: { readonly chosen: Chosen; readonly work: Work },
): Promise<Judged> {
  const { choice, asked } = chosen
  const { trial, standing } = choice
  const record = asked ?? (standing === null ? undefined : findStudy(store, standing.study))
  const study = record === undefined ? null : storedStudy(record, { file: `${record.name} (as stored)` })
  const market = marketName(trial.market)
  const service = serviceName(store, trial.identity)
  const known = work.evaluated?.get(chosen)
  const { evaluation, missing } =
    known === undefined
      ? await evaluationOf(context, store, { trial, study, ...work })
      : { evaluation: known, missing: '' }
  const { rivals, ranked } = await rivalsOf(store, { trial, record, study })
  const evidence = gatherEvidence({
    store,
    trial,
    study,
    evaluation,
    missing,
    candlesFolder: work.candlesFolder,
    horizonMs: work.horizonDays * DAY_MS,
    foreignService: trial.simulated ? null : service,
    rivals,
    standing,
    tried: countLooks(store, { market, period: trial.period }),
  })
  const id = idOfTrial(store, trial.fingerprint)
  const isOneOfSeveral = study !== null && study.markets.length > 1
  const named = isOneOfSeveral ? `${id}@${trial.market.baseAsset}-${trial.market.quoteAsset}` : id
  const names: Names = { trial: named, study: study?.name ?? named }
  const verdict = judge(evidence, names)
  const stretches = 'missing' in evidence.stretches ? [] : evidence.stretches.value.stretches.map(shownStretch)
  const { rules, grade } = verdict
  const judgedAt = await keepVerdict(store, { trial, study: study?.name ?? null }, { rules, grade, verdict, stretches })
  return {
    market,
    verdict,
    trial,
    id,
    study: study?.name ?? null,
    revision: record?.revision ?? null,
    service,
    isOwn: trial.simulated,
    rank: standing?.rank ?? null,
    ranked,
    judgedAt,
    stretches,
  }
}

function shownStretch({ from, to, holdReturn, ...rest }: HistoryStretch): ShownStretch {
  const iso = (ms: number) => new Date(ms).toISOString()
  return { from: iso(from), to: iso(to), holdPercent: 100 * holdReturn, ...rest }
}

/** What the trial is computed on again, or why it cannot be. */
async function evaluationOf(
  context: Context,
  store: Store,
  { trial, study, candlesFolder, onProgress }: Work & { readonly trial: WholeTrial; readonly study: Study | null },
): Promise<{ readonly evaluation: Evaluation | null; readonly missing: string }> {
  const found = findKnownTerms(store, trial.identity)
  const known = found === undefined ? undefined : { ...found.terms, isPoor: found.isPoorMatch }
  const pace = { clock: context.system.clock, signal: context.signal, onProgress }
  try {
    const evaluation = makeEvaluation({ store, trial, study, compared: false, known, candlesFolder, pace })
    return { evaluation, missing: '' }
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'candlesMissing' && error.code !== 'usage')) throw error
    return { evaluation: null, missing: error.message }
  }
}

/** Compared with the best: further down none is within an error that matters. */
const comparedRivals = 10

async function rivalsOf(
  store: Store,
  {
    trial,
    record,
    study,
  }: { readonly trial: TrialRecord; readonly record: StudyRecord | undefined; readonly study: Study | null },
): Promise<{ readonly rivals: readonly WholeTrial[]; readonly ranked: number }> {
  if (record === undefined || study === null) return { rivals: [], ranked: 0 }
  const { top, ranked } = rankStored(store, {
    study: revisionName(record),
    identity: trial.identity,
    objective: study.objective,
    top: comparedRivals + 1,
  })
  const rivals = top
    .flatMap(({ trials }) => trials.filter(({ market }) => marketName(market) === marketName(trial.market)))
    .filter(({ fingerprint }) => fingerprint !== trial.fingerprint)
  return { rivals: rivals.map((one) => readWhole(store, one)), ranked }
}

const UNDER = '  '

/** Of one market whole; of several one headline, then each market's sentence. @param whole with what else was noted */
export function describeVerdicts(all: readonly [Judged, ...Judged[]], whole = false): readonly string[] {
  const [only] = all
  const worst = all.find(({ market }) => market === worstOf(all).market) ?? only
  const { verdict } = worstOf(all)
  return [
    ...headOf(all, worst),
    '',
    `${UNDER}${verdict.headline.toUpperCase()}`,
    ...wrapped(verdict.sentence, UNDER),
    ...othersOf(all, worst),
    '',
    ...whyOf(verdict, whole),
    ...wrapped(placeOf(worst), UNDER),
    ...expectOf(verdict.expect, all.length === 1 ? '' : ` on ${worst.market.split('/')[1]}`),
    ...nextOf(verdict),
  ]
}

function headOf(all: readonly Judged[], { study, trial, service, isOwn }: Judged): readonly string[] {
  const { from, to } = trial.period
  const markets = [...new Set(all.map(({ market }) => market.split('/')[1] ?? market))].join(', ')
  const whole = [
    study ?? shortIds([configFingerprint(trial.config)])[0],
    markets,
    `${dateOf(from)} to ${dateOf(to)}`,
    `counted by ${isOwn ? 'our own service' : service}`,
  ]
  const line = whole.join(' · ')
  return wrapped(line.length > VERDICT_WIDTH ? whole.slice(0, -1).join(' · ') : line, '')
}

/** Every market has its own grade; the headline is the worst. */
function othersOf(all: readonly Judged[], worst: Judged): readonly string[] {
  return all
    .filter((one) => one !== worst)
    .flatMap(({ market, verdict }) => wrapped(`${market}: ${lowered(verdict.headline)}. ${verdict.sentence}`, UNDER))
}

function whyOf({ reasons, unknown, also }: Verdict, whole: boolean): readonly string[] {
  const numbered = reasons.flatMap(({ sentence }, at) =>
    wrapped(sentence, `${at === 0 ? '  why  ' : '       '} ${at + 1} `, ' '.repeat(10)),
  )
  const notKnown = unknown.slice(0, 2).flatMap(({ what, why }) => wrapped(`not known: ${what} (${why})`, UNDER, '    '))
  const more = whole
    ? also.flatMap(({ sentence }) => wrapped(`also: ${sentence}`, UNDER, '    '))
    : also.length === 0
      ? []
      : [`${UNDER}also noted: ${also.length}, shown by --all`]
  return [...numbered, ...more, ...notKnown]
}

/** "Run …" is earned by the best grade; any other configuration is named without a verb. */
function placeOf({ rank, ranked, trial, verdict: { tried, grade } }: Judged): string {
  const first = grade === 'beat' ? `run the first of ${ranked}` : `first of ${ranked}`
  const place = rank === null || ranked === 0 ? 'configuration' : rank === 1 ? first : `place ${rank} of ${ranked}`
  const counted = tried.scanned === 0 ? '' : ` (${tried.shown} on the service, ${tried.scanned} at most tried here)`
  return `${place}: ${describeLadder(trial.config)}${counted}`
}

const MARKET_WORDS = { rose: 'market rose', stood: 'stood within 5 %', fell: 'fell' } as const

/** @param where ' on SOL-USDT', where there are several markets */
function expectOf(expect: Expectation | null, where: string): readonly string[] {
  if (expect === null) return []
  const { days, stretches, rows, low, high, drawdownBelowPercent, from, to } = expect
  const years = yearsOf({ from: Date.parse(from), to: Date.parse(to) })
  const shown = rows.map(({ market, middleHalf, worst, stretches: count }) => {
    const half = middleHalf === null ? '–' : `${gain(middleHalf[0])} to ${gain(middleHalf[1])}`
    return `${UNDER}${MARKET_WORDS[market].padEnd(19)}${half.padStart(18)}${(worst === null ? '–' : gain(worst)).padStart(12)}${String(count).padStart(12)}`
  })
  return [
    '',
    `${UNDER}what to expect${where} in ${days} days (${stretches} stretches, ${years})`,
    `${UNDER}${''.padEnd(19)}${'middle half'.padStart(18)}${'worst'.padStart(12)}${'stretches'.padStart(12)}`,
    ...shown,
    `${UNDER}9 of 10 between ${gain(low)} and ${gain(high)}; drawdown below ${Math.ceil(drawdownBelowPercent)} %`,
  ]
}

function nextOf({ next }: Verdict): readonly string[] {
  if (next === null) return []
  const cost = next.jobs === 0 ? 'free' : `up to ${next.jobs} backtests`
  return ['', `${UNDER}next  ${next.command}`, `${UNDER}      (${next.why}; ${cost})`]
}

function lowered(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1)
}

export function judgeTarget(context: Context, target: string, options: VerdictOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withKnownStore(context, path, async (store) => {
    const question = await serviceQuestion(context, store, options)
    const choices = await chooseTrials(store, target, { ...options, question })
    const of = await serviceOfChoices(store, { choices, question })
    const [first, ...rest] = await withProgress(context, (onProgress) =>
      judgeChoices(context, store, { choices, candlesFolder, horizonDays: options.horizon, onProgress }),
    )
    const { terminal } = context.system
    if (first === undefined) return
    if (options.json) {
      noteService(terminal, of)
      const all = [first, ...rest].map((one) => jsonOf(one, options))
      return printJson(terminal, all.length === 1 ? all[0] : all)
    }
    if (options.stretches) {
      return printAnswer(terminal, [...headingOf(of), ...[first, ...rest].flatMap(tableOf)])
    }
    await printAnswer(terminal, [
      ...(of?.isNoted ? headingOf(of) : []),
      ...describeVerdicts([first, ...rest], options.all),
      ...(options.all ? await aboutStudy(choices.at(0)?.asked) : []),
    ])
  })
}

/** What `study check` says of the study itself. */
async function aboutStudy(asked: Chosen['asked'] | undefined): Promise<readonly string[]> {
  if (asked === null || asked === undefined) return []
  const { expectJobs } = await import('./searching.ts')
  const { warnings } = expectJobs(storedStudy(asked, { file: asked.name })).survey
  return warnings.flatMap(({ message }) => wrapped(`about this study: ${message}`, '  ', '    '))
}

function jsonOf(
  { market, study, revision, service, judgedAt, id, trial, verdict, stretches, rank }: Judged,
  options: VerdictOptions,
) {
  return {
    study,
    revision,
    id,
    trial: trial.fingerprint,
    market,
    service,
    judgedAt,
    rank,
    ...verdict,
    ...(options.stretches ? { stretches } : {}),
  }
}

function tableOf({ market, stretches }: Judged) {
  return [
    market,
    fittingTable(stretches, [
      { title: 'from', value: ({ from }) => from.slice(0, 10) },
      { title: 'to', value: ({ to }) => to.slice(0, 10) },
      { title: 'net profit', value: ({ netProfit }) => netProfit, digits: 2 },
      { title: 'used', value: ({ usedCapital }) => usedCapital, digits: 1 },
      { title: 'hold %', value: ({ holdPercent }) => holdPercent, digits: 1 },
      { title: 'plain profit', value: ({ plainNetProfit }) => plainNetProfit, digits: 2 },
      { title: 'plain used', value: ({ plainUsedCapital }) => plainUsedCapital, digits: 1 },
      { title: 'drawdown %', value: ({ maxDrawdownPercent }) => maxDrawdownPercent, digits: 1 },
    ]),
  ]
}

export interface VerdictOptions extends CommonOptions, ResultChoice {
  readonly market?: string
  readonly horizon: number
  readonly stretches?: boolean
  readonly all?: boolean
}
