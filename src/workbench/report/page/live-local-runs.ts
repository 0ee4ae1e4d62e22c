/**
 * Every trial computed again in the page, held against what the service stated: a trial at a time while the browser is idle and the reader is near, so
 * that nothing waits for it.
 */
import type { Candles } from '../../../engine/candles.ts'
import { formatCount, formatNumber } from '../format.ts'
import { type LocalPoint, localInWords, localPoint, whyNotHere, widest } from '../model/local-gate.ts'
import { turnoverOf } from '../model/run-trial.ts'
import { findConfigProblems } from '../model/what-if.ts'
import { inIdleSlices } from './idle.ts'
import { makeElement } from './make-element.ts'
import type { SectionView } from './section-view.ts'

/** More take longer than anybody waits. */
const MOST_LOCAL_RUNS = 2000

export function mountLocalRuns(place: HTMLElement, sectionView: SectionView): void {
  const computable = computableTrials(sectionView)
  const trials = computable.slice(0, MOST_LOCAL_RUNS)
  const first = trials.length < computable.length ? ', the first by rank' : ''
  const words = makeElement('p')
  const progress = makeElement('p', { class: 'small local-progress' })
  place.append(words, progress)
  const points: LocalPoint[] = []
  const show = (): void => {
    const isAll = points.length === trials.length
    const all = `${formatCount(trials.length, 'trial')}${first}`
    progress.textContent = isAll
      ? `${all}, each run again by the engine in this page.`
      : `Computed ${formatNumber(points.length, 0)} of ${all}; it continues while this is on the screen.`
    words.textContent = localInWords(points, {
      quote: sectionView.section.quote,
      name: sectionView.table.id,
      isAll,
    })
    const largest = widest(points)
    if (largest !== null && !largest.isExact) words.append(' ', linkTo(largest, sectionView))
  }
  if (trials.length === 0) {
    progress.textContent = 'No result states a net profit that could be computed again.'
    return
  }
  show()
  let steps: Iterable<void> | undefined
  let stop: (() => void) | undefined
  let isSeen = false
  const begin = async (): Promise<void> => {
    const candles = await sectionView.candles()
    if (candles === null) return
    steps ??= computeLocally(sectionView, { candles, trials, points, computed: show })
    stop?.()
    if (isSeen && points.length < trials.length) stop = inIdleSlices(steps)
  }
  new IntersectionObserver(([{ isIntersecting }]) => {
    isSeen = isIntersecting
    if (isSeen) void begin()
    else stop?.()
  }).observe(place)
}

/** Those whose candles are here, with a net profit to hold against, and a configuration that the engine takes. */
function computableTrials({ table, section }: SectionView): number[] {
  return Array.from({ length: table.count }, (_, trial) => trial).filter(
    (trial) =>
      whyNotHere(section.candles, trial) === null &&
      table.number(trial, 'netProfit') !== null &&
      findConfigProblems(table.config(trial), table.terms(trial)).refused.size === 0,
  )
}

interface LocalWork {
  readonly candles: Candles
  readonly trials: readonly number[]
  /** Grows. */
  readonly points: LocalPoint[]
  readonly computed: () => void
}

/** One run a step. */
function* computeLocally({ table }: SectionView, { candles, trials, points, computed }: LocalWork): Generator<void> {
  for (const trial of trials) {
    const config = table.config(trial)
    const { netProfit, volume } = turnoverOf({ candles, terms: table.terms(trial), config })
    const service = table.number(trial, 'netProfit') ?? Number.NaN
    points.push(localPoint(trial, { service, here: netProfit, volume, investment: config.investment }))
    computed()
    yield
  }
}

function linkTo({ trial }: LocalPoint, { table, section }: SectionView): HTMLElement {
  const name = table.id(trial)
  return makeElement('a', { text: `Open ${name}`, is: { href: `#${section.prefix}trial=${name}` } })
}
