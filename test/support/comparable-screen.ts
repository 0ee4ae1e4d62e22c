/** The JSON of a screen without what depends on the machine and the hour: equal for a single run and merged parts. */
import type { ScreenReport } from '../../src/workbench/store/screen-record.ts'

export function comparableScreen(stdout: string): Omit<ScreenReport, 'workers' | 'elapsedMs' | 'configYearsPerMinute'> {
  const { workers, elapsedMs, configYearsPerMinute, ...report }: ScreenReport = JSON.parse(stdout)
  return report
}
