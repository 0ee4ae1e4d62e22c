/** What `dcalab examine` does and prints: what each check found, and what is refused with its reason. */

import { marketName } from '../../../contract/market.ts'
import { METRICS, withCommas } from '../../../contract/metrics.ts'
import {
  type LadderLengthFact,
  PEAK_AFTERWARDS,
  type StartsFact,
  type TakeProfitFact,
} from '../../../workbench/analysis/certainty/arbitrariness.ts'
import type { CheckName, Checks } from '../../../workbench/analysis/certainty/checks.ts'
import type { Evaluation } from '../../../workbench/evidence/examine/evaluation.ts'
import { examineResult, type FinishedExamination } from '../../../workbench/evidence/examine/examine.ts'
import { makeEvaluation } from '../../../workbench/evidence/examine/make-evaluation.ts'
import type { ResultChoice } from '../../../workbench/store/find-trial.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { storedStudy } from '../../../workbench/store/studies.ts'
import { findStudy } from '../../../workbench/store/study-records.ts'
import { triedInWords } from '../../../workbench/store/tried-in-words.ts'
import { configFingerprint, shortIds } from '../../../workbench/study/fingerprint.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { describeVerdicts } from '../../describe-verdict.ts'
import { beginJudging, type Judged, judgeChoices } from '../../judging.ts'
import { findKnownTerms } from '../../known-terms.ts'
import { withProgress } from '../../long-work.ts'
import { printAnswer, printJson, type TimeWords, timesShown } from '../../output.ts'
import {
  type Chosen,
  chooseTrials,
  headingOf,
  noteService,
  serviceOfChoices,
  serviceQuestion,
  USUAL_HORIZON_DAYS,
} from '../../shown-service.ts'
import { pathsOf, withKnownStore } from '../../workbench.ts'

const LEAD = '  '

/** One text for each line. */
type Say<Name extends CheckName> = (check: NonNullable<Checks[Name]>) => readonly string[]

const TERMS_FROM = {
  result: 'as the result states',
  calibration: 'as calibration found',
  poorCalibration: 'as a poor calibration found',
  study: 'as the study says (the service does not state it)',
} as const

const SAY: { readonly [Name in CheckName]: { readonly title: string; readonly say: Say<Name> } } = {
  localRun: {
    title: 'service',
    say: ({ difference, differencePercent, deals, termsFrom, sameCandles }) => [
      [
        Math.abs(difference) < 0.005
          ? 'equal to the local engine to the cent'
          : `${Math.abs(difference).toFixed(2)} ${difference < 0 ? 'less' : 'more'} than the local engine (${number(Math.abs(differencePercent))} % of the investment)`,
        ...(deals === null || deals === 0 ? [] : [`${signed(deals)} deals`]),
        `computed ${TERMS_FROM[termsFrom]}`,
        ...(sameCandles === false ? ['on other candles than the stored ones'] : []),
        ...(sameCandles === null ? ['on candles it does not name'] : []),
      ].join(', '),
    ],
  },
  ambiguity: {
    title: 'fill order',
    say: ({
      pessimistic,
      optimistic,
      ambiguousCandles,
      rankPessimistic,
      rankOptimistic,
      of,
      signFlips,
      leavesTopTenth,
    }) => [
      ambiguousCandles === 0
        ? 'fill order never matters on these candles'
        : `${money(pessimistic)} to ${money(optimistic)}, worst to best fill order inside ${ambiguousCandles} candles`,
      ...(of === 0 || ambiguousCandles === 0
        ? []
        : [`place ${rankPessimistic ?? '–'} or ${rankOptimistic ?? '–'} of ${of}`]),
      ...(signFlips || leavesTopTenth ? ['too coarse to decide; use shorter candles (1m)'] : []),
    ],
  },
  starts: { title: 'start', say: describeStarts },
  takeProfitCurve: { title: 'take profit', say: describeTakeProfits },
  thirds: {
    title: 'parts',
    say: ({ thirds, largestMonth, largestDeal }) => [
      `${thirds.map(money).join(', ')}`,
      ...(largestMonth === null ? [] : [`${largestMonth.month} made ${Math.round(largestMonth.sharePercent)} %`]),
      ...(largestDeal === null ? [] : [`the largest deal ${Math.round(largestDeal.sharePercent)} %`]),
    ],
  },
  nextSpan: {
    title: 'persistence',
    say: ({ rho, n }) => [`rank correlation, first half with second: ${number(rho)} (${n} configurations)`],
  },
  walkForward: {
    title: 'walk-forward',
    say: ({ folds, meanPercentile, worstFold, profit, configs }) => [
      `${folds.length} windows, in each the best of ${configs} configurations: average percentile ${number(meanPercentile)} out of sample`,
      `${money(profit)} in all tests${worstFold === null ? '' : `, ${money(folds[worstFold - 1].netProfit)} in the worst (${folds[worstFold - 1].test.from.slice(0, 10)})`}`,
    ],
  },
  fall: {
    title: 'price drop',
    say: (falls) =>
      falls.map(({ dropPercent, tied, loss, breakEvenRisePercent: rise, stopped }) => {
        const left = stopped
          ? 'sold by the stop loss'
          : rise === null
            ? 'nothing held'
            : `breaks even after +${number(rise)} %`
        return `−${dropPercent} %: ${number(tied)} invested, ${money(-loss)}, ${left}`
      }),
  },
  benchmark: {
    title: 'holding',
    say: ({ hold, exposedHold, periodic }) => [
      `buy & hold ${money(hold.profit)}, drawdown ${number(hold.maxDrawdownPercent)} %`,
      `the same average amount held ${money(exposedHold.profit)}, drawdown ${number(exposedHold.maxDrawdownPercent)} %`,
      `bought daily ${money(periodic.daily.profit)}, weekly ${money(periodic.weekly.profit)}`,
    ],
  },
  capital: {
    title: 'capital',
    say: ({ average, max, averagePercent, netProfit, netProfitPerUsedPercent: perUsed, profitFollowsCapital: r }) => [
      `${money(netProfit)} with ${number(average)} invested on average (${number(averagePercent)} %), peak ${number(max)}`,
      `${perUsed === null ? '–' : `${number(perUsed)} %`} of the capital used`,
      ...(r === null ? [] : [`profit and capital used correlate: r ${number(r)}`]),
    ],
  },
  noise: {
    title: 'error',
    say: ({ netProfit, standardError, lead, leadStandardError }) => [
      `${money(netProfit)} ± ${number(standardError)} (one standard error)`,
      ...(lead === null
        ? []
        : [
            `${lead < 0 ? 'net profit less that of the best other:' : 'ahead of the best other by'} ${money(lead)} ± ${number(leadStandardError)}`,
          ]),
    ],
  },
  sharpe: {
    title: METRICS.sharpe.title,
    say: ({ value, standardError, days }) => [`${number(value)} ± ${number(standardError)} over ${days} days`],
  },
  tried: {
    title: 'tried',
    say: (count) => [triedInWords('one', count)],
  },
  overfitting: {
    title: 'overfitting',
    say: ({ psr, dsr, dsrReason, pbo, pboReason }) => [
      `PSR ${number(psr)}`,
      dsr === null ? `no DSR: ${dsrReason}` : `DSR ${number(dsr)}`,
      pbo === null ? `no PBO: ${pboReason}` : `PBO ${number(pbo)}`,
      'high values are no proof',
    ],
  },
  direction: {
    title: 'market',
    say: ({ changePercent, rangePercent }) => [
      `${changePercent < 0 ? 'fell' : 'rose'} by ${number(Math.abs(changePercent))} % in a range of ${number(rangePercent)} %`,
    ],
  },
}

/** How much of the profit is the minute of the start, one text for each line. */
export function describeStarts(fact: StartsFact): string[] {
  const { of, reported, percentile, q1, q3, otherSignPercent, botsAfterTenDays } = fact
  return [
    `${money(reported)} is at percentile ${Math.round(percentile)} of the ${withCommas(String(of))} starts of the first day`,
    `the middle half earns ${money(q1)} to ${money(q3)}${otherSignPercent === 0 ? '' : `; ${Number(otherSignPercent.toPrecision(2))} % of the starts have the other sign`}`,
    ...(botsAfterTenDays === null
      ? []
      : [
          botsAfterTenDays === 1
            ? 'ten days later all starts traded alike'
            : `ten days later the starts traded as ${botsAfterTenDays} different bots`,
        ]),
  ]
}

/** How much of it is the last digit of the take profit, one text for each line. */
export function describeTakeProfits(fact: TakeProfitFact): string[] {
  const { from, to, pieces, certified, best, basin, band } = fact
  const isProved = certified.reason === null
  return [
    `best of ${number(from)} to ${percent(to)}: ${money(best.netProfit)}, at ${percent(best.to)} (${withCommas(String(pieces))} ranges compared${isProved ? ', proved' : ''})`,
    ...(certified.reason === null ? [] : [certified.reason]),
    `within 10 % of it: ${percent(basin.from)} to ${percent(basin.to)}`,
    ...(band === null
      ? []
      : [
          `its own is at percentile ${Math.round(band.percentile)} of the values within ± ${band.within} %; their middle half earns ${money(band.q1)} to ${money(band.q3)}`,
        ]),
    `do not choose the peak: ${PEAK_AFTERWARDS}`,
  ]
}

export function describeLadderLengths({ from, to, best }: LadderLengthFact): string {
  const at =
    best.to === best.from ? `${best.from}` : best.to === to ? `${best.from} or more` : `${best.from} to ${best.to}`
  return `best of ${from} to ${to}: ${money(best.netProfit)}, at ${at} (all tried)`
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))} %`
}

const TITLE_WIDTH = 12

/** @param when how its times are written */
function describeExamination(shown: ShownExamination, when: TimeWords) {
  const { configFingerprint, study, market, candlesHash, interval, examinedAt } = shown
  return [
    `${shortIds([configFingerprint])[0]}${study === null ? '' : ` of ${study}`} on ${market}, ${interval} candles ${candlesHash.slice(0, 12)}, examined ${when(examinedAt)}`,
    '',
    ...linesOf(shown),
  ]
}

function linesOf({ checks, reasons }: ShownExamination): readonly string[] {
  const names = Object.keys(SAY) as CheckName[] // keys of a mapped type
  return names.flatMap((name) => {
    const found = sayOne(name, checks) ?? [`n/a: ${reasons[name] ?? 'not computed'}`]
    return found.map((text, line) => `${(line === 0 ? SAY[name].title : '').padEnd(TITLE_WIDTH)} ${text}`)
  })
}

function sayOne<Name extends CheckName>(name: Name, checks: Checks): readonly string[] | undefined {
  const check = checks[name]
  const { say }: { readonly say: Say<Name> } = SAY[name]
  return check === null ? undefined : say(check)
}

function number(value: number | null): string {
  return value === null ? '–' : String(Number(value.toPrecision(4))).replace('-', '−')
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value).replace('-', '−')
}

/** Quote, to the cent. */
function money(value: number | null): string {
  return value === null ? '–' : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
}

interface ShownExamination {
  readonly study: string | null
  /** The fingerprint. */
  readonly trial: string
  readonly configFingerprint: string
  readonly identity: string
  readonly settings: string | null
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** ISO 8601 UTC. */
  readonly period: { readonly from: string; readonly to: string }
  readonly interval: string
  readonly candlesHash: string
  readonly engineVersion: string
  readonly examinedAt: string
  readonly checks: Checks
  readonly reasons: Readonly<Partial<Record<CheckName, string>>>
}

function shownExamination(
  { trial, study, loaded: { info } }: Evaluation,
  { examinedAt, engineVersion, checks, reasons }: FinishedExamination,
): ShownExamination {
  const { from, to } = trial.period
  return {
    study: study?.name ?? null,
    trial: trial.fingerprint,
    configFingerprint: configFingerprint(trial.config),
    identity: trial.identity,
    settings: trial.settings,
    market: marketName(trial.market),
    period: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    interval: info.interval,
    candlesHash: info.hash,
    engineVersion,
    examinedAt,
    checks,
    reasons,
  }
}

export function examineTarget(context: Context, target: string, options: ExamineOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withKnownStore(context, path, async (store) => {
    const question = await serviceQuestion(context, store, options)
    const choices = await chooseTrials(store, target, { ...options, question })
    const of = await serviceOfChoices(store, { choices, question })
    const [shown, judged] = await withProgress(context, async (onProgress) => {
      const all: ShownExamination[] = []
      const evaluated = new Map<Chosen, Evaluation>()
      const begun = beginJudging(store, choices)
      for (const chosen of choices) {
        const { evaluation, examination } = await examineOne(context, store, { chosen, candlesFolder, onProgress })
        all.push(examination)
        evaluated.set(chosen, evaluation)
      }
      const work = { candlesFolder, horizonDays: USUAL_HORIZON_DAYS, onProgress, evaluated, begun }
      return [all, await judgeChoices(context, store, { choices, ...work })] as const
    })
    const { terminal } = context.system
    if (options.json) {
      noteService(terminal, of)
      const named = shown.map((one, at) => ({
        service: of?.name ?? null,
        ...jsonOf(one),
        verdict: shortVerdict(judged[at]),
      }))
      return printJson(terminal, named.length === 1 ? named[0] : named)
    }
    const [first, ...rest] = judged
    if (!options.all && first !== undefined) {
      const about = of?.isNoted ? headingOf(of) : []
      return printAnswer(terminal, [
        ...about,
        ...describeVerdicts([first, ...rest]),
        '',
        `${LEAD}--all lists every check`,
      ])
    }
    const when = timesShown(terminal)
    await printAnswer(terminal, [
      ...headingOf(of),
      ...(first === undefined ? [] : [...describeVerdicts([first, ...rest], true), '']),
      ...shown.flatMap((one, at) => [...(at === 0 ? [] : ['']), ...describeExamination(one, when)]),
    ])
  })
}

function shortVerdict(judged: Judged | undefined) {
  if (judged === undefined) return null
  const { grade, headline, sentence } = judged.verdict
  return { grade, headline, sentence }
}

interface Work {
  readonly chosen: Chosen
  readonly candlesFolder: string
  readonly onProgress: (text: string) => void
}

async function examineOne(
  context: Context,
  store: Store,
  { chosen: { choice, asked }, candlesFolder, onProgress }: Work,
): Promise<{ readonly evaluation: Evaluation; readonly examination: ShownExamination }> {
  const { trial, standing } = choice
  const record = asked ?? (standing === null ? undefined : findStudy(store, standing.study))
  const study = record === undefined ? null : storedStudy(record)
  const evaluation = makeEvaluation({
    store,
    trial,
    study,
    compared: asked !== null,
    known: findKnownTerms(store, trial.identity),
    candlesFolder,
    pace: { clock: context.system.clock, signal: context.signal, onProgress },
  })
  return { evaluation, examination: shownExamination(evaluation, await examineResult(store, evaluation)) }
}

/** What is refused is null with its reason beside it. */
function jsonOf({ checks, reasons, ...rest }: ShownExamination) {
  const withReasons = Object.entries(checks).flatMap(([name, check]): (readonly [string, unknown])[] => {
    const reason = reasons[name as CheckName] // keys of Checks
    return reason === undefined
      ? [[name, check]]
      : [
          [name, check],
          [`${name}Reason`, reason],
        ]
  })
  return { ...rest, checks: Object.fromEntries(withReasons) }
}

export interface ExamineOptions extends CommonOptions, ResultChoice {
  readonly all?: boolean
  readonly costs?: boolean
  readonly market?: string
}
