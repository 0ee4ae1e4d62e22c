/** Doubts that an examination raises: what computing a result again, a little differently, says against believing it. */
import type { ConfigField } from '../../../contract/bot.ts'
import type { Move, Shift, TermsOrigin } from '../certainty/checks.ts'
import { type DoubtRow, shown } from './row.ts'

const HOUR_MS = 3_600_000

const signed = (amount: number) => (amount > 0 ? `+${shown(amount)}` : shown(amount).replace('-', '−'))
const rounded = (percent: number) => `${Math.round(percent)} %`

export const EXAMINATION_DOUBTS = {
  signFlips: {
    weight: 'block',
    when: 'the order of prices inside the candles decides whether it won or lost',
    say: (pair: { readonly pessimistic: number; readonly optimistic: number; readonly ambiguousCandles: number }) =>
      `these candles cannot answer: it made ${signed(pair.pessimistic)} or ${signed(pair.optimistic)}, by the order of prices inside ${pair.ambiguousCandles} candles`,
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
    hint: 'use finer candles: dcalab candles fetch, dcalab candles import',
  },
  spike: {
    weight: 'warn',
    threshold: 50,
    when: 'a small move of its fields loses more than 50 % of the profit in the middle of all moves',
    say: ({ median, netProfit }: { readonly median: number; readonly netProfit: number }) =>
      `it is a spike: a small move of one field leaves ${signed(median)} of ${signed(netProfit)} in the middle of all moves`,
    hint: 'look for a broader top: search by `score: plateau`',
  },
  edge: {
    weight: 'info',
    when: 'a value of it is the first or the last that the study tried',
    say: ({ edges, axes }: { readonly edges: readonly ConfigField[]; readonly axes: number }) =>
      `it lies at the edge in ${edges.length} of ${axes} fields (${edges.join(', ')}): what lies beyond was not tried`,
    hint: 'extend the grid there: dcalab study refine',
  },
  sensitive: {
    weight: 'info',
    threshold: 10,
    when: 'a small move of one field costs more than 10 % of the profit',
    say: (move: Omit<Move, 'lossPercent'> & { readonly from: number; readonly lossPercent: number }) =>
      `${move.field} ${shown(move.value)} instead of ${shown(move.from)} makes ${rounded(move.lossPercent)} less`,
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
    hint: 'take a longer period, or believe the range rather than the number',
  },
  onePart: {
    weight: 'info',
    threshold: 60,
    when: 'one third of the period made more than 60 % of its profit',
    say: ({ index, sharePercent }: { readonly index: number; readonly sharePercent: number }) =>
      `the ${['first', 'second', 'last'][index]} third of the period made ${rounded(sharePercent)} of the profit`,
    hint: 'see what happened there: dcalab report',
  },
  oneMonth: {
    weight: 'info',
    threshold: 60,
    when: 'one month of several made more than 60 % of its profit',
    say: ({ month, sharePercent }: { readonly month: string; readonly sharePercent: number }) =>
      `${month} made ${rounded(sharePercent)} of the profit`,
    hint: 'see what happened there: dcalab report',
  },
  oneDeal: {
    weight: 'info',
    threshold: 30,
    when: 'one deal made more than 30 % of its profit',
    say: ({ openedAt, sharePercent }: { readonly openedAt: string; readonly sharePercent: number }) =>
      `the deal of ${openedAt.slice(0, 10)} made ${rounded(sharePercent)} of the profit`,
    hint: 'do not count on another such deal',
  },
  rankDoesNotLast: {
    weight: 'info',
    threshold: 0.3,
    when: 'over 20 configurations or more, the rank correlation of the first half of the period with the second is below 0.3',
    say: ({ rho, n }: { readonly rho: number; readonly n: number }) =>
      `in this market, rank in one half of the period told little about the other (ρ ${shown(rho).replace('-', '−')} over ${n} configurations)`,
    hint: 'expect an ordinary place next time, not the first',
  },
  followsCapital: {
    weight: 'info',
    threshold: 0.8,
    when: 'over the configurations of the study, net profit and average used capital correlate by 0.8 or more',
    say: ({ r }: { readonly r: number }) => `profit follows capital in this study: r ${shown(r)}`,
    hint: 'compare profit per capital in use, netProfitPerUsedPercent',
  },
  idleCapital: {
    weight: 'info',
    threshold: 15,
    when: 'less than 15 % of the investment was in use on average',
    say: ({ averagePercent }: { readonly averagePercent: number }) =>
      `${shown(averagePercent)} % of the investment was in use on average; the rest lay idle`,
    hint: 'compare profit per capital in use, or invest less',
  },
  alwaysInvested: {
    weight: 'info',
    threshold: 95,
    when: 'it held a position on more than 95 % of the candles',
    say: ({ percent }: { readonly percent: number }) =>
      `it held a position ${shown(percent)} % of the time: much of its profit is the market’s`,
    hint: 'compare it with buy & hold at the same exposure',
  },
  belowHold: {
    weight: 'info',
    when: 'buying at the start and holding made more',
    say: ({ netProfit, hold }: { readonly netProfit: number; readonly hold: number }) =>
      `buy & hold of the whole investment made ${signed(hold)}, this ${signed(netProfit)}`,
    hint: 'compare at the same exposure, and the drawdowns',
  },
  belowExposedHold: {
    weight: 'warn',
    when: 'buying at the start and holding as much as it used on average made more',
    say: ({ netProfit, hold }: { readonly netProfit: number; readonly hold: number }) =>
      `buy & hold at the same exposure made ${signed(hold)}, this ${signed(netProfit)}`,
    hint: 'ask what the bot adds to holding less: compare the two drawdowns',
  },
  directionOnly: {
    weight: 'info',
    when: 'the market moved one way by more than a third of its range: winners of a rise stood at percentile 18 when a fall followed',
    say: ({ changePercent }: { readonly changePercent: number }) =>
      `the market ${changePercent > 0 ? 'rose' : 'fell'} by ${shown(Math.abs(changePercent))} %: a winner of one direction says nothing of the other`,
    hint: 'test it on a period of the other direction: dcalab run --period',
  },
  twinDiffers: {
    weight: 'warn',
    threshold: 0.2,
    when: 'the service and the local engine differ by more than 0.2 % of the investment on the same trial',
    say: ({ difference, percent }: { readonly difference: number; readonly percent: number }) =>
      `the service says ${shown(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} than the local engine (${shown(percent)} % of the investment): what is examined here is not quite its result`,
    hint: 'find its conventions: dcalab study calibrate',
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
    hint: 'find them: dcalab study calibrate',
  },
  luckOfLooks: {
    weight: 'warn',
    threshold: 0.95,
    when: 'the deflated Sharpe ratio is below 0.95: the best of so many looks is as good by chance',
    say: ({ dsr, looks }: { readonly dsr: number; readonly looks: number }) =>
      `the best of ${looks} looks has such a Sharpe ratio by chance too often (DSR ${shown(dsr)})`,
    hint: 'test it on days that nobody has looked at: dcalab holdout open',
  },
  likelyOverfit: {
    weight: 'warn',
    threshold: 50,
    when: 'in more than 50 % of all splits of its days, the best of one half is below the middle in the other',
    say: ({ pbo }: { readonly pbo: number }) =>
      `the best of one half of the days is below the middle of the other in ${rounded(100 * pbo)} of all splits`,
    hint: 'expect an ordinary place next time, not the first',
  },
} as const satisfies Record<string, DoubtRow<never>>

interface Uncalibrated {
  readonly termsFrom: TermsOrigin
  readonly intervalMs: number
}

function place(rank: number | null): string {
  return rank === null ? 'outside the bounds' : `place ${rank}`
}
