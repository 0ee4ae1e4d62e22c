/** Doubts that an examination raises: what computing a result again, a little differently, says against believing it. */
import type { ConfigField } from '../../../contract/bot.ts'
import type { Move, Shift, TermsOrigin } from '../certainty/checks.ts'
import { type DoubtRow, shown } from './row.ts'

const HOUR_MS = 3_600_000

const signed = (amount: number) => (amount > 0 ? `+${shown(amount)}` : shown(amount).replace('-', '−'))
const rounded = (percent: number) => `${Math.round(percent)} %`
/** As correlations are written: .91. */
const two = (value: number) =>
  value
    .toFixed(2)
    .replace('-', '−')
    .replace(/^(−?)0\./, '$1.')

export const EXAMINATION_DOUBTS = {
  signFlips: {
    weight: 'block',
    when: 'the order of prices inside the candles decides whether it won or lost',
    say: (pair: { readonly pessimistic: number; readonly optimistic: number; readonly ambiguousCandles: number }) =>
      `these candles cannot answer: it made ${signed(pair.pessimistic)} or ${signed(pair.optimistic)}, by the order of prices inside ${pair.ambiguousCandles} candles`,
    short: (pair: { readonly pessimistic: number; readonly optimistic: number }) =>
      `made ${signed(pair.pessimistic)} or ${signed(pair.optimistic)}`,
    hint: 'use finer candles: dcalab candles fetch, dcalab candles import',
  },
  ambiguousRank: {
    weight: 'warn',
    when: 'the order of prices inside the candles decides whether it is among the best tenth of its study',
    say: ({
      of,
      ...ranks
    }: {
      readonly pessimistic: number | null
      readonly optimistic: number | null
      readonly of: number
    }) =>
      `these candles cannot answer: of ${of} it is ${place(ranks.pessimistic)} or ${place(ranks.optimistic)}, by the order of prices inside candles`,
    short: (ranks: { readonly pessimistic: number | null; readonly optimistic: number | null }) =>
      `${place(ranks.pessimistic)} or ${place(ranks.optimistic)} by fill order`,
    hint: 'use finer candles: dcalab candles fetch, dcalab candles import',
  },
  spike: {
    weight: 'warn',
    threshold: 50,
    when: 'a small move of its fields loses more than 50 % of the profit in the middle of all moves',
    say: ({ median, netProfit }: { readonly median: number; readonly netProfit: number }) =>
      `it is a spike: a small move of one field leaves ${signed(median)} of ${signed(netProfit)} in the middle of all moves`,
    short: ({ median, netProfit }: { readonly median: number; readonly netProfit: number }) =>
      `spike: small moves leave ${signed(median)} of ${signed(netProfit)}`,
    hint: 'look for a broader top: dcalab study refine',
  },
  edge: {
    weight: 'info',
    when: 'a value of it is the first or the last that the study tried',
    say: ({ edges, axes }: { readonly edges: readonly ConfigField[]; readonly axes: number }) =>
      `it lies at the edge in ${edges.length} of ${axes} fields (${edges.join(', ')}): what lies beyond was not tried`,
    short: ({ edges, axes }: { readonly edges: readonly ConfigField[]; readonly axes: number }) =>
      `${edges.length} of ${axes} fields at the end of what was tried`,
    hint: 'extend the grid there: dcalab study refine',
  },
  sensitive: {
    weight: 'info',
    threshold: 10,
    when: 'a small move of one field costs more than 10 % of the profit',
    say: (move: Costly) =>
      `${move.field} ${shown(move.value)} instead of ${shown(move.from)} makes ${rounded(move.lossPercent)} less`,
    short: ({ field, value, from, lossPercent, otherLossPercent: other }: Costly) =>
      other === null
        ? `${field} ${shown(value)}: ${rounded(lossPercent)} less profit`
        : `${field} ±${shown(Math.abs(value - from))}: ${rangeOf(other, lossPercent)} less profit`,
    hint: 'expect the neighbours’ profit rather than its own',
  },
  oneDayChangesIt: {
    weight: 'warn',
    threshold: 25,
    when: 'a day more or less turns its sign, takes or gives more than 25 % of its profit, or moves it out of the best five',
    say: ({
      netProfit,
      shift,
      rank,
    }: {
      readonly netProfit: number
      readonly shift: Shift
      readonly rank: number | null
    }) =>
      `one day changes it: with the ${shift.moved} ${signed(netProfit)} becomes ${signed(shift.netProfit)}${
        shift.rank === null ? '' : `, place ${shift.rank}${rank === null ? '' : ` instead of ${rank}`}`
      }`,
    short: ({ netProfit, shift }: { readonly netProfit: number; readonly shift: Shift }) =>
      `${shift.moved}: ${signed(netProfit)} becomes ${signed(shift.netProfit)}`,
    hint: 'take a longer period, or believe the range rather than the number',
  },
  onePart: {
    weight: 'info',
    threshold: 60,
    when: 'one third of the period made more than 60 % of its profit',
    say: ({ index, sharePercent }: { readonly index: number; readonly sharePercent: number }) =>
      `the ${['first', 'second', 'last'][index]} third of the period made ${rounded(sharePercent)} of the profit`,
    short: ({ index, sharePercent }: { readonly index: number; readonly sharePercent: number }) =>
      `${['first', 'second', 'last'][index]} third made ${rounded(sharePercent)} of the profit`,
    hint: 'see what happened there: dcalab report',
  },
  oneMonth: {
    weight: 'info',
    threshold: 60,
    when: 'one month of several made more than 60 % of its profit',
    say: ({ month, sharePercent }: { readonly month: string; readonly sharePercent: number }) =>
      `${month} made ${rounded(sharePercent)} of the profit`,
    short: ({ month, sharePercent }: { readonly month: string; readonly sharePercent: number }) =>
      `${month} made ${rounded(sharePercent)} of the profit`,
    hint: 'see what happened there: dcalab report',
  },
  oneDeal: {
    weight: 'info',
    threshold: 30,
    when: 'one deal made more than 30 % of its profit',
    say: ({ openedAt, sharePercent }: { readonly openedAt: string; readonly sharePercent: number }) =>
      `the deal of ${openedAt.slice(0, 10)} made ${rounded(sharePercent)} of the profit`,
    short: ({ sharePercent }: { readonly sharePercent: number }) =>
      `one deal made ${rounded(sharePercent)} of the profit`,
    hint: 'do not count on another such deal',
  },
  rankDoesNotLast: {
    weight: 'info',
    threshold: 0.3,
    when: 'over 20 configurations or more, the rank correlation of the first half of the period with the second is below 0.3',
    say: ({ rho, n }: { readonly rho: number; readonly n: number }) =>
      `in this market, rank in one half of the period told little about the other (ρ ${shown(rho).replace('-', '−')} over ${n} configurations)`,
    short: (_: { readonly rho: number }) => 'a good rank did not last from half to half',
    hint: 'expect an ordinary place next time, not the first',
  },
  followsCapital: {
    weight: 'info',
    threshold: 0.8,
    when: 'over the configurations of the study, net profit and average used capital correlate by 0.8 or more',
    say: ({ r }: { readonly r: number }) => `profit follows capital in this study: r ${shown(r)}`,
    short: ({ r }: { readonly r: number }) => `profit grows with the capital in use, r ${two(r)}`,
    hint: 'compare profit per capital in use, netProfitPerUsedPercent',
  },
  idleCapital: {
    weight: 'info',
    threshold: 15,
    when: 'less than 15 % of the investment was in use on average',
    say: ({ averagePercent }: { readonly averagePercent: number }) =>
      `${shown(averagePercent)} % of the investment was in use on average; the rest lay idle`,
    short: ({ averagePercent }: { readonly averagePercent: number }) => `${rounded(averagePercent)} of capital in use`,
    hint: 'compare profit per capital in use, or invest less',
  },
  alwaysInvested: {
    weight: 'info',
    threshold: 95,
    when: 'it held a position on more than 95 % of the candles',
    say: ({ percent }: { readonly percent: number }) =>
      `it held a position ${shown(percent)} % of the time: much of its profit is the market’s`,
    short: ({ percent }: { readonly percent: number }) => `invested ${rounded(percent)} of the time`,
    hint: 'compare it with buy & hold at the same exposure',
  },
  belowHold: {
    weight: 'info',
    when: 'buying at the start and holding made more',
    say: ({ netProfit, hold }: { readonly netProfit: number; readonly hold: number }) =>
      `buy & hold of the whole investment made ${signed(hold)}, this ${signed(netProfit)}`,
    short: ({ netProfit, hold }: { readonly netProfit: number; readonly hold: number }) =>
      `below buy & hold: ${signed(netProfit)} against ${signed(hold)}`,
    hint: 'compare at the same exposure, and the drawdowns',
  },
  belowExposedHold: {
    weight: 'warn',
    when: 'buying at the start and holding as much as it used on average made more',
    say: ({ netProfit, hold }: { readonly netProfit: number; readonly hold: number }) =>
      `buy & hold at the same exposure made ${signed(hold)}, this ${signed(netProfit)}`,
    short: ({ netProfit, hold }: { readonly netProfit: number; readonly hold: number }) =>
      `below hold at the same exposure: ${signed(netProfit)} against ${signed(hold)}`,
    hint: 'ask what the bot adds to holding less: compare the two drawdowns',
  },
  directionOnly: {
    weight: 'info',
    when: 'the market moved one way by more than a third of its range: winners of a rise stood at percentile 30 when a fall followed',
    say: ({ changePercent }: { readonly changePercent: number }) =>
      `the market ${changePercent > 0 ? 'rose' : 'fell'} by ${shown(Math.abs(changePercent))} %: a winner of one direction says nothing of the other`,
    short: ({ changePercent }: { readonly changePercent: number }) =>
      `tested in a ${changePercent > 0 ? 'rising' : 'falling'} market alone, ${changePercent > 0 ? '+' : '−'}${shown(Math.abs(changePercent))} %`,
    hint: 'test it on a period of the other direction: dcalab run --period',
  },
  twinDiffers: {
    weight: 'warn',
    threshold: 0.2,
    when: 'the service and the local engine differ by more than 0.2 % of the investment on the same trial',
    say: ({ difference, percent }: { readonly difference: number; readonly percent: number }) =>
      `the service says ${shown(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} than the local engine (${shown(percent)} % of the investment): what is examined here is not quite its result`,
    short: ({ percent }: { readonly percent: number }) => `two engines ${shown(percent)} % apart`,
    hint: 'find its conventions: dcalab service calibrate',
  },
  uncalibrated: {
    weight: 'warn',
    block: {
      when: 'on candles of an hour or longer',
      applies: ({ intervalMs }: Uncalibrated) => intervalMs >= HOUR_MS,
    },
    when: 'it is not known by which conventions and costs the service computes',
    say: ({ termsFrom }: Uncalibrated) =>
      termsFrom === 'poorCalibration'
        ? 'no set of conventions and costs explains the service’s answers well'
        : 'the service does not say by which conventions and costs it computes, and was not calibrated',
    short: () => 'how the service computes is not known',
    hint: 'find them: dcalab service calibrate',
  },
  luckOfLooks: {
    weight: 'warn',
    threshold: 0.95,
    when: 'the deflated Sharpe ratio is below 0.95: the best of so many looks is as good by chance',
    say: ({ dsr, looks }: { readonly dsr: number; readonly looks: number }) =>
      `the best of ${looks} looks has such a Sharpe ratio by chance too often (DSR ${shown(dsr)})`,
    short: ({ looks }: { readonly looks: number }) => `as good by chance, best of ${looks} looks`,
    hint: 'test it on days that nobody has looked at: dcalab holdout <study> --test',
  },
  likelyOverfit: {
    weight: 'warn',
    threshold: 50,
    when: 'in more than 50 % of all splits of its days, the best of one half is below the middle in the other',
    say: ({ pbo }: { readonly pbo: number }) =>
      `the best of one half of the days is below the middle of the other in ${rounded(100 * pbo)} of all splits`,
    short: ({ pbo }: { readonly pbo: number }) =>
      `best of one half, below the middle of the other: ${rounded(100 * pbo)} of splits`,
    hint: 'expect an ordinary place next time, not the first',
  },
} as const satisfies Record<string, DoubtRow<never>>

interface Uncalibrated {
  readonly termsFrom: TermsOrigin
  readonly intervalMs: number
}

/** A move to one side, and what the same move to the other side loses where it loses too. */
interface Costly extends Omit<Move, 'lossPercent'> {
  readonly from: number
  readonly lossPercent: number
  readonly otherLossPercent: number | null
}

function rangeOf(least: number, most: number): string {
  return Math.round(least) === Math.round(most) ? rounded(most) : `${Math.round(least)}–${rounded(most)}`
}

function place(rank: number | null): string {
  return rank === null ? 'outside the bounds' : `place ${rank}`
}
