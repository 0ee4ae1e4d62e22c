/**
 * Checks a file without importing it: reports everything `checkCandles` finds, and problems that only files have: disorder,
 * repetitions, unreadable lines.
 */
import { INTERVALS, type Interval } from '../contract/market.ts'
import { Failure } from '../errors.ts'
import { decideInterval, findOtherInterval, type OrderedRows, orderRows } from './assemble.ts'
import { type CheckReport, checkCandles, type Finding, type FindingCode } from './check.ts'
import { type NamedSeries, type ReadOptions, readSeries } from './formats/named-series.ts'
import type { LayoutName, ProblemKind, TimeUnit } from './formats/row-collector.ts'

interface FileCheck extends CheckReport {
  /** null when neither the options nor the file name it. */
  readonly market: string | null
  readonly interval: Interval
  /** Open time of the first candle and end of the last, ms UTC. */
  readonly from: number
  readonly to: number
  readonly layout: LayoutName
  readonly timeUnit: TimeUnit | null
  /** Rows that repeat another one exactly; an import leaves them out. */
  readonly duplicates: number
  readonly wasOrdered: boolean
}

interface FileCheckOptions extends ReadOptions {
  /** Largest ordinary move from close to close, in percent. */
  readonly jumpPercent?: number
}

/** @throws Failure candlesInvalid only when the file has no table of candles at all */
export async function checkFile(path: string, options: FileCheckOptions): Promise<FileCheck[]> {
  const { layout, holdsConflicts, problems, series } = await readSeries(path, options, { keepImpossible: true })
  return series.map((one) => {
    if (one.rows.openTime.length === 0) problems.refuse('no candle could be read')
    const ordered = orderRows(one.rows, one.lines)
    const interval = intervalOf(path, one, ordered.rows.openTime)
    const candles = { ...ordered.rows, intervalMs: INTERVALS[interval] }
    const report = checkCandles(candles, options)
    const { openTime } = candles
    return {
      ...report,
      findings: [
        ...rowFindings(ordered, holdsConflicts),
        ...otherInterval(openTime, interval),
        ...lineFindings(problems.counts()),
        ...report.findings,
      ],
      market: one.market,
      interval,
      from: openTime[0],
      to: openTime[openTime.length - 1] + INTERVALS[interval],
      layout,
      timeUnit: one.unit,
      duplicates: ordered.duplicates,
      wasOrdered: ordered.disordered === 0,
    }
  })
}

function rowFindings({ rows, disordered, duplicates, conflicts }: OrderedRows, holdsConflicts: boolean): Finding[] {
  const first = rows.openTime[0]
  return [
    disordered === 0 ? [] : finding('order', 'note', disordered, first),
    duplicates === 0 ? [] : finding('duplicate', 'note', duplicates, first),
    conflicts.length === 0
      ? []
      : finding('conflict', holdsConflicts ? 'note' : 'refuse', conflicts.length, conflicts[0].time),
  ].flat()
}

function otherInterval(openTime: Float64Array, interval: Interval): Finding[] {
  const other = findOtherInterval(openTime, interval)
  return other === undefined ? [] : [finding('mixedIntervals', 'refuse', 1, openTime[other.row])]
}

const codes = {
  unreadable: 'unreadable',
  time: 'time',
  timeUnit: 'timeUnit',
  impossible: 'highLow',
  conflict: 'conflict',
  misaligned: 'misaligned',
} as const satisfies Record<ProblemKind, FindingCode>

/** Findings about lines that could not be read as rows; these have no time. */
function lineFindings(counts: ReadonlyMap<ProblemKind, number>): Finding[] {
  return [...counts].map(([kind, count]) => finding(codes[kind], 'refuse', count, null))
}

function finding(code: FindingCode, severity: Finding['severity'], count: number, first: number | null): Finding {
  return { code, severity, count, first }
}

function intervalOf(path: string, { statedInterval }: NamedSeries, openTime: Float64Array): Interval {
  const decided = decideInterval(openTime, statedInterval)
  if ('interval' in decided) return decided.interval
  throw new Failure('candlesInvalid', `${path}: ${decided.why}`)
}
