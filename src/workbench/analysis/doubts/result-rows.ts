/** Doubts about one result: its numbers, the data under them, and how it was chosen. */
import { FEWEST_DEALS } from '../../../contract/sample-size.ts'
import type { Inconsistency } from './find-inconsistencies.ts'
import { type DoubtRow, shown } from './row.ts'

interface Unranked {
  readonly study: string
  readonly isSample: boolean
  /** Of its study. */
  readonly markets: number
}

const misread = (said: string, which = 'two') => `${said}: one of the ${which} is misread`

/** "10,000", "5.397". */
function figure(value: number): string {
  const text = Math.abs(value) < 10_000 ? shown(value) : String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',')
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
      return misread(
        `a win rate of ${figure(found.winRatePercent)} % of ${found.closedDeals} deals is no whole number of them`,
      )
    case 'roiOfStudy':
      return misread(
        `net profit ${figure(found.netProfit)} is ${figure(found.roiPercent)} % of ${figure(found.base)}; of ${found.others} other jobs it would be of about ${figure(found.usualBase)}`,
      )
  }
}

const SHORT_OF_INCONSISTENCY: Readonly<Record<Inconsistency['kind'], string>> = {
  roi: 'profit and ROI contradict',
  deals: 'deals and realized profit contradict',
  fees: 'fees and volume contradict',
  parts: 'profits do not add up',
  wins: 'win rate and deals contradict',
  roiOfStudy: 'its ROI is of something else',
}

export const RESULT_DOUBTS = {
  unreadable: {
    weight: 'warn',
    when: 'the result, or some of its numbers, could not be read',
    say: ({ metrics }: { readonly metrics: readonly string[] | null }) =>
      metrics === null ? 'the result could not be read' : `${metrics.slice(0, 5).join(', ')} could not be read`,
    short: ({ metrics }: { readonly metrics: readonly string[] | null }) =>
      metrics === null
        ? 'result not read'
        : `${metrics.length === 1 ? '1 number' : `${metrics.length} numbers`} not read`,
    hint: 'a dialect teaches the program other spellings: dcalab service check shows how replies are read, dcalab store reread reads them again',
  },
  inconsistentNumbers: {
    weight: 'block',
    when: 'two of its numbers contradict each other: ROI and what the job invests (half the first order to twice the investment; 5 jobs or more: ± 50 % of the others), deals and realized profit, fees and volume (1 %), realized and unrealized and net profit, win rate and deals',
    say: sayInconsistency,
    short: ({ kind }: Inconsistency) => SHORT_OF_INCONSISTENCY[kind],
    hint: 'compare with the reply (dcalab service jobs show), mend the dialect, then dcalab store reread',
  },
  revisedResults: {
    weight: 'block',
    when: 'the service now states other numbers for results of the study than when they were paid for',
    say: ({ revised, checked }: { readonly revised: number; readonly checked: number }) =>
      `${revised} of ${checked} results read again have changed since they were paid`,
    short: ({ revised }: { readonly revised: number; readonly checked: number }) => `${revised} results changed`,
    hint: '`dcalab show` has both values; `dcalab store reread --revised` takes the new ones',
  },
  noProfit: {
    weight: 'warn',
    when: 'its net profit is zero or a loss',
    say: ({ netProfit }: { readonly netProfit: number }) => `it made ${shown(netProfit)}`,
    short: ({ netProfit }: { readonly netProfit: number }) => `made ${shown(netProfit).replace('-', '−')}`,
    hint: 'choose another trial',
  },
  fewDeals: {
    weight: 'warn',
    threshold: FEWEST_DEALS,
    when: `fewer than ${FEWEST_DEALS} deals closed on a later candle than they opened on, or their number is not told`,
    say: ({ closedDeals, sampleSize }: { readonly closedDeals: number | null; readonly sampleSize: string | null }) =>
      `${closedDeals ?? 'an unknown number of'} closed deals (sample size ${sampleSize ?? 'unknown'}): chance decides much of the result`,
    short: ({ closedDeals }: { readonly closedDeals: number | null }) =>
      closedDeals === null ? 'deals unknown' : `${closedDeals} ${closedDeals === 1 ? 'deal' : 'deals'}`,
    hint: 'test it over a longer period or on more markets',
  },
  openLoss: {
    weight: 'warn',
    when: 'the data end with an open deal at a loss',
    say: ({ loss, safetyOrders }: { readonly loss: number; readonly safetyOrders: number | null }) =>
      `the data end with an open deal${safetyOrders === null ? '' : ` after ${safetyOrders} safety orders`} at a loss of ${shown(loss)}`,
    short: ({ loss }: { readonly loss: number }) => `ends with an open loss of ${shown(loss)}`,
    hint: 'look at realized and unrealized profit apart, and at a later end',
  },
  outOfCash: {
    weight: 'warn',
    when: 'the bot could no longer pay its base order',
    say: () => 'it ran out of cash and stopped trading',
    short: () => 'out of cash',
    hint: 'smaller orders, or more investment',
  },
  unplacedOrders: {
    weight: 'warn',
    when: 'rungs of its ladder were too small for the market, and never placed',
    say: ({ unplaced, asked }: { readonly unplaced: number; readonly asked: number | null }) =>
      `${unplaced}${asked === null ? '' : ` of ${asked}`} rungs were never placed: smaller than the lot or minimum notional`,
    short: ({ unplaced }: { readonly unplaced: number }) => `${unplaced} rungs never placed`,
    hint: 'larger orders, or fewer rungs: what was measured is a shorter ladder than the configuration says',
  },
  simulated: {
    weight: 'info',
    when: 'our embedded service computed it',
    say: () => 'the embedded service computed it, not the service of an exchange account',
    short: () => 'simulated',
    hint: 'run the study on the service that will trade',
  },
  syntheticCandles: {
    weight: 'warn',
    when: 'its market is generated',
    block: {
      when: 'where the service is not ours',
      applies: ({ simulated }: { readonly simulated: boolean }) => !simulated,
    },
    say: (_: { readonly simulated: boolean }) => 'its market is generated, not real',
    short: (_: { readonly simulated: boolean }) => 'generated market',
    hint: 'test it on recorded candles',
  },
  missingCandles: {
    weight: 'warn',
    when: 'candles were missing under its result',
    say: ({ missing, inDeals }: { readonly missing: number; readonly inDeals: number | null }) =>
      `${missing} candles were missing${inDeals ? `, ${inDeals} of them while a deal was open` : ''}`,
    short: ({ missing }: { readonly missing: number }) => `${missing} candles missing`,
    hint: 'test it on a period without gaps',
  },
  coarseResult: {
    weight: 'warn',
    threshold: 60,
    when: 'the service computed it on candles longer than 60 minutes',
    say: ({ stated }: { readonly stated: string }) => `${stated} candles: fills inside a candle are guesses`,
    short: ({ stated }: { readonly stated: string }) => `${stated} candles`,
    hint: 'compute the best of them on minutes: dcalab screen, dcalab backtest',
  },
  ambiguousCandles: {
    weight: 'warn',
    threshold: 1,
    when: 'on 1 % of the candles or more the order of fills is a guess',
    say: ({ percent }: { readonly percent: number }) =>
      `on ${shown(percent)} % of the candles the order of fills is a guess`,
    short: ({ percent }: { readonly percent: number }) => `fills guessed on ${shown(percent)} % of candles`,
    hint: 'use finer candles',
  },
  noHoldout: {
    weight: 'info',
    when: 'it was chosen and measured on the same days',
    say: ({ period }: { readonly period: string }) =>
      `it was chosen and measured on the same ${period}; nothing was held back`,
    short: (_: { readonly period: string }) => 'chosen and measured on the same days',
    hint: 'test it on days that the study did not see',
  },
  manyLooks: {
    weight: 'info',
    when: 'it is one of several that were tried',
    say: ({ tried }: { readonly tried: number }) =>
      `it is one of ${tried} tried: the best of many looks better than it is`,
    short: ({ tried }: { readonly tried: number }) => `one of ${tried} tried`,
    hint: 'test it on days that the study did not see',
  },
  outsideBounds: {
    weight: 'warn',
    when: 'it lies outside the bounds of its study’s objective',
    say: ({ study }: { readonly study: string }) => `it lies outside the bounds of ${study}’s objective`,
    short: (_: { readonly study: string }) => 'outside the bounds',
    hint: 'choose one inside them: dcalab leaderboard',
  },
  unranked: {
    weight: 'warn',
    when: 'its study’s objective is undefined for it, on one of several markets too, or it was a sample of a screen',
    say: ({ study, isSample, markets }: Unranked) => {
      if (isSample) return `${study} ranks what its screen chose, and this was a sample to compare with`
      if (markets > 1) return `${study}’s objective has no number for it on every one of ${markets} markets`
      return `${study}’s objective has no number for it`
    },
    short: ({ isSample }: Unranked) => (isSample ? 'a sample, unranked' : 'unranked'),
    hint: 'choose one that has a number: dcalab leaderboard',
  },
  notBest: {
    weight: 'info',
    when: 'others of its study rank above it',
    say: ({ above, study, markets }: { readonly above: number; readonly study: string; readonly markets: number }) =>
      `${above} ${markets === 1 ? 'trial' : 'configuration'}${above === 1 ? ` of ${study} ranks` : `s of ${study} rank`} above it`,
    short: ({ above }: { readonly above: number }) => `${above} rank${above === 1 ? 's' : ''} above it`,
    hint: 'compare it with them: dcalab leaderboard',
  },
  agreementFailed: {
    weight: 'block',
    when: 'its search found that the service and the local engine, which chose what to try, disagree',
    say: ({ study, failed }: { readonly study: string; readonly failed: readonly string[] }) =>
      `the service disagrees with the screen of ${study} (${failed.join(', ')}): what was tried was chosen by a wrong guess of how it computes`,
    short: (_: { readonly study: string; readonly failed: readonly string[] }) => 'service and screen disagree',
    hint: 'find its conventions: dcalab service calibrate; then search again',
  },
  withinNoise: {
    weight: 'info',
    when: 'the next best differs by less than chance alone moves its profit',
    say: ({ gap, noise }: { readonly gap: number; readonly noise: number }) =>
      `the next best differs by ${shown(gap)}, less than the ${shown(noise)} that chance alone moves its profit`,
    short: ({ gap }: { readonly gap: number; readonly noise: number }) => `ahead by ${shown(gap)}, within chance`,
    hint: 'take it as a tie: choose by what else matters, such as drawdown',
  },
} as const satisfies Record<string, DoubtRow<never>>
