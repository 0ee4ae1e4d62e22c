/** What the `candles` commands share: flags, and the report of an import. */
import type { Finding, FindingCode } from '../../../candles/check.ts'
import type { ImportReport } from '../../../candles/folder/folder.ts'
import { findMarket, INTERVAL_NAMES, type Interval } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { Terminal } from '../../../system.ts'

import { option } from '../../option.ts'
import { formatTime, printJson, printLines, say } from '../../output.ts'
import { fittingTable } from '../../table.ts'

export interface CandlesOptions {
  readonly json?: boolean
  readonly candlesDir?: string
}

const POLICIES = ['keep', 'replace', 'refuse'] as const

export interface ConflictOption {
  readonly conflict: (typeof POLICIES)[number]
}

export function conflictOption() {
  return option('--conflict <policy>', 'keep, replace or refuse a candle that differs', { default: 'keep' }).choices(
    POLICIES,
  )
}

export interface IntervalOption {
  readonly interval?: Interval
}

export function intervalOption(absent: Parameters<typeof option>[2], flag = '--interval <interval>') {
  return option(flag, `one of ${INTERVAL_NAMES.join(' ')}`, absent).choices(INTERVAL_NAMES)
}

export function checkMarket(name: string): string {
  if (findMarket(name) !== undefined) return name
  throw new Failure('usage', `expected a market, exchange/BASE-QUOTE such as binance/BTC-USDT, found "${name}"`)
}

/** The report of an import as JSON shows it. */
export function shownReport<Report extends ImportReport>(report: Report) {
  return { ...report, from: formatTime(report.from), to: formatTime(report.to) }
}

/** One object for one report, an array for several; a table for people. */
export async function printReports(terminal: Terminal, reports: readonly ImportReport[], json: boolean): Promise<void> {
  const shown = reports.map(shownReport)
  if (json) return printJson(terminal, shown.length === 1 ? shown[0] : shown)
  return printLines(
    terminal,
    fittingTable(shown, [
      { title: 'market', role: 'id', value: (row) => row.market },
      { title: 'interval', role: 'id', value: (row) => row.interval },
      { title: 'from', value: (row) => row.from },
      { title: 'to', value: (row) => row.to },
      { title: 'added', value: (row) => row.added },
      { title: 'same', value: (row) => row.same },
      { title: 'conflicts', role: 'alarm', value: (row) => row.conflicting },
      { title: 'missing', role: 'alarm', value: (row) => row.missing },
      { title: 'origin', role: 'alarm', value: (row) => (row.synthetic ? 'synthetic' : null) },
    ]),
  )
}

interface ShownFinding extends Omit<Finding, 'first'> {
  readonly first: string | null
}

export function shownFindings(findings: readonly Finding[]): ShownFinding[] {
  return findings.map((finding) => ({ ...finding, first: shownTime(finding) }))
}

/** `jump × 2, first 2020-03-12T10:00:00Z (what it means)` */
export function describeFinding(
  { code, count, first }: ShownFinding,
  meanings: Readonly<Record<FindingCode, string>>,
): string {
  return `${code} × ${count}, first ${first ?? '-'} (${meanings[code]})`
}

/** Reported with every file that is read: one such candle can change the profit of a backtest, and nothing else would show it. */
const farPrices: readonly FindingCode[] = ['openJump', 'strayOpen', 'wick']

/** Prints to stderr which prices are far from all those around them. `subject`: the market or file of the candles. */
export async function sayFarPrices(terminal: Terminal, subject: string, findings: readonly Finding[]): Promise<void> {
  const { FINDINGS } = await import('../../../candles/check.ts')
  for (const finding of shownFindings(findings.filter(({ code }) => farPrices.includes(code)))) {
    say(terminal, `note: ${subject}: ${describeFinding(finding, FINDINGS)}`)
  }
}

/** A damaged time may be outside the range of a date. */
function shownTime({ first }: Finding): string | null {
  return first === null || !(Math.abs(first) <= 8.64e15) ? null : formatTime(first)
}
