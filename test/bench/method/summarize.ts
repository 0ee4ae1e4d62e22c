/** Figures of many stretches: what is printed, kept beside the guide and quoted by it. */
import { type Estimate, estimate, STATISTICS, type Statistic } from './estimate.ts'
import type { StretchRecord } from './measure-stretch.ts'
import {
  DIRECTIONS,
  type DirectionName,
  forEachName,
  MEASURES,
  type MeasureName,
  READINGS,
  type ReadingName,
  RULES,
  type RuleName,
  SCREENS,
  type ScreenName,
  SPENDINGS,
  type SpendingName,
  TRAIN_LENGTHS,
  type TrainLength,
} from './names.ts'
import { clusterOf, GROUPS, type Group, groupOf, monthOf } from './stretches.ts'

type ByGroup = Readonly<Record<'all' | Group, Estimate>>
type Persisting = Readonly<Record<'median' | 'above0', Estimate>>

export interface Figures {
  /** yyyy-mm-dd. */
  readonly measuredOn: string
  readonly seed: string
  readonly stretches: number
  /** (a) Share of hundreds matched, 0 to 1. */
  readonly inSample: Readonly<Record<SpendingName, ByGroup>>
  readonly uncalibratedByReading: Readonly<Record<ReadingName, ByGroup>>
  /** (b) Mean percentile on test. */
  readonly percentile: Readonly<Record<RuleName, ByGroup>>
  /** Paired with the winner of 100 random: percentile points, and quote on `INVESTMENT`. */
  readonly againstRandom: Readonly<Record<RuleName, ByGroup>>
  readonly againstRandomInQuote: Readonly<Record<RuleName, ByGroup>>
  /** `point` against the winner of 100 random by the hidden reading, percentile points. */
  readonly byReading: Readonly<Record<ReadingName, Readonly<Record<'point', Estimate>>>>
  /** Mean percentile on test. */
  readonly byDirection: Readonly<Record<DirectionName, Readonly<Record<RuleName, Estimate>>>>
  readonly persistence: Readonly<
    Record<
      MeasureName,
      {
        readonly itself: Persisting
        readonly nextProfit: Persisting
        readonly bestPercentile: Estimate
        readonly bestDrawdown: Estimate
      }
    >
  >
  /** Net profit, in itself. */
  readonly persistenceByTrain: Readonly<Record<TrainLength, Persisting>>
  /** (c) */
  readonly earlyStop: Readonly<
    Record<
      ScreenName,
      { readonly stops: Estimate; readonly kept: Estimate; readonly regret: Estimate; readonly regretP90: Estimate }
    >
  >
}

type Read = (record: StretchRecord) => number | null

const DAY_MS = 86_400_000

/** @param of when and with which seed the records were made */
export function summarize(
  records: readonly StretchRecord[],
  of: { readonly measuredOn: string; readonly seed: string },
): Figures {
  const byGroup = (read: Read): ByGroup => groupsOf(records, read)
  return {
    ...of,
    stretches: records.length,
    inSample: forEachName(SPENDINGS, (name) => byGroup(({ matched }) => matched[name])),
    uncalibratedByReading: forEachName(READINGS, (reading) =>
      groupsOf(withReading(records, reading), ({ matched }) => matched.uncalibrated),
    ),
    percentile: forEachName(RULES, (rule) => byGroup(({ next }) => next[rule].percentile)),
    againstRandom: forEachName(RULES, (rule) => byGroup(differenceOf(rule, 'random'))),
    againstRandomInQuote: forEachName(RULES, (rule) => byGroup(({ next }) => next[rule].profit - next.random.profit)),
    byReading: forEachName(READINGS, (reading) => {
      const there = withReading(records, reading)
      return {
        point: estimateOf(there, differenceOf('point', 'random')),
      }
    }),
    byDirection: forEachName(DIRECTIONS, (direction) => {
      const there = records.filter((record) => directionOf(record) === direction)
      return forEachName(RULES, (rule) => estimateOf(there, ({ next }) => next[rule].percentile))
    }),
    persistence: forEachName(MEASURES, (measure) => ({
      itself: persisting(records, ({ persistence }) => persistence[measure].itself),
      nextProfit: persisting(records, ({ persistence }) => persistence[measure].nextProfit),
      bestPercentile: estimateOf(records, ({ persistence }) => persistence[measure].bestPercentile),
      bestDrawdown: estimateOf(records, ({ persistence }) => persistence[measure].bestDrawdown, STATISTICS.median),
    })),
    persistenceByTrain: forEachName(TRAIN_LENGTHS, (length) =>
      persisting(
        records.filter((record) => trainLengthOf(record) === length),
        ({ persistence }) => persistence.netProfit.itself,
      ),
    ),
    earlyStop: forEachName(SCREENS, (screen) => ({
      stops: estimateOf(records, ({ stops }) => (stops[screen].stops ? 1 : 0)),
      kept: estimateOf(records, ({ stops }) => stops[screen].kept),
      regret: estimateOf(records, ({ stops }) => stops[screen].regret, STATISTICS.median),
      regretP90: estimateOf(records, ({ stops }) => stops[screen].regret, STATISTICS.p90),
    })),
  }
}

/** Percentile points on test. */
function differenceOf(one: RuleName, other: RuleName): Read {
  return ({ next }) => next[one].percentile - next[other].percentile
}

function withReading(records: readonly StretchRecord[], reading: ReadingName): readonly StretchRecord[] {
  return records.filter(({ intrabar }) => intrabar === reading)
}

function estimateOf(records: readonly StretchRecord[], read: Read, statistic: Statistic = STATISTICS.mean): Estimate {
  const observations = records.map((record) => ({
    value: read(record),
    cluster: clusterOf(record.stretch),
    month: monthOf(record.stretch),
  }))
  return estimate(observations, statistic)
}

function groupsOf(records: readonly StretchRecord[], read: Read): ByGroup {
  const ofGroup = (group: Group) => estimateOf(inGroup(records, group), read)
  const [fine, hours] = GROUPS
  return { all: estimateOf(records, read), [fine]: ofGroup(fine), [hours]: ofGroup(hours) }
}

function inGroup(records: readonly StretchRecord[], group: Group): readonly StretchRecord[] {
  return records.filter(({ stretch }) => groupOf(stretch) === group)
}

function persisting(records: readonly StretchRecord[], read: Read): Persisting {
  return {
    median: estimateOf(records, read, STATISTICS.median),
    above0: estimateOf(records, read, STATISTICS.shareAbove0),
  }
}

function directionOf({ rises }: StretchRecord): DirectionName {
  if (rises.train) return rises.test ? 'riseRise' : 'riseFall'
  return rises.test ? 'fallRise' : 'fallFall'
}

function trainLengthOf({ stretch: { train } }: StretchRecord): TrainLength {
  const days = (train.to - train.from) / DAY_MS
  return days <= 31 ? 'month' : days <= 92 ? 'quarter' : 'longer'
}
