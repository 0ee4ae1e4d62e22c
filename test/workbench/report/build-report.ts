/** A whole report with Vega at hand, which compiles its charts. */
import { chartText } from '../../../src/workbench/report/draw.ts'
import type { ReportInput } from '../../../src/workbench/report/input.ts'
import { layReport } from '../../../src/workbench/report/lay-report.ts'

/** @param runtime the script of the page */
export function buildReport(input: ReportInput, runtime: string): string {
  return layReport(input).toText(runtime, chartText)
}
