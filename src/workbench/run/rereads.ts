/** Which results a run reads once more, and what counts as another number. `reread-results.ts` reads them. */
import { metricValue } from '../../contract/metric-values.ts'
import { METRIC_NAMES, type MetricsAsRead } from '../../contract/metrics.ts'
import type { ResultChanges } from '../store/records.ts'
import type { CheckableResult } from '../store/revised-results.ts'

/** Of the results a run reads this many again, or this share of them. */
const fewest = 3
const share = 0.02
/** So many in one step, so that a submission whose time has come does not wait for all of them. */
const together = 10

/** Which results this run still reads again. */
export class Rereads {
  #left: readonly CheckableResult[] | null = null
  readonly #listedOtherwise = new Set<string>()

  /** Something may be left to read. */
  get isDue(): boolean {
    return this.#left === null || this.#left.length > 0
  }

  /** By the service's id: a list shows other numbers of it. */
  noteListedOtherwise(remoteId: string): void {
    this.#listedOtherwise.add(remoteId)
  }

  /** The next of them, each once a run. `list`: all there are, those that waited longest first; asked for once. */
  take(list: () => readonly CheckableResult[]): readonly CheckableResult[] {
    const left = this.#left ?? this.#choose(list())
    this.#left = left.slice(together)
    return left.slice(0, together)
  }

  /** The one that waited longest always, so that a list which shows other numbers for ever does not keep the others from being read. */
  #choose(all: readonly CheckableResult[]): readonly CheckableResult[] {
    const [first, ...others] = all
    if (first === undefined) return []
    const isSooner = ({ remoteId }: CheckableResult) => this.#listedOtherwise.has(remoteId)
    const ordered = [first, ...others.filter(isSooner), ...others.filter((one) => !isSooner(one))]
    return ordered.slice(0, Math.max(fewest, Math.ceil(all.length * share)))
  }
}

/** Metrics that both state and that differ by more than a rounding of one of them. Pure. */
export function compareResults(first: MetricsAsRead, later: MetricsAsRead): ResultChanges {
  return Object.fromEntries(
    METRIC_NAMES.flatMap((name) => {
      const [was, is] = [metricValue(first, name), metricValue(later, name)]
      return was === null || is === null || agree(was, is) ? [] : [[name, [was, is]]]
    }),
  )
}

/** Equal to the last digit of the one that is written with fewer: a list may round what a single job does not. */
function agree(a: number, b: number): boolean {
  const halfDigit = Number(`0.5e${-Math.min(decimalsOf(a), decimalsOf(b))}`)
  return Math.abs(a - b) <= halfDigit * (1 + 1e-9)
}

function decimalsOf(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e')
  return (digits.split('.')[1]?.length ?? 0) - Number(exponent)
}
