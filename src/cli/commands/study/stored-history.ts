/** How much history of a study's markets is stored, whether a verdict can be made on it, and what brings the rest. */
import { listCandles } from '../../../candles/folder/folder.ts'
import { marketName } from '../../../contract/market.ts'
import { DAY_MS } from '../../../engine/daily-equity.ts'
import type { StudyFor } from '../../../workbench/study/fields.ts'
import {
  chooseHistory,
  countDisjoint,
  historyToFetch,
  leastDisjoint,
  startsOf,
} from '../../../workbench/verdict/stretches.ts'
import { dateOf, daysOf } from '../../../workbench/verdict/words.ts'
import { USUAL_HORIZON_DAYS } from '../../judging.ts'

/** Dates are days UTC. */
interface MarketHistory {
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly stored: readonly {
    readonly interval: string
    readonly from: string
    readonly to: string
    readonly days: number
  }[]
  /** What a verdict would use; null = nothing is stored. `disjoint`: stretches of so many days that do not overlap. */
  readonly judgedOn: { readonly interval: string; readonly days: number; readonly disjoint: number } | null
  readonly isEnough: boolean
  /** Can be pasted; null where it is enough, or no source has the market. */
  readonly fetch: string | null
}

/** On the usual horizon. Reads only the heads of files. */
export function surveyHistory(
  folder: string,
  { markets, period, holdout }: Pick<StudyFor<'check'>, 'markets' | 'period' | 'holdout'>,
): readonly MarketHistory[] {
  const all = listCandles(folder)
  return markets.map((market) => {
    const stored = all.filter((one) => one.market === marketName(market))
    const before = holdout?.from ?? Number.POSITIVE_INFINITY
    const history = chooseHistory(stored, { horizonMs: USUAL_HORIZON_DAYS * DAY_MS, period, before })
    const disjoint =
      history === undefined
        ? 0
        : countDisjoint(startsOf(history).map((from) => ({ from, to: from + history.lengthMs })))
    const isEnough = disjoint >= leastDisjoint
    return {
      market: marketName(market),
      stored: stored.map(({ interval, from, to }) => ({
        ...{ interval, from: dateOf(from), to: dateOf(to) },
        days: Math.floor((to - from) / DAY_MS),
      })),
      judgedOn:
        history === undefined
          ? null
          : { interval: history.interval, days: Math.round(history.lengthMs / DAY_MS), disjoint },
      isEnough,
      fetch: isEnough ? null : (historyToFetch(market, period)?.command ?? null),
    }
  })
}

export function describeHistory(found: readonly MarketHistory[]): string[] {
  return found.flatMap(({ market, stored, judgedOn, isEnough, fetch }) => {
    const each = stored.map(({ interval, days }) => `${daysOf(days * DAY_MS)} of ${interval}`).join(', ')
    const judged =
      judgedOn === null
        ? 'none'
        : `${each}: ${judgedOn.disjoint} separate stretches of ${daysOf(judgedOn.days * DAY_MS)} in ${judgedOn.interval}`
    const enough = isEnough ? 'enough for a verdict' : `a verdict needs ${leastDisjoint}`
    return [`history ${market}: ${judged}, ${enough}`, ...(fetch === null ? [] : [`  fetch it: ${fetch}`])]
  })
}
