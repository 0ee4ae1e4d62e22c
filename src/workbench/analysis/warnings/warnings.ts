/**
 * The one list of warnings: what speaks against a study, or a run of it, whatever it finds. What speaks against a result is a reason of its
 * verdict (`verdict/reasons.ts`). Every command takes its words from here, so that a code means the same everywhere. `../WARNINGS.md` is
 * this list, written out.
 */

import { withCommas } from '../../../contract/metrics.ts'
import { MAX_TRIALS, type Period } from '../../study/study.ts'
import type { Inconsistency } from './find-inconsistencies.ts'

// Warnings about a study, said once: its question, its ladders, the candles and the service, how many configurations were tried.

/** How many of a study's trials a warning is about. */
interface Share {
  readonly affected: number
  readonly trials: number
}

interface RatioFacts {
  readonly field: string
  /** In percent, as the study has them; at least one. */
  readonly values: readonly number[]
  readonly areBelowFees: boolean
}

function shownDays(days: number): number {
  return Math.round(days * 100) / 100
}

/** Of a single trial it need not be counted. */
const ofTrials = (rest: string) => (share: Share) =>
  share.trials === 1 ? rest : `${share.affected} of ${share.trials} trials: ${rest}`

export const STUDY_WARNINGS = {
  forScreening: {
    threshold: MAX_TRIALS,
    when: `the study has more than ${MAX_TRIALS} distinct trials`,
    say: ({ distinct }: { readonly distinct: number }) =>
      `${distinct} distinct trials are more than the ${MAX_TRIALS} that can be run; this study is for dcalab screen`,
    hint: 'screen it, then run a smaller study around the winners',
  },
  noTrials: {
    when: 'no combination is within `where`',
    say: ({ grid }: { readonly grid: number }) =>
      `all ${grid} combinations are excluded by where; nothing would be run`,
    hint: 'widen the limits of where, or change the grid',
  },
  objectiveDirection: {
    when: 'the objective prefers the worse end of its metric',
    say: (objective: { readonly title: string; readonly isBetterHigh: boolean; readonly direction: string }) =>
      `a ${objective.isBetterHigh ? 'high' : 'low'} ${objective.title} is better, and the study would ${objective.direction} it`,
    hint: 'swap maximize and minimize, unless intended',
  },
  periodTooShort: {
    threshold: 30,
    when: 'the objective or its bounds name a metric that is undefined under 30 days, and the period is shorter',
    say: (found: { readonly metrics: readonly string[]; readonly days: number }) =>
      `${found.metrics.join(', ')} need 30 days and the period has ${shownDays(found.days)}; no trial could be ranked`,
    hint: 'take a longer period or another objective',
  },
  shortPeriod: {
    threshold: 30,
    when: 'the period is shorter than 30 days, nothing is held out, and no metric of the objective is undefined for that',
    say: ({ days }: { readonly days: number }) =>
      `${shownDays(days)} days are too few to rank configurations; use at least 30`,
    hint: 'take a longer period',
  },
  ratioForPercent: {
    threshold: 0.1,
    when: 'a take profit or a stop is above 0 and at most 0.1: percent, and perhaps meant as a ratio',
    say: ({ field, values, areBelowFees }: RatioFacts) => {
      const one = values.length === 1
      const found = areBelowFees ? 'below the fees' : 'less than the noise of a price'
      const meant = values.map((value) => Number((100 * value).toPrecision(12)))
      return `${field} ${values.join(', ')} ${one ? 'is' : 'are'} ${found}; did you mean ${meant.join(', ')}?`
    },
    hint: 'write percent: 2 for 2 %',
  },
  depthOver100: {
    when: 'the ladder of a trial reaches 100 % deep or deeper',
    say: ofTrials('safety orders 100 % below the base order or deeper do not exist'),
    hint: 'fewer safety orders, or smaller steps',
  },
  cutByStop: {
    when: 'the stop loss of a trial is above its last safety order',
    say: ofTrials('the stop loss is above the last safety orders, which are never reached'),
    hint: 'a wider stop, or a shorter ladder',
  },
  neverTrades: {
    when: 'not even the base order of a trial can be paid',
    say: ofTrials('not even the base order with its fee fits dcaTotalBudget and investment; the bot never trades'),
    hint: 'a smaller dcaInitialOrderSize, or a larger budget',
  },
  overBudget: {
    when: 'the ladder of a trial costs more than its budget',
    say: ofTrials(
      'the ladder with fees costs more than dcaTotalBudget (or investment); its deepest safety orders are never placed',
    ),
    hint: 'limit ladderCost under where, or raise the budget',
  },
  overInvestment: {
    when: 'the budget of a trial is above its investment',
    say: ofTrials('dcaTotalBudget is above investment; a bot cannot spend money it does not have'),
    hint: 'dcaTotalBudget at most investment',
  },
  takeProfitBelowFees: {
    when: 'a take profit is smaller than the fees of buying and selling',
    say: ofTrials('takeProfit is below the fees of buying and selling; every take profit is a loss'),
    hint: 'a larger takeProfit, or conventions that take it net',
  },
  baseOrderBelowMinimum: {
    when: 'a base order is below the smallest order of its market',
    say: (found: Share & { readonly minNotional: number; readonly market: string }) =>
      `${found.affected} of ${found.trials} trials begin with less than ${found.minNotional}, the smallest order of ${found.market}, and never trade`,
    hint: 'a larger dcaInitialOrderSize',
  },
  rungsBelowMinimum: {
    when: 'safety orders are below the smallest order of their market',
    say: (found: Share & { readonly minNotional: number; readonly market: string }) =>
      `${found.affected} of ${found.trials} trials have safety orders of less than ${found.minNotional}, the smallest order of ${found.market}: these and all below them are never placed`,
    hint: 'larger orders, or a dcaVolumeScale of 1 or more',
  },
  termsDiffer: {
    when: 'the service computes with other costs, conventions or candles than the study says, or does not state its own',
    say: ({ asked, stated }: { readonly asked: string; readonly stated: string }) =>
      `the study says ${asked}; ${stated}`,
    hint: 'write the service’s terms into the study, or set the service to the study’s',
  },
  candlesMissing: {
    when: 'candles of the period are not stored',
    say: ({ found }: { readonly found: string }) => found,
    hint: 'fetch or import them: dcalab candles fetch, dcalab candles import',
  },
  candlesGap: {
    when: 'candles are missing inside the period',
    say: ({ missing, count }: { readonly missing: number; readonly count: number }) =>
      `${missing} of ${count + missing} candles are missing inside the period`,
    hint: 'see where: dcalab candles check',
  },
  seen: {
    when: 'configurations were tried or judged on the hold-out before',
    say: (found: { readonly configs: number; readonly span: Period; readonly markets: readonly string[] }) =>
      `the hold-out ${shownSpan(found.span)} on ${found.markets.join(', ')} is not fresh: up to ${found.configs} configuration${found.configs === 1 ? ' was' : 's were'} tried or judged on it before`,
    hint: 'hold out other days; dcalab holdout shows how many were tried',
  },
  coarseCandles: {
    threshold: 15,
    when: 'the finest stored candles are longer than 15 minutes, or the service computed on candles longer than an hour',
    say: ({ interval }: { readonly interval: string }) =>
      `${interval} candles: the fill order inside them is unknown; import minutes`,
    hint: 'fetch or import minutes',
  },
} as const satisfies Record<string, WarningRow<never>>

// Warnings of a run while it goes on: what it met that a person may have to look after.

const inMinutes = (ms: number) => `${Math.ceil(ms / 60_000)} min`

/** `lab`: the letters of the other; null = the service does not show who sent it. `late`: it is of this store, and arrived after it was given up. */
interface TwoJobs {
  readonly trial: string
  readonly ours: string
  readonly theirs: string
  readonly lab: string | null
  readonly late: boolean
}

const misread = (said: string, which = 'two') => `${said}: one of the ${which} is misread`

/** "10,000", "5.397". */
function figure(value: number): string {
  const text = Math.abs(value) < 10_000 ? shown(value) : withCommas(String(Math.round(value)))
  return text.replace('-', '−')
}

function sayInconsistency(found: Inconsistency): string {
  switch (found.kind) {
    case 'roi': {
      const { netProfit, roiPercent, base } = found
      const of =
        base === null ? `with an ROI of ${figure(roiPercent)} %` : `is ${figure(roiPercent)} % of ${figure(base)}`
      return misread(`net profit ${figure(netProfit)} ${of}; this job invests ${figure(found.investment)}`)
    }
    case 'deals':
      return misread(
        `its ${found.deals} deals sum to ${figure(found.sum)}, realized profit is ${figure(found.realizedProfit)}`,
      )
    case 'fees':
      return misread(
        `fees of ${figure(found.feesPaid)} are more than ${figure(found.mostPercent)} % of the volume ${figure(found.volume)}`,
      )
    case 'parts':
      return misread(
        `realized ${figure(found.realizedProfit)} and unrealized ${figure(found.unrealizedProfit)} do not make net profit ${figure(found.netProfit)}`,
        'three',
      )
    case 'wins':
      return misread(`a win rate of ${figure(found.winRatePercent)} % is no whole number of ${found.closedDeals} deals`)
    case 'roiOfStudy':
      return misread(
        `net profit ${figure(found.netProfit)} is ${figure(found.roiPercent)} % of ${figure(found.base)}; of ${found.others} other jobs it would be of about ${figure(found.usualBase)}`,
      )
  }
}

export const RUN_WARNINGS = {
  inconsistentNumbers: {
    when: 'two numbers of a result contradict each other: ROI and what the job invests (half the first order to twice the investment; 5 jobs or more: ± 50 % of the others), deals and realized profit, fees and volume (1 %), realized and unrealized and net profit, win rate and deals',
    say: sayInconsistency,
    hint: 'compare with the reply (dcalab service jobs show), correct the dialect, then dcalab store reread',
  },
  revisedResults: {
    when: 'the service now states other numbers for results of the study than when they were paid for',
    say: ({ revised, checked }: { readonly revised: number; readonly checked: number }) =>
      `${revised} of ${checked} results read again have changed since they were paid`,
    hint: '`dcalab show` shows both; `dcalab store reread --revised` takes the new ones',
  },
  allowanceDiffers: {
    when: 'the service counted more backtests than this store',
    say: ({ used, ours }: { readonly used: number; readonly ours: number }) =>
      `the service counted ${used} backtests, this store ${ours}; it may refuse earlier than expected`,
    hint: 'see who else uses the key',
  },
  duplicateRemote: {
    when: 'the service received one submission twice',
    say: ({ name }: { readonly name: string }) => `${name} was delivered twice on its way; the first job counts`,
    hint: 'nothing; the second job cost a backtest and is not counted',
  },
  paidTwice: {
    when: 'a trial has two jobs at the service, one of this store and one that another lab sent with the same key, or that arrived too late',
    say: ({ trial, ours, theirs, lab, late }: TwoJobs) => {
      const where = late ? 'arrived too late' : 'was not sent by this store'
      return `trial ${trial.slice(0, 12)} was paid for twice: job ${ours} of this lab counts, job ${theirs} ${lab === null ? where : `is of lab ${lab}`}`
    },
    hint: '`dcalab run --part 1/2` here and `--part 2/2` there divide the trials beforehand',
  },
  unknownSender: {
    when: 'the service lists jobs of somebody else without their requests',
    say: () =>
      'this key has jobs from elsewhere, shown without name or request: another lab with the same study pays for the same trials',
    hint: '`dcalab run --part 1/2` here and `--part 2/2` there divide the trials; `dcalab store merge` joins their stores',
  },
  unusableItems: {
    when: 'items of the job list have no usable id, so a missing job may exist',
    say: ({ count, first }: { readonly count: number; readonly first: string }) =>
      `${count} of the job list are unreadable, so a missing job may exist; the others are used (${first})`,
    hint: '`dcalab service check --show listJobs` prints the list; a dialect can name the id',
  },
  unknownState: {
    when: 'the service uses an unknown word for a job’s state, so the job is polled again',
    say: ({ word }: { readonly word: string }) =>
      `unknown job state ${JSON.stringify(word)}: the job is polled until it changes`,
    hint: '`jobState` of a dialect explains the word',
  },
  stalledJob: {
    when: 'a job runs far longer than others of this service and is skipped',
    say: (given: { readonly job: string; readonly ranForMs: number; readonly longestMs: number | null }) => {
      const others =
        given.longestMs === null ? 'no job of this service has ended yet' : `usual: up to ${inMinutes(given.longestMs)}`
      return `job ${given.job} has not ended after ${inMinutes(given.ranForMs)} (${others}): skipped, not sent again`
    },
    hint: 'the next run checks it; `dcalab service jobs show <job>` shows the service’s reply',
  },
  keyCanTrade: {
    when: 'the key that submits backtests could also trade',
    say: () => 'this key can trade (scope CanTrade); a run needs CanUseLab only',
    hint: 'use a key without CanTrade; promote and bots have their own pair (DCALAB_TRADE_API_KEY)',
  },
  scopesUnknown: {
    when: 'the service does not say what the key may do',
    say: () => 'whether this key can trade is unknown: the service does not state its scopes',
    hint: 'a run needs CanUseLab only; `limits` of a dialect can name the scopes',
  },
  repeatedPage: {
    when: 'the job list repeats a page',
    say: ({ pages }: { readonly pages: number }) =>
      `the job list repeats a page after ${pages} pages and is treated as incomplete`,
    hint: '`dcalab service check --show listJobs` prints the list; `jobList` of a dialect names the next page',
  },
  outcomeNotKept: {
    when: 'an outcome could not be stored',
    say: ({ reason }: { readonly reason: string }) => `an outcome could not be stored (${reason})`,
    hint: 'free disk space, then run the study again: the submission is looked up at the service',
  },
  logGrows: {
    threshold: 64,
    when: 'another program keeps the store’s log from shrinking; it has 64 MB',
    say: ({ megabytes, readers }: { readonly megabytes: number; readonly readers: readonly number[] }) => {
      const who = readers.length === 0 ? 'another program' : `process ${readers.join(', ')}`
      return `the store's log has grown to ${Math.round(megabytes)} MB because ${who} keeps a long read open; end it to free the space`
    },
    hint: 'end the program named',
  },
} as const satisfies Record<string, WarningRow<never>>

// What a row of the list of warnings says.

/** `Facts`: the numbers its sentence needs. */
export interface WarningRow<Facts extends readonly unknown[]> {
  /** When it is raised, for the page of warnings. */
  readonly when: string
  /** The number that decides, where there is one; `when` names it. */
  readonly threshold?: number
  /** What was found, with its numbers. */
  readonly say: (...facts: Facts) => string
  /** What to do about it. */
  readonly hint: string
}

/** `2025-07-01 to 2025-09-01`. */
export function shownSpan({ from, to }: Period): string {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return `${day(from)} to ${day(to)}`
}

/** Four significant digits. */
export function shown(value: number): string {
  return String(Number(value.toPrecision(4)))
}

export const WARNINGS = { ...STUDY_WARNINGS, ...RUN_WARNINGS }

type WarningCode = keyof typeof WARNINGS

/** The numbers that a code's sentence needs; none for some. */
type FactsOf<Code extends WarningCode> = Parameters<(typeof WARNINGS)[Code]['say']>

/** A warning that has been raised. */
export interface Warning<Code extends WarningCode = WarningCode> {
  readonly code: Code
  /** One sentence with its numbers. */
  readonly message: string
  /** What to do about it. */
  readonly hint: string
}

export function warning<Code extends WarningCode>(code: Code, ...facts: FactsOf<Code>): Warning<Code> {
  const rows: { readonly [Each in WarningCode]: WarningRow<FactsOf<Each>> } = WARNINGS // as a mapped type, which `code` selects from
  const row: WarningRow<FactsOf<Code>> = rows[code]
  return { code, message: row.say(...facts), hint: row.hint }
}
