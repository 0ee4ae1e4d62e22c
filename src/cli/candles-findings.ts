/** How the findings of a check are shown, by whichever command made it. */
import type { Finding, FindingCode } from '../candles/check.ts'
import { formatTime } from './output.ts'

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

/** A damaged time may lie beyond what a date can say. */
function shownTime({ first }: Finding): string | null {
  return first === null || !(Math.abs(first) <= 8.64e15) ? null : formatTime(first)
}
