/** Warnings about a study, said once: its question, its ladders, the candles and the service, how many configurations were tried. */
import { MAX_TRIALS, type Period } from '../../study/study.ts'
import { shownSpan, type WarningRow } from './row.ts'

/** How many of a study's trials a warning is about. */
export interface Share {
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
    when: 'other studies tried configurations on the hold-out',
    say: (found: { readonly configs: number; readonly span: Period; readonly markets: readonly string[] }) =>
      `the hold-out ${shownSpan(found.span)} on ${found.markets.join(', ')} is not fresh: other studies tried up to ${found.configs} configurations on it`,
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
