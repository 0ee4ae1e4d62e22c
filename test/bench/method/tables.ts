/** The figures as tables: a title, a head and lines. The program prints them and the guide shows them. */
import type { Estimate } from './estimate.ts'
import { DIRECTIONS, keysOf, MEASURES, READINGS, RULES, SCREENS, SPENDINGS, TRAIN_LENGTHS } from './names.ts'
import { type Spelling, spell, spellCount, spellInterval } from './spelling.ts'
import { GROUPS } from './stretches.ts'
import type { Figures } from './summarize.ts'

export interface FigureTable {
  readonly title: string
  readonly head: readonly string[]
  readonly lines: readonly (readonly string[])[]
}

type Line = readonly [label: string, figures: Readonly<Record<'all' | (typeof GROUPS)[number], Estimate>>]

const GROUP_HEAD = ['all', ...GROUPS, 'all, by months', 'n / clusters']

export function tablesOf(figures: Figures): readonly FigureTable[] {
  return [...inSampleTables(figures), ...outOfSampleTables(figures), ...persistenceTables(figures), stopTable(figures)]
}

function inSampleTables({ inSample, uncalibratedByReading }: Figures): readonly FigureTable[] {
  return [
    groupTable(
      '(a) In-sample: at least the best of 100 random jobs, share of comparisons',
      keysOf(SPENDINGS).map((name) => [SPENDINGS[name], inSample[name]]),
      'percent',
    ),
    groupTable(
      '(a) Uncalibrated, by what the service takes to happen inside a candle',
      keysOf(READINGS).map((name) => [name, uncalibratedByReading[name]]),
      'percent',
    ),
  ]
}

function outOfSampleTables(figures: Figures): readonly FigureTable[] {
  const rules = keysOf(RULES)
  const others = rules.filter((rule) => rule !== 'random')
  return [
    groupTable(
      '(b) Percentile on test among 2,000 random configurations, mean',
      rules.map((rule) => [RULES[rule], figures.percentile[rule]]),
      'tenths',
    ),
    groupTable(
      '(b) Against the winner of 100 random, percentile points',
      others.map((rule) => [RULES[rule], figures.againstRandom[rule]]),
      'signed',
    ),
    groupTable(
      '(b) The same in quote on 1,000 invested, per test span',
      others.map((rule) => [RULES[rule], figures.againstRandomInQuote[rule]]),
      'signed',
    ),
    {
      title: '(b) By what the service takes to happen inside a candle, percentile points',
      head: ['', 'point − random', 'n / clusters'],
      lines: keysOf(READINGS).map((reading) => {
        const { point } = figures.byReading[reading]
        return [reading, spell(point, 'signed'), spellCount(point)]
      }),
    },
    {
      title: '(b) Percentile on test by the direction of the market in train and test',
      head: ['', ...keysOf(DIRECTIONS).map((direction) => DIRECTIONS[direction])],
      lines: [
        ...rules.map((rule) => [
          RULES[rule],
          ...keysOf(DIRECTIONS).map((direction) => spell(figures.byDirection[direction][rule], 'tenths')),
        ]),
        ['n / clusters', ...keysOf(DIRECTIONS).map((direction) => spellCount(figures.byDirection[direction].random))],
      ],
    },
  ]
}

function persistenceTables({ persistence, persistenceByTrain }: Figures): readonly FigureTable[] {
  return [
    {
      title: '(b) Spearman, train → test, over 2,000 random configurations: median, and share of stretches above 0',
      head: ['', 'in itself', 'above 0', 'with net profit next', 'above 0', 'n / clusters'],
      lines: keysOf(MEASURES).map((name) => {
        const { itself, nextProfit } = persistence[name]
        return [
          MEASURES[name],
          spell(itself.median, 'hundredths'),
          spell(itself.above0, 'percent'),
          spell(nextProfit.median, 'hundredths'),
          spell(nextProfit.above0, 'percent'),
          spellCount(nextProfit.median),
        ]
      }),
    },
    {
      title:
        '(b) What the best of 2,000 random by each did next: mean percentile of net profit, median of maximum drawdown',
      head: ['', 'percentile', 'drawdown, %', 'n / clusters'],
      lines: keysOf(MEASURES).map((name) => {
        const { bestPercentile, bestDrawdown } = persistence[name]
        return [
          MEASURES[name],
          spell(bestPercentile, 'tenths'),
          spell(bestDrawdown, 'tenths'),
          spellCount(bestPercentile),
        ]
      }),
    },
    {
      title: '(b) Spearman of net profit by the length of train',
      head: ['', 'median', 'above 0', 'n / clusters'],
      lines: keysOf(TRAIN_LENGTHS).map((length) => {
        const { median, above0 } = persistenceByTrain[length]
        return [TRAIN_LENGTHS[length], spell(median, 'hundredths'), spell(above0, 'percent'), spellCount(median)]
      }),
    },
  ]
}

function stopTable({ earlyStop }: Figures): FigureTable {
  return {
    title:
      '(c) The early stop after two batches of ten; regret where it stopped, as a share of the spread of the confirmed',
    head: ['', 'stops', 'configurations kept', 'regret, median', 'regret, p90', 'stopped / clusters'],
    lines: keysOf(SCREENS).map((screen) => {
      const { stops, kept, regret, regretP90 } = earlyStop[screen]
      return [
        SCREENS[screen],
        spell(stops, 'percent'),
        spell(kept, 'percent'),
        spell(regret, 'thousandths'),
        spell(regretP90, 'thousandths'),
        spellCount(regret),
      ]
    }),
  }
}

function groupTable(title: string, lines: readonly Line[], as: Spelling): FigureTable {
  return {
    title,
    head: ['', ...GROUP_HEAD],
    lines: lines.map(([label, figures]) => [
      label,
      spell(figures.all, as),
      ...GROUPS.map((group) => spell(figures[group], as)),
      spellInterval(figures.all.byMonths, as),
      spellCount(figures.all),
    ]),
  }
}
