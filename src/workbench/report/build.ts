/** A whole report with Vega at hand, which compiles its charts: for who does not mind the half second that this takes. */
import { chartText } from './draw.ts'
import type { ReportInput } from './input.ts'
import { layReport } from './lay-report.ts'

/** @param runtime the script of the page */
export function buildReport(input: ReportInput, runtime: string): string {
  return layReport(input).toText(runtime, chartText)
}
