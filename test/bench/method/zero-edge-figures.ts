/** (e) over many markets: figures, and the tables they are shown in. */
import { mean, median } from '../../../src/workbench/analysis/quantiles.ts'
import { type ShareEstimate, shareOf } from './share-estimate.ts'
import { spell } from './spelling.ts'
import type { FigureTable } from './tables.ts'
import type { WinnerRecord } from './zero-edge.ts'

export const ZERO_EDGE_MARKETS = 200
/** One in twenty of all that chance makes lies beyond, to one side. */
const CONVINCING_ERRORS = 1.645

type Is = (record: WinnerRecord) => boolean

const isUnwarned: Is = ({ doubts }) => doubts.every(({ weight }) => weight === 'info')
const isConvincing: Is = ({ standardErrors }) => standardErrors !== null && standardErrors > CONVINCING_ERRORS

/** What is said of a winner, beside its doubts. */
const OUTCOMES = {
  calledGood: { says: 'called good by a sentence', is: ({ praise }) => praise.length > 0 },
  noDoubt: { says: 'no doubt at all', is: ({ doubts }) => doubts.length === 0 },
  noOwnDoubt: {
    says: 'no doubt but those of the choice (`noHoldout`, `manyLooks`)',
    is: ({ ownDoubts }) => ownDoubts.length === 0,
  },
  noWarning: { says: 'no doubt of weight `warn` or `block`', is: isUnwarned },
  profitable: { says: 'net profit above 0', is: ({ netProfit }) => netProfit > 0 },
  convincing: { says: `net profit above ${CONVINCING_ERRORS} standard errors`, is: isConvincing },
  convincingUnwarned: {
    says: 'the same, and no doubt of weight `warn` or `block`',
    is: (record) => isConvincing(record) && isUnwarned(record),
  },
} as const satisfies Record<string, { readonly says: string; readonly is: Is }>

type OutcomeName = keyof typeof OUTCOMES

const OUTCOME_NAMES = Object.keys(OUTCOMES) as readonly OutcomeName[] // keys of a const literal

export interface ZeroEdgeFigures {
  /** yyyy-mm-dd. */
  readonly measuredOn: string
  readonly seed: string
  readonly markets: number
  /** Of them, those of minutes. */
  readonly minutes: number
  /** Shortest and longest, in days. */
  readonly days: readonly [number, number]
  readonly outcomes: Readonly<Record<OutcomeName, ShareEstimate>>
  /** Of every doubt that was raised at all, most frequent first. */
  readonly doubts: readonly (ShareEstimate & { readonly code: string; readonly weights: string })[]
  /** Of one winner, without those of the choice. */
  readonly ownDoubtsMedian: number
  /** Mean percentile of what walk-forward tests chose, on the test spans; null where none had folds. */
  readonly walkForwardMean: number | null
}

/** @param records at least one */
export function summarizeZeroEdge(
  records: readonly WinnerRecord[],
  of: Pick<ZeroEdgeFigures, 'measuredOn' | 'seed'>,
): ZeroEdgeFigures {
  const count = (is: Is) => shareOf(records.filter(is).length, records.length)
  const outcomes = Object.fromEntries(OUTCOME_NAMES.map((name) => [name, count(OUTCOMES[name].is)]))
  const days = records.map((record) => record.days)
  const codes = new Set(records.flatMap(({ doubts }) => doubts.map(({ code }) => code)))
  const raised = [...codes].map((code) => ({
    code,
    weights: weightsOf(records, code),
    ...count(({ doubts }) => doubts.some((doubt) => doubt.code === code)),
  }))
  const percentile = mean(records.flatMap(({ walkForward }) => walkForward ?? []))
  return {
    ...of,
    markets: records.length,
    minutes: records.filter(({ interval }) => interval === '1m').length,
    days: [Math.min(...days), Math.max(...days)],
    outcomes: outcomes as ZeroEdgeFigures['outcomes'], // one entry per name
    doubts: raised.sort((a, b) => b.count - a.count || (a.code < b.code ? -1 : 1)),
    ownDoubtsMedian: median(records.map(({ ownDoubts }) => ownDoubts.length)) ?? Number.NaN,
    walkForwardMean: percentile === undefined ? null : Number(percentile.toFixed(1)),
  }
}

function weightsOf(records: readonly WinnerRecord[], code: string): string {
  const weights = records.flatMap(({ doubts }) => doubts.filter((doubt) => doubt.code === code))
  return [...new Set(weights.map(({ weight }) => weight))].sort().join(', ')
}

export function zeroEdgeTables(figures: ZeroEdgeFigures): readonly FigureTable[] {
  const { markets, outcomes, doubts, ownDoubtsMedian, walkForwardMean } = figures
  return [
    {
      title: `(e) What is said of the winner of 100 on ${markets} markets without an edge`,
      head: ['', 'winners', 'share'],
      lines: OUTCOME_NAMES.map((name) => {
        const outcome = outcomes[name]
        return [OUTCOMES[name].says, `${outcome.count} of ${outcome.of}`, spell(outcome, 'percent')]
      }),
    },
    {
      title: '(e) Of one winner',
      head: ['', ''],
      lines: [
        ['doubts beside those of the choice, median', String(ownDoubtsMedian)],
        ['percentile of what walk-forward chose, mean', walkForwardMean === null ? '–' : walkForwardMean.toFixed(1)],
      ],
    },
    {
      title: '(e) Doubts that were raised of them',
      head: ['', 'weight', 'winners', 'share'],
      lines: doubts.map((doubt) => [
        `\`${doubt.code}\``,
        doubt.weights,
        `${doubt.count} of ${doubt.of}`,
        spell(doubt, 'percent'),
      ]),
    },
  ]
}

/** Why these figures are not for the guide; null = they are. */
export function whyZeroEdgeIsPart({ markets }: ZeroEdgeFigures): string | null {
  return markets < ZERO_EDGE_MARKETS ? `(e) took ${markets} of ${ZERO_EDGE_MARKETS} markets` : null
}
