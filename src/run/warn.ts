/** Warnings that results and study do not rest on the same assumptions: said once a run each. */
import type { JobReading } from '../api/readings.ts'
import type { RunState } from './run-state.ts'

export function warnOfDifferences(run: RunState, { result }: JobReading): void {
  if (result === null) return
  const { costs, conventions } = run.study
  if (
    result.costs !== null &&
    (result.costs.feePercent !== costs.feePercent || result.costs.slippagePercent !== costs.slippagePercent)
  ) {
    warnOnce(
      run,
      'costsDiffer',
      `the service used ${result.costs.feePercent} % fee and ${result.costs.slippagePercent} % slippage, ` +
        `the study says ${costs.feePercent} % and ${costs.slippagePercent} %`,
    )
  }
  const used = result.conventions
  if (used === null) return
  const different = Object.entries(conventions).filter(([name, value]) => name in used && used[name] !== value)
  if (different.length > 0) {
    const names = different.map(([name, value]) => `${name} (${String(used[name])}, the study says ${String(value)})`)
    warnOnce(run, 'conventionsDiffer', `the service used other conventions: ${names.join(', ')}`)
  }
}

function warnOnce(run: RunState, code: string, message: string): void {
  if (run.warned.has(code)) return
  run.warned.add(code)
  run.tell({ kind: 'warning', code, message })
}
