/** Doubts about a study before anything is spent: its question, its ladders, the candles and the service it would meet. */
import { MAX_TRIALS, type Period } from '../../study/study.ts'
import { type DoubtRow, shownSpan } from './row.ts'

/** How many of a study's trials a doubt is about. */
export interface Share {
  readonly affected: number
  readonly trials: number
}

interface OtherSettings {
  /** What the study says. */
  readonly asked: string
  /** What results and the service say. */
  readonly stated: string
  /** They do not say it: nothing is known to differ. */
  readonly isUnknown: boolean
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

/** The same in few words. */
const shareOf = (what: string) => (share: Share) =>
  share.trials === 1 ? what : `${share.affected} of ${share.trials}: ${what}`

export const STUDY_DOUBTS = {
  forScreening: {
    weight: 'info',
    threshold: MAX_TRIALS,
    when: `the study has more than ${MAX_TRIALS} distinct trials`,
    say: ({ distinct }: { readonly distinct: number }) =>
      `${distinct} distinct trials are more than the ${MAX_TRIALS} that can be run; this study is for dcalab screen`,
    short: ({ distinct }: { readonly distinct: number }) => `${distinct} trials, for screen`,
    hint: 'screen it, then run a smaller study around the winners',
  },
  noTrials: {
    weight: 'warn',
    when: 'no point of the grid lies inside `where`',
    say: ({ grid }: { readonly grid: number }) => `all ${grid} points lie outside where; nothing would be run`,
    short: ({ grid }: { readonly grid: number }) => `all ${grid} points outside where`,
    hint: 'loosen the bounds of where, or change the grid',
  },
  singleValueAxis: {
    weight: 'info',
    when: 'an axis of the grid has one value',
    say: ({ field, value }: { readonly field: string; readonly value: number }) =>
      `${field} has the single value ${value}; as a constant it belongs in base`,
    short: ({ field }: { readonly field: string; readonly value: number }) => `one value of ${field}`,
    hint: 'move it to base, or give it more values',
  },
  objectiveDirection: {
    weight: 'warn',
    when: 'the objective prefers the worse end of its metric',
    say: (objective: { readonly title: string; readonly isBetterHigh: boolean; readonly direction: string }) =>
      `${objective.title} is better ${objective.isBetterHigh ? 'high' : 'low'}, and the study would ${objective.direction} it`,
    short: (objective: { readonly title: string; readonly direction: string }) =>
      `${objective.direction} ${objective.title}`,
    hint: 'exchange maximize and minimize, unless it is meant',
  },
  periodTooShort: {
    weight: 'warn',
    threshold: 30,
    when: 'the objective or its bounds name a metric that is undefined under 30 days, and the period is shorter',
    say: (found: { readonly metrics: readonly string[]; readonly days: number }) =>
      `${found.metrics.join(', ')} need 30 days and the period has ${shownDays(found.days)}; no trial could be ranked`,
    short: ({ days }: { readonly days: number }) => `${shownDays(days)} days, too few to rank`,
    hint: 'take a longer period or another objective',
  },
  shortPeriod: {
    weight: 'info',
    threshold: 30,
    when: 'the period is shorter than 30 days, nothing is held out, and no metric of the objective is undefined for that',
    say: ({ days }: { readonly days: number }) =>
      `the period has ${shownDays(days)} days: what ranks first in so few tells little about the next ones`,
    short: ({ days }: { readonly days: number }) => `${shownDays(days)} days`,
    hint: 'take a longer period',
  },
  shortTrain: {
    weight: 'info',
    threshold: 60,
    when: 'the study holds something out, and what is left to choose on is shorter than 60 days',
    say: ({ days }: { readonly days: number }) =>
      `${shownDays(days)} days are left to choose on: a rank in so few says less about the time held out`,
    short: ({ days }: { readonly days: number }) => `${shownDays(days)} days to choose on`,
    hint: 'take a longer period, or hold out a smaller part',
  },
  ratioForPercent: {
    weight: 'warn',
    threshold: 0.1,
    when: 'a take profit or a stop is above 0 and at most 0.1: percent, and perhaps meant as a ratio',
    say: ({ field, values, areBelowFees }: RatioFacts) => {
      const one = values.length === 1
      const found = areBelowFees ? 'below the fees' : 'less than the noise of a price'
      const meant = values.map((value) => Number((100 * value).toPrecision(12)))
      return `${field} ${values.join(', ')} ${one ? 'is' : 'are'} ${found}; did you mean ${meant.join(', ')}?`
    },
    short: ({ field, values }: RatioFacts) => `${field} ${values.join(', ')} %`,
    hint: 'write percent: 2 for 2 %',
  },
  depthOver100: {
    weight: 'warn',
    when: 'the ladder of a trial reaches 100 % deep or deeper',
    say: ofTrials('safety orders would lie 100 % deep or deeper; they do not exist'),
    short: shareOf('deeper than 100 %'),
    hint: 'fewer safety orders, or smaller steps',
  },
  cutByStop: {
    weight: 'warn',
    when: 'the stop of a trial lies inside its ladder',
    say: ofTrials('the stop lies inside the ladder; safety orders below it do not exist'),
    short: shareOf('stop inside the ladder'),
    hint: 'a wider stop, or a shorter ladder',
  },
  neverTrades: {
    weight: 'warn',
    when: 'not even the base order of a trial can be paid',
    say: ofTrials('not even the base order with its fee fits dcaTotalBudget and investment; the bot never trades'),
    short: shareOf('never trades'),
    hint: 'a smaller dcaInitialOrderSize, or a larger budget',
  },
  overBudget: {
    weight: 'warn',
    when: 'the ladder of a trial costs more than its budget',
    say: ofTrials(
      'the ladder with fees costs more than dcaTotalBudget (or investment); its deepest safety orders are never placed',
    ),
    short: shareOf('ladder above the budget'),
    hint: 'bound ladderCost under where, or raise the budget',
  },
  overInvestment: {
    weight: 'warn',
    when: 'the budget of a trial is above its investment',
    say: ofTrials('dcaTotalBudget is above investment; a bot cannot spend money it does not have'),
    short: shareOf('budget above the investment'),
    hint: 'dcaTotalBudget at most investment',
  },
  takeProfitBelowFees: {
    weight: 'warn',
    when: 'a take profit is smaller than the fees of buying and selling',
    say: ofTrials('takeProfit is below the fees of buying and selling; every take profit is a loss'),
    short: shareOf('take profit below fees'),
    hint: 'a larger takeProfit, or conventions that take it net',
  },
  baseOrderBelowMinimum: {
    weight: 'warn',
    when: 'a base order is below the smallest order of its market',
    say: (found: Share & { readonly minNotional: number; readonly market: string }) =>
      `${found.affected} of ${found.trials} trials begin with less than ${found.minNotional}, the smallest order of ${found.market}, and never trade`,
    short: shareOf('base order below the minimum'),
    hint: 'a larger dcaInitialOrderSize',
  },
  rungsBelowMinimum: {
    weight: 'warn',
    when: 'safety orders are below the smallest order of their market',
    say: (found: Share & { readonly minNotional: number; readonly market: string }) =>
      `${found.affected} of ${found.trials} trials have safety orders of less than ${found.minNotional}, the smallest order of ${found.market}: these and all below them are never placed`,
    short: shareOf('orders below the minimum'),
    hint: 'larger orders, or a dcaVolumeScale of 1 or more',
  },
  costsDiffer: {
    weight: 'warn',
    when: 'the service computes with other costs than the study says, or does not state its own',
    say: ({ asked, stated }: OtherSettings) => `the study says ${asked}; ${stated}`,
    short: ({ isUnknown }: OtherSettings) => (isUnknown ? 'costs not stated' : 'other costs'),
    hint: 'write the costs of the service into the study, or have the service compute with those of the study',
  },
  conventionsDiffer: {
    weight: 'warn',
    when: 'the service computes by other conventions than the study says, or does not state its own',
    say: ({ asked, stated }: OtherSettings) => `the study says ${asked}; ${stated}`,
    short: ({ isUnknown }: OtherSettings) => (isUnknown ? 'conventions not stated' : 'other conventions'),
    hint: 'write the conventions of the service into the study, or have the service compute by those of the study',
  },
  intervalDiffers: {
    weight: 'warn',
    when: 'the service computes on candles of another interval than the study says, or does not state its own',
    say: ({ asked, stated }: OtherSettings) => `the study says ${asked}; ${stated}`,
    short: ({ isUnknown }: OtherSettings) => (isUnknown ? 'candle interval not stated' : 'other candle interval'),
    hint: 'write the interval of the service into the study, or leave it out: results then rest on what there is',
  },
  candlesMissing: {
    weight: 'warn',
    when: 'the candle folder does not hold the period of the study',
    say: ({ found }: { readonly found: string }) => found,
    short: (_: { readonly found: string }) => 'no candles',
    hint: 'fetch or import them: dcalab candles fetch, dcalab candles import',
  },
  candlesGap: {
    weight: 'warn',
    when: 'candles are missing inside the period',
    say: ({ missing, count }: { readonly missing: number; readonly count: number }) =>
      `${missing} of ${count + missing} candles are missing inside the period`,
    short: ({ missing }: { readonly missing: number }) => `${missing} candles missing`,
    hint: 'see where: dcalab candles check',
  },
  seen: {
    weight: 'warn',
    when: 'others have looked at the time that the study holds out',
    say: (found: { readonly configs: number; readonly span: Period; readonly markets: readonly string[] }) =>
      `at most ${found.configs} configurations have been looked at by others in the time held out, ${shownSpan(found.span)} on ${found.markets.join(', ')}: what is chosen may have been chosen knowing it`,
    short: ({ configs }: { readonly configs: number }) => `hold-out seen by ${configs} configurations`,
    hint: 'hold out days that nobody has looked at; dcalab holdout says how many did',
  },
  holdoutClosed: {
    weight: 'block',
    when: 'the study holds out a span that is not opened, or not all of whose results are in',
    say: ({ study, span }: { readonly study: string; readonly span: Period }) =>
      `${study} holds out ${shownSpan(span)}, and nothing is known of that time yet`,
    short: (_: { readonly study: string }) => 'hold-out closed',
    hint: 'test the winner on it first: dcalab holdout <study> --test',
  },
  coarseCandles: {
    weight: 'warn',
    threshold: 15,
    when: 'the finest stored candles are longer than 15 minutes',
    say: ({ interval }: { readonly interval: string }) =>
      `${interval} candles: fills inside a candle are guesses: import minutes`,
    short: ({ interval }: { readonly interval: string }) => `${interval} candles`,
    hint: 'fetch or import minutes',
  },
} as const satisfies Record<string, DoubtRow<never>>
