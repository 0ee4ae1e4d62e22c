/** The inspector: a drawer beside the page, for the trial that is open. Keys: ← and → go to the next trial that is selected, Escape closes. */
import { CONFIG, CONFIG_FIELDS } from '../../../../contract/bot.ts'
import { isSmallSample, type MetricName, type SampleSize } from '../../../../contract/metrics.ts'
import { formatCount, formatMetricWithUnit, formatNumber, formatValue, lowerTitle } from '../../format.ts'
import { stepTo } from '../../model/filter.ts'
import { compareHere, computedFrom, whyNoChange, whyNotHere } from '../../model/local-gate.ts'
import { STANDING_WORDS } from '../../model/trial-words.ts'
import { changeOf } from '../../model/what-if.ts'
import { inIdleSlices, whenRested } from '../idle.ts'
import { copyButton, keepFocus, makeButton, makeElement, takeFocus } from '../make-element.ts'
import type { SectionView } from '../section-view.ts'
import { followParts } from '../tab-row.ts'
import { startsFigure } from './chance-figures.ts'
import { dealsChart } from './deals-chart.ts'
import { equityCharts } from './equity-charts.ts'
import { type Exhibit, type ExhibitPart, prepareExhibits } from './exhibit.ts'
import { dealList, ladderTable, metricTable, monthTable } from './exhibit-tables.ts'
import { whatIfPanel } from './what-if-panel.ts'

/** The one drawer that is open; a report of several studies has a place for each. */
let openView: SectionView | undefined

export function inspector(place: HTMLElement, sectionView: SectionView): void {
  let made: Drawer | undefined
  let returnTo: Element | null = null
  const follow = (): void => {
    const trial = sectionView.opened()
    const named = sectionView.state().trial
    if (named === null) {
      if (place.hidden) return
      place.hidden = true
      made?.exhibits.leave()
      if (openView === sectionView) openView = undefined
      if (returnTo instanceof HTMLElement || returnTo instanceof SVGElement) returnTo.focus()
      return
    }
    if (openView !== sectionView) openView?.open(null)
    openView = sectionView
    made ??= makeDrawer(place, sectionView)
    const wasHidden = place.hidden
    if (wasHidden) returnTo = document.activeElement
    place.hidden = false
    if (made.name(trial ?? named)) place.scrollTop = 0
    if (wasHidden) takeFocus(made.heading)
    made.exhibits.present()
  }
  sectionView.watch(follow)
  whenRested(() => void sectionView.chart('deals')) // so that the first trial need not wait for them
  // whoever clicks beside what can take the focus has it nowhere, and Escape is to close all the same
  addEventListener('keydown', ({ key, target }) => {
    if (key === 'Escape' && target === document.body && openView === sectionView) sectionView.open(null)
  })
  follow()
}

interface Drawer {
  readonly heading: HTMLElement
  /** Names the trial in the head of the drawer, or says that there is none of that name; false where it was named already. */
  readonly name: (trial: number | string) => boolean
  readonly exhibits: ReturnType<typeof prepareExhibits>
}

function makeDrawer(place: HTMLElement, sectionView: SectionView): Drawer {
  const { prefix } = sectionView.section
  const headingId = `${prefix}inspected`
  const heading = makeElement('h2', { is: { id: headingId, tabindex: -1 } })
  const close = (): void => sectionView.open(null)
  const step = (direction: 1 | -1): void => {
    const from = sectionView.opened()
    const to = from === null ? null : stepTo(sectionView.selection(), from, direction)
    if (to !== null) sectionView.open(to)
  }
  const previous = makeButton('←', () => step(-1), { is: { 'aria-label': 'Previous trial of the selection' } })
  const next = makeButton('→', () => step(1), { is: { 'aria-label': 'Next trial of the selection' } })
  const closer = makeButton('✕', close, { is: { 'aria-label': 'Close the inspector' } })
  const bar = makeElement('div', { class: 'inspector-bar', children: [heading, previous, next, closer] })
  const body = makeElement('div', { class: 'inspector-body' })
  const missing = makeElement('p', { class: 'empty no-such-trial', is: { role: 'status' } })
  place.className = 'inspector'
  place.setAttribute('role', 'dialog')
  place.setAttribute('aria-labelledby', headingId)
  place.replaceChildren(bar, missing, body)
  place.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'Escape') close()
    if (event.target instanceof Element && event.target.closest('input, pre, [data-keys]') !== null) return
    if (event.key === 'ArrowLeft') step(-1)
    if (event.key === 'ArrowRight') step(1)
  })
  let named: number | string | undefined
  return {
    heading,
    name(trial) {
      const isMissing = typeof trial === 'string'
      place.classList.toggle('of-no-trial', isMissing)
      if (isMissing) {
        previous.disabled = true
        next.disabled = true
        heading.textContent = 'No such trial'
        missing.textContent = noSuchTrial(trial, sectionView)
        named = trial
        return true
      }
      keepFocus(
        bar,
        () => {
          previous.disabled = stepTo(sectionView.selection(), trial, -1) === null
          next.disabled = stepTo(sectionView.selection(), trial, 1) === null
        },
        heading,
      )
      if (named === trial) return false
      named = trial
      heading.textContent = `Trial ${sectionView.table.id(trial)}`
      return true
    },
    exhibits: furnish(place, body, sectionView),
  }
}

function noSuchTrial(name: string, { table, section: { study, market } }: SectionView): string {
  const count = Array.from({ length: table.count }, (_, trial) => table.fingerprint(trial)).filter((each) =>
    each.startsWith(name),
  ).length
  const found = count === 0 ? 'none has' : `${count} have`
  return `The address names the trial ${name}. Of the ${formatCount(table.count, 'trial')} of ${study} on ${market} with a result, ${found} an id that begins with it. The table lists all of them.`
}

/** Makes the parts of the drawer, in the order in which they stand. */
function furnish(place: HTMLElement, body: HTMLElement, sectionView: SectionView): ReturnType<typeof prepareExhibits> {
  const { section, chart: read } = sectionView
  const { prefix } = section
  const chart = dealsChart(read)
  const whatIf = whatIfPanel(read, {
    attempt: (change) => exhibits.attempt(change),
    keep: (change) => {
      if (sectionView.opened() !== null) sectionView.set({ change }) // a field that closing leaves says its value once more
    },
  })
  const ladder = ladderTable()
  const parts: readonly (readonly [name: string, title: string, part: ExhibitPart])[] = [
    ['deals', 'Deals on price', chart],
    ['what-if', 'What if', whatIf],
    ['starts', 'Starts', startsFigure(read)],
    ['ladder', 'Ladder', ladder],
    ['equity', 'Equity', equityCharts(read)],
    ['months', 'Months', monthTable()],
    ['deal-list', 'Every deal', dealList(chart.zoomTo)],
    ['metrics', 'All metrics', metricTable()],
  ]
  const top = head()
  const sections = parts.map(([name, title, { element }]) => {
    const id = `${prefix}inspect-${name}`
    const heading = makeElement('h3', { text: title, is: { id } })
    return makeElement('section', { is: { 'aria-labelledby': id, 'data-part': name }, children: [heading, element] })
  })
  const jumps = parts.map(([, title], index) =>
    makeButton(title, () => stayAt(place, body, () => sections[index].scrollIntoView())),
  )
  const row = makeElement('div', { class: 'tab-row', children: jumps })
  const contents = makeElement('div', {
    class: 'inspector-contents',
    is: { role: 'navigation', 'aria-label': 'Parts of the inspector' },
    children: [row],
  })
  body.before(contents)
  followParts(
    row,
    jumps.map((tab, index) => ({ tab, head: sections[index] })),
    place,
  )
  body.append(top.element, ...sections)
  const quick = [whatIf, ladder]
  const parade = showInView(place, [
    { section: top.element, part: top },
    ...parts.map(([, , part], index) => ({ section: sections[index], part })),
  ])
  const goBack = keepDrawerPlace(place, { prefix, parts: [top.element, ...sections] })
  const exhibits = prepareExhibits(sectionView, {
    quick: (exhibit) => parade.showOnly(quick, exhibit),
    full: async (exhibit) => {
      const shown = parade.show(exhibit)
      place.dataset.shown = nameOf(exhibit)
      await shown
      goBack()
    },
  })
  return exhibits
}

/** The trial and its changes, as the address spells them. */
function nameOf({ sectionView, trial, stored, config }: Exhibit): string {
  const change = Object.entries(changeOf(stored, config)).map(([field, value]) => `${field}=${value}`)
  return [sectionView.table.id(trial), ...change].join(' ')
}

// Shows the parts of the drawer that are in view at once, and the others when the reader rests or comes to them: a key that is held down moves a
// slider fifteen times a second, and nobody sees seven charts and four tables follow it.

/** A part with the element in which it stands. */
interface PlacedPart {
  readonly section: HTMLElement
  readonly part: ExhibitPart
}

interface Parade {
  /** Ends when what is in view stands. A section that is not shown yet is busy (`aria-busy`). */
  readonly show: (exhibit: Exhibit) => Promise<void>
  /** Only these, at once. */
  readonly showOnly: (parts: readonly ExhibitPart[], exhibit: Exhibit) => void
}

/** @param drawer the element that scrolls */
function showInView(drawer: HTMLElement, placed: readonly PlacedPart[]): Parade {
  const inView = new Set<Element>()
  const waiting = new Map<PlacedPart, Exhibit>()
  let stop = (): void => undefined
  const showNow = (each: PlacedPart, exhibit: Exhibit): void | Promise<void> => {
    waiting.delete(each)
    each.section.removeAttribute('aria-busy')
    return keepFocus(each.section, () => each.part.show(exhibit))
  }
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (isIntersecting) inView.add(target)
        else inView.delete(target)
      }
      for (const [each, exhibit] of waiting) if (inView.has(each.section)) void showNow(each, exhibit)
    },
    { root: drawer, rootMargin: '10%' },
  )
  for (const { section } of placed) observer.observe(section)
  function* showWaiting(): Generator<void> {
    for (const [each, exhibit] of waiting) {
      void showNow(each, exhibit)
      yield
    }
  }
  return {
    async show(exhibit) {
      stop()
      // of a drawer that has just been opened nothing is known to be in view
      const isSeen = ({ section }: PlacedPart) => inView.size === 0 || inView.has(section)
      const later = placed.filter((each) => !isSeen(each))
      for (const each of later) {
        waiting.set(each, exhibit)
        each.section.setAttribute('aria-busy', 'true')
      }
      stop = inIdleSlices(showWaiting())
      await Promise.all(placed.filter(isSeen).map((each) => showNow(each, exhibit)))
    },
    showOnly(parts, exhibit) {
      for (const each of placed) if (parts.includes(each.part)) void showNow(each, exhibit)
    },
  }
}

// Where in the drawer the reader is, over a reload: kept beside the address, in the page's history, which a file that is opened from disk has too. A part and
// a distance in it, not pixels from the top: parts that were never seen have a guessed height.

interface DrawerPlace {
  /** Before the ids of the drawer's section. */
  readonly drawer: string
  readonly part: number
  /** Pixels. */
  readonly below: number
}

/** Remembers it whenever the reader rests: what is written while a page is left comes too late for a reload. What it returns goes back to it, once. */
function keepDrawerPlace(
  drawer: HTMLElement,
  { prefix, parts }: { readonly prefix: string; readonly parts: readonly HTMLElement[] },
): () => void {
  let left = readPlace(prefix)
  let stop = (): void => undefined
  const keep = (): void => {
    const part = parts.findLastIndex(({ offsetTop }) => offsetTop <= drawer.scrollTop)
    if (drawer.hidden || part < 0) return
    const place: DrawerPlace = { drawer: prefix, part, below: drawer.scrollTop - parts[part].offsetTop }
    history.replaceState(place, '')
  }
  drawer.addEventListener('scroll', () => {
    stop()
    stop = whenRested(keep)
  })
  return () => {
    const part = left === null ? undefined : parts.at(left.part)
    const below = left?.below ?? 0
    left = null
    if (part === undefined) return
    stayAt(drawer, part.parentElement ?? part, () => {
      drawer.scrollTop = part.offsetTop + below
    })
  }
}

/** Goes there, and again whenever a part of the body comes to its own height, until the reader acts. */
function stayAt(drawer: HTMLElement, body: HTMLElement, go: () => void): void {
  const observer = new ResizeObserver(go)
  observer.observe(body)
  for (const act of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
    drawer.addEventListener(act, () => observer.disconnect(), { once: true, passive: true })
  go()
}

/** null = nothing is kept of this drawer. */
function readPlace(prefix: string): DrawerPlace | null {
  const { drawer, part, below }: Readonly<Record<string, unknown>> = Object(history.state)
  return drawer === prefix && typeof part === 'number' && typeof below === 'number' ? { drawer, part, below } : null
}

/** The top of the inspector: which trial, what it made, and what to do with it. */
function head(): ExhibitPart {
  const element = makeElement('div', { class: 'inspector-head' })
  return {
    element,
    show: (exhibit) =>
      element.replaceChildren(
        standing(exhibit),
        ...changed(exhibit),
        fields(exhibit),
        sentence(exhibit),
        localRun(exhibit),
        pinning(exhibit),
        commands(exhibit),
      ),
  }
}

function standing({ sectionView: { table, section }, trial }: Exhibit): HTMLElement {
  const rank = table.rank(trial)
  const ranked = Array.from({ length: table.count }, (_, at) => table.rank(at)).filter((each) => each !== null)
  const place =
    rank === null
      ? STANDING_WORDS[table.standing(trial)]
      : `rank ${formatNumber(rank, 0)} of ${formatNumber(ranked.length, 0)} by ${lowerTitle(section.objective.metric)}`
  return makeElement('p', { class: 'small', text: `${section.study} on ${section.market}: ${place}` })
}

/** Says that what follows is of another configuration, and of which. */
function changed({ isChanged, stored, config }: Exhibit): HTMLElement[] {
  if (!isChanged) return []
  const changes = CONFIG_FIELDS.filter((field) => stored[field] !== config[field]).map(
    (field) => `${CONFIG[field].title} ${formatValue(config[field])} instead of ${formatValue(stored[field])}`,
  )
  const text = `What if: ${changes.join(', ')}. These figures are of the stored trial; everything below is of the change.`
  return [makeElement('p', { class: 'banner', text })]
}

/** What the study varies. */
function fields({ sectionView: { section }, stored }: Exhibit): HTMLElement {
  const items = section.varied.map((field) =>
    makeElement('div', {
      class: 'varied',
      children: [
        makeElement('dt', { text: CONFIG[field].title, is: { title: field } }),
        makeElement('dd', { text: formatValue(stored[field]) }),
      ],
    }),
  )
  return makeElement('dl', { class: 'config', children: items })
}

function sentence({ sectionView: { table, section }, trial }: Exhibit): HTMLElement {
  const number = (name: MetricName) => formatMetricWithUnit(name, table.number(trial, name), section.quote)
  const strong = makeElement('strong', {
    text: `${number('netProfit')} (${number('roiPercent')} of the investment, ${number('netProfitPerUsedPercent')} of what was invested on average)`,
  })
  return makeElement('p', {
    children: [
      strong,
      ` with ${number('usedCapital.average')} invested on average, ${number('usedCapital.max')} at most; max drawdown ${number('maxDrawdownPercent')}; ` +
        `${formatCount(table.number(trial, 'closedDeals'), 'closed deal')} (${sampleInWords(table.sampleSize(trial))}), unrealized ${number('unrealizedProfit')}.`,
    ],
  })
}

/** What is computed here against what is stored. */
function localRun(exhibit: Exhibit): HTMLElement {
  const { sectionView, trial, storedRun, terms, stored } = exhibit
  const { candles, quote } = sectionView.section
  const why = whyNotHere(candles, trial)
  if (why !== null) {
    const text = `Not recomputed here, and neither deals nor a what-if can be shown: ${why}.`
    return makeElement('p', { class: 'local-run', text, is: { 'data-local': 'refused' } })
  }
  if (storedRun === null) {
    const text = 'Not recomputed here: the stored configuration cannot be run.'
    return makeElement('p', { class: 'local-run', text, is: { 'data-local': 'refused' } })
  }
  const whyNot = whyNoChange(candles)
  const { netProfit, closedDeals, volume } = storedRun.metrics
  const localRuns = compareHere(
    {
      netProfit: sectionView.table.number(trial, 'netProfit'),
      closedDeals: sectionView.table.number(trial, 'closedDeals'),
    },
    { netProfit, closedDeals, volume },
    { quote, investment: stored.investment },
  )
  return makeElement('div', {
    class: `local-run ${localRuns.isExact ? 'exact' : 'differs'}`,
    is: { 'data-local': localRuns.isExact ? 'exact' : 'differs' },
    children: [
      makeElement('p', {
        children: [
          makeElement('span', { text: localRuns.isExact ? '✓ ' : '≠ ', is: { 'aria-hidden': 'true' } }),
          localRuns.words,
        ],
      }),
      makeElement('p', { class: 'small', text: computedFrom(terms, candles) }),
      ...(whyNot === null
        ? []
        : [
            makeElement('p', {
              class: 'small',
              text: `Its deals are computed; equity, drawdown and a what-if are not: ${whyNot}.`,
            }),
          ]),
    ],
  })
}

function pinning({ sectionView, trial }: Exhibit): HTMLElement {
  const isPinned = () => sectionView.state().pins.includes(sectionView.table.id(trial))
  const name = () => (isPinned() ? 'Pinned to compare' : 'Pin to compare')
  const button = makeButton(name(), () => {
    sectionView.pin(trial, !isPinned())
    button.textContent = name()
    button.setAttribute('aria-pressed', String(isPinned()))
  })
  button.setAttribute('aria-pressed', String(isPinned()))
  return makeElement('p', { children: [button] })
}

function commands({ sectionView: { table, section }, trial }: Exhibit): HTMLElement {
  const name = `${table.id(trial)}${section.prefix === '' ? '' : `@${section.market}`}` // beside others
  // Another study may have tried the same configuration.
  const lines = ['show', 'examine', 'promote'].map((command) =>
    copyableLine(`dcalab ${command} ${name} --study ${section.study}`),
  )
  return makeElement('div', { class: 'commands', children: lines })
}

/** A line with a button that copies it; where the browser does not let us, the text is selected for the reader to copy. */
function copyableLine(text: string): HTMLElement {
  const words = text.split(' ').map((word) => makeElement('span', { class: 'word', text: word }))
  const code = makeElement('code', { children: words.flatMap((word, at) => (at > 0 ? [' ', word] : [word])) }) // breaks between them alone
  return makeElement('div', { class: 'copyable', children: [code, copyButton(code, `Copy ${text}`)] })
}

/** "small sample, under 107", "sample of 208 to 272": to stand behind a number of deals. */
function sampleInWords(sampleSize: SampleSize | null): string {
  if (sampleSize === null) return 'size of the sample unknown'
  return isSmallSample(sampleSize) ? `small sample, ${sampleSize}` : `sample of ${sampleSize}`
}
