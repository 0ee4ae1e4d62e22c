/**
 * Every trial computed again in the page, held against what the service stated: a trial at a time while the browser is idle and the reader is near, so
 * that nothing waits for it.
 */
import type { Candles } from '../../../engine/candles.ts'
import { formatCount, formatNumber } from '../format.ts'
import { turnoverOf } from '../model/run-trial.ts'
import { type TwinPoint, twinPoint, twinsInWords, whyNotHere, widest } from '../model/twin-gate.ts'
import { findConfigProblems } from '../model/what-if.ts'
import type { Desk } from './desk.ts'
import { inIdleSlices } from './inspector/idle.ts'
import { makeElement } from './make-element.ts'

/** More take longer than anybody looks. */
const MOST_TWINS = 2000

export function mountTwins(place: HTMLElement, desk: Desk): void {
  const computable = computableTrials(desk)
  const trials = computable.slice(0, MOST_TWINS)
  const first = trials.length < computable.length ? ', the first by rank' : ''
  const words = makeElement('p')
  const progress = makeElement('p', { class: 'small twins-progress' })
  place.append(words, progress)
  const points: TwinPoint[] = []
  const show = (): void => {
    const isAll = points.length === trials.length
    const all = `${formatCount(trials.length, 'trial')}${first}`
    progress.textContent = isAll
      ? `${all}, each run again by the engine in this page.`
      : `Computed ${formatNumber(points.length, 0)} of ${all}; it goes on while this stands on a screen.`
    words.textContent = twinsInWords(points, { quote: desk.section.quote, name: desk.table.fingerprint, isAll })
    const largest = widest(points)
    if (largest !== null && !largest.isExact) words.append(' ', linkTo(largest, desk))
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
    const candles = await desk.candles()
    if (candles === null) return
    steps ??= computeTwins(desk, { candles, trials, points, computed: show })
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
function computableTrials({ table, section }: Desk): number[] {
  return Array.from({ length: table.count }, (_, trial) => trial).filter(
    (trial) =>
      whyNotHere(section.candles, trial) === null &&
      table.number(trial, 'netProfit') !== null &&
      findConfigProblems(table.config(trial), table.terms(trial)).refused.size === 0,
  )
}

interface TwinWork {
  readonly candles: Candles
  readonly trials: readonly number[]
  /** Grows. */
  readonly points: TwinPoint[]
  readonly computed: () => void
}

/** One run a step. */
function* computeTwins({ table }: Desk, { candles, trials, points, computed }: TwinWork): Generator<void> {
  for (const trial of trials) {
    const config = table.config(trial)
    const { netProfit, volume } = turnoverOf({ candles, terms: table.terms(trial), config })
    const service = table.number(trial, 'netProfit') ?? Number.NaN
    points.push(twinPoint(trial, { service, here: netProfit, volume, investment: config.investment }))
    computed()
    yield
  }
}

function linkTo({ trial }: TwinPoint, { table, section }: Desk): HTMLElement {
  const name = table.fingerprint(trial)
  return makeElement('a', { text: `Open ${name}`, is: { href: `#${section.prefix}trial=${name}` } })
}
