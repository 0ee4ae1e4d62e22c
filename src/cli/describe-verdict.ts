/** A verdict in at most 24 lines of 80 columns, and what `dcalab verdict` does. */

import { withCommas } from '../contract/metrics.ts'
import type { ResultChoice } from '../workbench/store/find-trial.ts'
import { storedStudy } from '../workbench/store/studies.ts'
import { configFingerprint, shortIds } from '../workbench/study/fingerprint.ts'
import { type Verdict, worstOf } from '../workbench/verdict/judge.ts'
import { dateOf, describeLadder, gain, yearsOf } from '../workbench/verdict/words.ts'
import type { CommonOptions, Context } from './context.ts'
import { type Judged, judgeChoices } from './judging.ts'
import { withProgress } from './long-work.ts'
import { printAnswer, printJson } from './output.ts'
import {
  type Chosen,
  chooseTrials,
  headingOf,
  noteService,
  serviceOfChoices,
  serviceQuestion,
  VERDICT_WIDTH,
  wrapped,
} from './shown-service.ts'
import { fittingTable } from './table.ts'
import { pathsOf, withKnownStore } from './workbench.ts'

const LEAD = '  '

/** One market in full; of several one headline, then each market's sentence. @param whole also what else was noted */
export function describeVerdicts(all: readonly [Judged, ...Judged[]], whole = false): readonly string[] {
  const [only] = all
  const worst = all.find(({ market }) => market === worstOf(all).market) ?? only
  const { verdict } = worstOf(all)
  return [
    ...headOf(all, worst),
    '',
    `${LEAD}${verdict.headline.toUpperCase()}`,
    ...wrapped(verdict.sentence, LEAD),
    ...othersOf(all, worst),
    '',
    ...whyOf(verdict, whole),
    ...wrapped(placeOf(worst), LEAD),
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
    `on ${isOwn ? 'the embedded service' : service}`,
  ]
  const line = whole.join(' · ')
  return wrapped(line.length > VERDICT_WIDTH ? whole.slice(0, -1).join(' · ') : line, '')
}

/** The sentences of the other markets: each has its own grade, and the headline is the worst. */
function othersOf(all: readonly Judged[], worst: Judged): readonly string[] {
  return all
    .filter((one) => one !== worst)
    .flatMap(({ market, verdict }) => wrapped(`${market}: ${lowered(verdict.headline)}. ${verdict.sentence}`, LEAD))
}

function whyOf({ reasons, unknown, also }: Verdict, whole: boolean): readonly string[] {
  const numbered = reasons.flatMap(({ sentence }, at) =>
    wrapped(sentence, `${at === 0 ? '  why  ' : '       '} ${at + 1} `, ' '.repeat(10)),
  )
  const notKnown = unknown.slice(0, 2).flatMap(({ what, why }) => wrapped(`not known: ${what} (${why})`, LEAD, '    '))
  const more = whole
    ? also.flatMap(({ sentence }) => wrapped(`also: ${sentence}`, LEAD, '    '))
    : also.length === 0
      ? []
      : [`${LEAD}also noted: ${also.length}, shown by --all`]
  return [...numbered, ...more, ...notKnown]
}

/** Only for the best grade it says "run …". */
function placeOf({ rank, ranked, trial, verdict: { tried, grade } }: Judged): string {
  const first = grade === 'beat' ? `run the first of ${ranked}` : `first of ${ranked}`
  const place = rank === null || ranked === 0 ? 'configuration' : rank === 1 ? first : `place ${rank} of ${ranked}`
  const [shown, scanned] = [tried.shown, tried.scanned].map((count) => withCommas(String(count)))
  const counted = tried.scanned === 0 ? '' : ` (${shown} on the service, ${scanned} at most locally)`
  return `${place}: ${describeLadder(trial.config)}${counted}`
}

const MARKET_WORDS = { rose: 'market rose', stood: 'stood within 5 %', fell: 'fell' } as const

/** @param where ' on SOL-USDT', where there are several markets */
function expectOf(expect: Verdict['expect'], where: string): readonly string[] {
  if (expect === null) return []
  const { days, stretches, rows, low, high, drawdownBelowPercent, from, to } = expect
  const years = yearsOf({ from: Date.parse(from), to: Date.parse(to) })
  const shown = rows.map(({ market, middleHalf, worst, stretches: count }) => {
    const half = middleHalf === null ? '–' : `${gain(middleHalf[0])} to ${gain(middleHalf[1])}`
    return `${LEAD}${MARKET_WORDS[market].padEnd(19)}${half.padStart(18)}${(worst === null ? '–' : gain(worst)).padStart(12)}${String(count).padStart(12)}`
  })
  return [
    '',
    `${LEAD}what to expect${where} in ${days} days (${stretches} stretches, ${years})`,
    `${LEAD}${''.padEnd(19)}${'middle half'.padStart(18)}${'worst'.padStart(12)}${'stretches'.padStart(12)}`,
    ...shown,
    `${LEAD}9 of 10 between ${gain(low)} and ${gain(high)}; drawdown below ${Math.ceil(drawdownBelowPercent)} %`,
  ]
}

function nextOf({ next }: Verdict): readonly string[] {
  if (next === null) return []
  const cost = next.jobs === 0 ? 'free' : `up to ${next.jobs} backtests`
  return ['', `${LEAD}next  ${next.command}`, `${LEAD}      (${next.why}; ${cost})`]
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
  const { warnings } = expectJobs(storedStudy(asked)).survey
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
