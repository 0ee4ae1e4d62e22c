/**
 * Every trial computed again in the page, beside what the service stated: a trial at a time while the browser is idle and the reader is near, so that
 * nothing waits for it.
 */
import type { Candles } from '../../../engine/candles.ts'
import { tooltipText } from '../charts/columns.ts'
import { formatCount, formatMetricWithUnit, formatNumber, formatPercent, formatSigned } from '../format.ts'
import { turnoverOf } from '../model/run-trial.ts'
import { whyNotHere } from '../model/twin-gate.ts'
import { decimalsFor, gapClasses, spreadOrder, type TwinPoint, twinPoint, twinsInWords } from '../model/twin-points.ts'
import { findConfigProblems } from '../model/what-if.ts'
import type { Desk } from './desk.ts'
import { inIdleSlices } from './inspector/idle.ts'
import { liveChart } from './inspector/live-chart.ts'
import { makeElement } from './make-element.ts'
import { offerExports } from './save-file.ts'

/** More take longer than anybody looks, and an SVG of more is slow. */
const MOST_TWINS = 2000

/** The picture is drawn again when it has grown by so much: a few times in all, however many trials there are. */
const GROWTH = 1.3

export function mountTwins(place: HTMLElement, desk: Desk): void {
  const trials = computableTrials(desk)
  const order = spreadOrder(trials).slice(0, MOST_TWINS)
  const view = twinView(desk, { planned: order, of: trials.length })
  place.append(...view.elements)
  if (order.length === 0) return
  const points: TwinPoint[] = []
  let steps: Iterable<void> | undefined
  let stop: (() => void) | undefined
  const begin = async (): Promise<void> => {
    const candles = await desk.candles()
    if (candles === null) return
    steps ??= computeTwins(desk, { candles, order, points, computed: view.show })
    stop?.()
    if (isSeen && points.length < order.length) stop = inIdleSlices(steps)
  }
  let isSeen = false
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
  readonly order: readonly number[]
  /** Grows. */
  readonly points: TwinPoint[]
  readonly computed: (points: readonly TwinPoint[]) => void
}

/** One run a step. */
function* computeTwins({ table }: Desk, { candles, order, points, computed }: TwinWork): Generator<void> {
  for (const trial of order) {
    const config = table.config(trial)
    const { netProfit, volume } = turnoverOf({ candles, terms: table.terms(trial), config })
    const service = table.number(trial, 'netProfit') ?? Number.NaN
    points.push(twinPoint(trial, { service, here: netProfit, volume, investment: config.investment }))
    computed(points)
    yield
  }
}

interface Planned {
  readonly planned: readonly number[]
  /** Trials that could be computed. */
  readonly of: number
}

function twinView(desk: Desk, { planned, of }: Planned) {
  const { section } = desk
  const chart = liveChart(section.charts.twins)
  const progress = makeElement('p', { class: 'small twins-progress' })
  const words = makeElement('p', { class: 'twins-words' })
  const body = makeElement('tbody')
  const heads = ['Gap between the two', 'Trials', 'Largest', 'Trial']
  const table = makeElement('table', {
    class: 'plain',
    children: [
      makeElement('caption', { text: 'How far apart they are: the engine here less the service' }),
      makeElement('thead', {
        children: [
          makeElement('tr', { children: heads.map((text) => makeElement('th', { text, is: { scope: 'col' } })) }),
        ],
      }),
      body,
    ],
  })
  const figure = makeElement('figure', { class: 'chart chart-twins', children: [chart.element] })
  const beside = makeElement('div', { class: 'twins', children: [figure, table] })
  const ends = endsOf(desk, planned)
  let drawnAt = 0
  const show = (points: readonly TwinPoint[]): void => {
    const isDone = points.length === planned.length
    progress.textContent = progressInWords(points.length, { planned, of })
    if (!isDone && points.length < drawnAt * GROWTH) return
    drawnAt = points.length
    beside.hidden = points.length === 0
    beside.dataset.twins = String(points.length)
    beside.setAttribute('aria-busy', String(!isDone))
    if (points.length === 0) return
    words.textContent = twinsInWords(points, { quote: section.quote, name: desk.table.fingerprint, isAll: isDone })
    body.replaceChildren(...rowsOf(points, desk))
    const rows = points.map((point) => ({ ...point, tooltip: tooltipOf(point, desk) }))
    void chart.draw(
      { equal: ends, twins: rows },
      `Net profit of ${formatCount(points.length, 'trial')}, as the service stated it and as computed here. ${words.textContent}`,
    )
  }
  chart.element.addEventListener('click', ({ target }) => {
    const { __data__: item } = Object(target) as { readonly __data__?: { readonly datum?: unknown } } // Vega keeps its item there
    const { trial }: { readonly trial?: unknown } = Object(item?.datum)
    if (typeof trial === 'number') desk.open(trial)
  })
  offerExports(figure, { name: `${section.prefix}twins`, view: chart })
  beside.hidden = true
  progress.textContent = progressInWords(0, { planned, of })
  return { elements: [words, beside, progress], show }
}

/** Of the line of equality: from the least to the most that the service stated. */
function endsOf({ table }: Desk, trials: readonly number[]) {
  const stated = trials.map((trial) => table.number(trial, 'netProfit') ?? 0)
  return [Math.min(...stated), Math.max(...stated)].map((value) => ({ service: value, here: value }))
}

function progressInWords(done: number, { planned, of }: Planned): string {
  if (planned.length === 0) return 'No result states a net profit that could be computed again.'
  const spread = planned.length < of ? `, spread evenly over ${formatNumber(of, 0)}` : ''
  if (done === planned.length)
    return `${formatCount(done, 'trial')}${spread}, each run again by the engine in this page.`
  return `Computed ${formatNumber(done, 0)} of ${formatCount(planned.length, 'trial')}${spread}; it goes on while this stands on a screen.`
}

function rowsOf(points: readonly TwinPoint[], desk: Desk): HTMLElement[] {
  return gapClasses(points).map(({ label, count, largest }) =>
    makeElement('tr', {
      class: count === 0 ? 'none' : '',
      children: [
        makeElement('th', { text: label, is: { scope: 'row' } }),
        makeElement('td', { text: formatNumber(count, 0) }),
        makeElement('td', { text: largest === null || largest.isExact ? '–' : gapText(largest, desk) }),
        makeElement('td', { children: largest === null || largest.isExact ? ['–'] : [linkTo(largest, desk)] }),
      ],
    }),
  )
}

function gapText({ gap }: TwinPoint, { section: { quote } }: Desk): string {
  return `${formatSigned(gap, decimalsFor(gap, quote))}\u00a0${quote.asset}`
}

function linkTo({ trial }: TwinPoint, { table, section }: Desk): HTMLElement {
  const name = table.fingerprint(trial)
  const code = makeElement('code', { text: name })
  return makeElement('a', { is: { href: `#${section.prefix}trial=${name}` }, children: [code] })
}

function tooltipOf(point: TwinPoint, desk: Desk): string {
  const { trial, service, here, gapPercent, isExact } = point
  const { table, section } = desk
  const rank = table.rank(trial)
  const made = (value: number) => formatMetricWithUnit('netProfit', value, section.quote)
  return tooltipText(`${table.fingerprint(trial)}${rank === null ? '' : `, rank ${rank}`}`, [
    ['Stated by the service', made(service)],
    ['Computed here', made(here)],
    ['Gap', isExact ? 'none' : `${gapText(point, desk)}, ${formatPercent(Math.abs(gapPercent), 3)} of the investment`],
  ])
}
