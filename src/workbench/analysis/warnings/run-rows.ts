/** Warnings of a run while it goes on: what it met that a person may have to look after. */
import { withCommas } from '../../../contract/metrics.ts'
import type { Inconsistency } from './find-inconsistencies.ts'
import { shown, type WarningRow } from './row.ts'

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
