/** How the findings of a check are shown, for all commands that check candles. */
import type { Finding, FindingCode } from '../../../candles/check.ts'
import type { Terminal } from '../../../system.ts'
import { formatTime, say } from '../../output.ts'

export interface ShownFinding extends Omit<Finding, 'first'> {
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
const farOpens: readonly FindingCode[] = ['openJump', 'strayOpen']

/** Prints to stderr which opens are far from all prices around them. `subject`: the market or file of the candles. */
export async function sayFarOpens(terminal: Terminal, subject: string, findings: readonly Finding[]): Promise<void> {
  const { FINDINGS } = await import('../../../candles/check.ts')
  for (const finding of shownFindings(findings.filter(({ code }) => farOpens.includes(code)))) {
    say(terminal, `note: ${subject}: ${describeFinding(finding, FINDINGS)}`)
  }
}

/** A damaged time may be outside the range of a date. */
function shownTime({ first }: Finding): string | null {
  return first === null || !(Math.abs(first) <= 8.64e15) ? null : formatTime(first)
}
