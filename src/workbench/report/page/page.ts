/**
 * The script of a report's page. It sets up a view for every section and lets each live part of the page work at it. For tests, `<html>` gets
 * `data-drawn` when everything near stands, and `data-whole` when the rest does.
 */
import type { Candles } from '../../../engine/candles.ts'
import { formatCount, formatNumber } from '../format.ts'
import { DOCUMENT_ID, type PageDocument } from '../model/document.ts'
import { type LocalPoint, localInWords, localPoint, whyNotHere, widest } from '../model/local-gate.ts'
import { turnoverOf } from '../model/run-trial.ts'
import { readState, type ViewState, writeState } from '../model/view-state.ts'
import { findConfigProblems } from '../model/what-if.ts'
import { nearFirst, stillCharts } from './draw-chart.ts'
import { mountHeat } from './explorer/live-heat.ts'
import { mountParallel } from './explorer/live-parallel.ts'
import { mountScatter } from './explorer/live-scatter.ts'
import { mountFilter } from './filter-bar.ts'
import { inIdleSlices } from './idle.ts'
import { inspector } from './inspector/inspector.ts'
import { mountCompare } from './live-compare.ts'
import { mountTable } from './live-table.ts'
import { copyButton, makeElement, takeFocus } from './make-element.ts'
import { createSectionView, readJson, type SectionView } from './section-view.ts'
import { followParts } from './tab-row.ts'

import { showTooltip } from './tooltip.ts'

/** How far from a finger a mark may lie, in pixels: half of the 44 that a touch target should have. */
const REACH = 22

/** More take longer than anybody waits. */
const MOST_LOCAL_RUNS = 2000

interface LocalWork {
  readonly candles: Candles
  readonly trials: readonly number[]
  /** Grows. */
  readonly points: LocalPoint[]
  readonly computed: () => void
}

interface Place {
  /** The id of the first part of the page whose head is in the window, or else of the one around it. */
  readonly part: string
  /** Pixels from the top of the window to its head. */
  readonly top: number
}

/** Browsers refuse more than about a hundred changes of the address in half a minute; a drag makes sixty a second. */
const WRITE_EVERY_MS = 350

/** By prefix: what is to be written. */
const waiting = new Map<string, ViewState>()

let writtenAt = -WRITE_EVERY_MS

let asked = 0

const HEADS = 'summary, h1, h2, h3, h4'

/** What may stand in `data-live` of an element, and what works there. */
const PARTS: Readonly<Record<string, (place: HTMLElement, sectionView: SectionView) => void | Promise<void>>> = {
  scatter: mountScatter,
  heat: mountHeat,
  parallel: mountParallel,
  verdict: offerCopy,
  filter: mountFilter,
  table: mountTable,
  localRuns: mountLocalRuns,
  compare: mountCompare,
  inspector,
}

async function start(): Promise<void> {
  answerTaps()
  followContents()
  unfoldForPaper()
  // written by Node from the same type
  const { sections, charts } = (await readJson(DOCUMENT_ID)) as PageDocument
  keepAddress((keys) => showSection(sections, keys))
  const goBack = keepScrollPlace()
  const sites = sections.map(siteOf)
  const still = await nearFirst(stillCharts(charts))
  const first = await Promise.all(sites.flatMap(({ isWanted, mount }) => (isWanted() ? [mount()] : [])))
  document.documentElement.dataset.drawn = ''
  goBack()
  if (document.activeElement === document.body) focusNamed()
  // not before: until tables stand, the page is so short that every section seems near
  for (const site of sites) mountWhenNear(site)
  // nor this, for which the near ones would wait
  await Promise.all([still, ...first].map(({ finish }) => finish()))
  document.documentElement.dataset.whole = ''
}

/** Those of the page: links to the ids of heads. */
function followContents(): void {
  const row = document.querySelector<HTMLElement>('.contents ol')
  if (row === null) return
  const tabs = Array.from(row.querySelectorAll('a'), (tab) => ({
    tab,
    head: document.getElementById(tab.hash.slice(1)),
  }))
  followParts(
    row,
    tabs.flatMap(({ tab, head }) => (head === null ? [] : [{ tab, head }])),
  )
}

/** Where a section works. */
interface Site {
  readonly places: readonly HTMLElement[]
  /** The first of the page is, and any that the address says something of. */
  readonly isWanted: () => boolean
  /** Decodes what it works with, once. */
  readonly prepare: () => Promise<SectionView>
  /** Sets it up, once. */
  readonly mount: () => ReturnType<typeof nearFirst>
}

function siteOf(section: PageDocument['sections'][number], index: number): Site {
  const places = [...document.querySelectorAll<HTMLElement>(`[data-live][data-section="${index}"]`)]
  let prepared: Promise<SectionView> | undefined
  let mounted: ReturnType<typeof nearFirst> | undefined
  const prepare = (): Promise<SectionView> => {
    prepared ??= openView(section)
    return prepared
  }
  return {
    places,
    isWanted: () => index === 0 || isInAddress(section.prefix),
    prepare,
    mount() {
      mounted ??= prepare().then((view) =>
        nearFirst(places.map((place) => ({ place, act: () => PARTS[place.dataset.live ?? '']?.(place, view) }))),
      )
      return mounted
    },
  }
}

/** When the reader or the address comes to it; what paper needs is decoded before. A hidden place, the drawer of the inspector, is nowhere on the page. */
function mountWhenNear({ places, isWanted, prepare, mount }: Site): void {
  void prepare()
  const mountWhole = async (): Promise<void> => {
    const { finish } = await mount()
    await finish()
  }
  addEventListener('popstate', () => void (isWanted() && mountWhole()))
  const seen = places.filter(({ hidden }) => !hidden)
  void nearFirst(seen.map((place) => ({ place, act: mountWhole })))
}

async function openView(section: PageDocument['sections'][number]): Promise<SectionView> {
  const { prefix } = section
  const sectionView = await createSectionView(section, {
    state: readAddress(prefix),
    changed: (state) => writeAddress(prefix, state),
  })
  // a part of the page that is gone to says nothing of what is chosen
  addEventListener('popstate', () => void (isOfState() && sectionView.set(readAddress(prefix))))
  return sectionView
}

/** Whether it says what is chosen; the id of a part of the page does not. */
function isOfState(): boolean {
  return location.hash === '' || location.hash.includes('=')
}

/** Where a link into a section leads: to the head of its study. */
function showSection(sections: PageDocument['sections'], keys: readonly string[]): void {
  const index = sections.findIndex(({ prefix }) => prefix !== '' && keys.some((key) => key.startsWith(prefix)))
  const first = document.querySelector(`[data-live="filter"][data-section="${index}"]`)
  openAround(first)
  first?.closest('details.market, article')?.scrollIntoView()
}

/** What a reader folded is on paper all the same where it states results. Charts read whether they are for paper, those that the print itself sets up, too. */
function unfoldForPaper(): void {
  const { dataset } = document.documentElement
  addEventListener('beforeprint', () => {
    dataset.printing = ''
    for (const folded of document.querySelectorAll<HTMLDetailsElement>(
      'details.failures, details.market, details.group',
    ))
      folded.open = true
  })
  addEventListener('afterprint', () => {
    delete dataset.printing
  })
}

void start()

/** Each command of the next step gets a button that copies it. */
function offerCopy(place: HTMLElement): void {
  for (const line of place.querySelectorAll('.command')) {
    const command = line.querySelector('code')
    if (command !== null) line.append(copyButton(command, `Copy ${command.textContent}`))
  }
}

/** The page's address: what readers have chosen stands behind its `#`, and back and forward bring it again. */
function readAddress(prefix: string): ViewState {
  return readState(keysOfAddress(), prefix)
}

/** Whether it says anything of that section. */
function isInAddress(prefix: string): boolean {
  return [...keysOfAddress().keys()].some((key) => key.startsWith(prefix))
}

/** The first change is written at once, and the last one of many soon. */
function writeAddress(prefix: string, state: ViewState): void {
  waiting.set(prefix, state)
  if ((keysOfAddress().get(`${prefix}trial`) ?? null) !== state.trial) writeWaiting('pushState')
  else writeSoon()
}

/** The first change at once, and the last one of many soon. */
function writeSoon(): void {
  cancelAnimationFrame(asked)
  if (performance.now() - writtenAt >= WRITE_EVERY_MS) writeWaiting('replaceState')
  else if (waiting.size > 0) asked = requestAnimationFrame(writeSoon)
}

function writeWaiting(how: 'pushState' | 'replaceState'): void {
  if (waiting.size === 0) return
  const keys = keysOfAddress()
  for (const [prefix, state] of waiting) writeState(keys, prefix, state)
  waiting.clear()
  const text = keys.toString()
  const address = text === '' ? location.pathname : `#${text}`
  if (address === (location.hash || location.pathname)) return
  // what is remembered of a place stays with it; a new one has nothing yet
  history[how](how === 'pushState' ? null : history.state, '', address)
  writtenAt = performance.now()
}

/** A fragment without `=` is the id of a part of the page. */
function keysOfAddress(): URLSearchParams {
  return new URLSearchParams(location.hash.includes('=') ? location.hash.slice(1) : '')
}

/**
 * Makes the address keep up when the reader leaves, goes back, or follows a link such as `#s2-trial=2537d764cd2e`, which changes only what it
 * names. `arrived` gets the keys of such a link.
 */
function keepAddress(arrived: (keys: readonly string[]) => void): void {
  addEventListener('pagehide', () => writeWaiting('replaceState'))
  addEventListener('popstate', () => waiting.clear())
  addEventListener('hashchange', focusNamed)
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a[href^="#"]') : null
    const target = link?.getAttribute('href') ?? ''
    if (target.length > 1 && !target.includes('=') && location.hash.includes('=')) return showPlace(event, target)
    if (!target.includes('=') || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    writeWaiting('replaceState')
    const keys = keysOfAddress()
    const named = new URLSearchParams(target.slice(1))
    for (const [key, value] of named) {
      keys.set(key, value)
      if (key.endsWith('trial')) keys.delete(`${key.slice(0, -'trial'.length)}if`) // a what-if is of the trial that was open
    }
    history.pushState(null, '', `#${keys}`)
    dispatchEvent(new PopStateEvent('popstate'))
    arrived([...named.keys()])
  })
}

/** The address goes on saying what is chosen. */
function showPlace(event: MouseEvent, target: string): void {
  const place = document.getElementById(target.slice(1))
  if (place === null) return
  event.preventDefault()
  place.scrollIntoView()
  focusHead(place)
}

/** Whoever comes by a link to a part of the page goes on from its head. */
function focusNamed(): void {
  const place = location.hash.includes('=') ? null : document.getElementById(location.hash.slice(1))
  if (place !== null) focusHead(place)
}

function focusHead(place: HTMLElement): void {
  const head = place.matches(HEADS) ? place : (place.querySelector('.headline') ?? place.querySelector(HEADS))
  const focused = head?.closest('summary') ?? head ?? place
  if (focused instanceof HTMLElement) takeFocus(focused)
}

/**
 * Where on the page the reader is, over a jump and over a reload. A browser goes to a place before the page has its height, and so to the wrong one:
 * what is drawn later moves it. Places are heads of parts of the page, which are held where they belong until the reader scrolls by himself.
 * Ends a jump to a part of the page at its head. What it returns goes back after a reload, and is called when everything stands.
 */
function keepScrollPlace(): () => void {
  let held: Element | null = null
  /** Pixels from the top of the window to the head of what is held; null = as near to it as the page can. */
  let wanted: number | null = null
  /** Where that is since it was last brought there; undefined = on the way. */
  let brought: number | undefined
  const bring = (): void => {
    if (held === null) return
    if (wanted === null) held.scrollIntoView({ behavior: 'instant' })
    else scrollTo({ top: scrollY + topOf(held) - wanted, behavior: 'instant' })
    brought = topOf(held)
  }
  addEventListener('click', ({ target }) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('a[href^="#"]') : null
    held = link === null ? null : document.getElementById(link.hash.slice(1))
    openAround(held)
    wanted = null
    brought = undefined
  })
  for (const own of ['wheel', 'touchstart', 'pointerdown', 'keydown']) {
    addEventListener(own, () => {
      held = null
    })
  }
  addEventListener('scrollend', () => {
    if (held !== null && brought !== undefined && Math.abs(topOf(held) - brought) > 2) held = null
    bring()
  })
  new ResizeObserver(() => brought !== undefined && bring()).observe(document.body)

  const left = reloadedPlace()
  if (left !== null) history.scrollRestoration = 'manual'
  return () => {
    if (left !== null) {
      held = document.getElementById(left.part)
      wanted = left.top
      bring()
    }
    history.scrollRestoration = 'auto'
  }
}

/** Where the reader left the page that is loaded again, whose parts are unfolded as he had them; null = it is a first visit. From here on it is kept. */
function reloadedPlace(): Place | null {
  const key = `place ${location.pathname}`
  const [visit] = performance.getEntriesByType('navigation')
  const isFirst = !(visit instanceof PerformanceNavigationTiming) || visit.type === 'navigate'
  const folds = [...document.querySelectorAll('details')]
  const parts = [...document.querySelectorAll('main [id]')]
  addEventListener('pagehide', () => {
    history.scrollRestoration = 'manual' // of this visit, when it is loaded again: the browser would be on its way elsewhere
    const laid = parts.filter((each) => each.getClientRects().length > 0)
    // what is above the window may still grow
    const seen = laid.find((each) => topOf(each) >= 0 && topOf(each) < innerHeight)
    const part = seen ?? laid.findLast((each) => topOf(each) < 0)
    const place = [part?.id ?? '', part === undefined ? 0 : topOf(part)]
    const unfolded = folds.flatMap((fold, index) => (fold.open ? [index] : []))
    try {
      sessionStorage.setItem(key, [...place, ...unfolded].join(' '))
    } catch {
      // a browser that keeps nothing for files goes where it finds right
    }
  })
  const [part = '', top, ...unfolded] = isFirst ? [] : readKept(key).split(' ')
  if (top === undefined) return null
  for (const [index, fold] of folds.entries()) fold.open = unfolded.includes(String(index))
  return { part, top: Number(top) }
}

function readKept(key: string): string {
  try {
    return sessionStorage.getItem(key) ?? ''
  } catch {
    return ''
  }
}

/** Pixels from the top of the window. */
function topOf(part: Element): number {
  return part.getBoundingClientRect().top
}

/** What is folded around a part of the page, and itself, so that it can be gone to. */
function openAround(part: Element | null): void {
  for (
    let around = part?.closest('details') ?? null;
    around !== null;
    around = around.parentElement?.closest('details') ?? null
  ) {
    around.open = true
  }
}

/**
 * Every trial computed again in the page, held against what the service stated: a trial at a time while the browser is idle and the reader is near, so
 * that nothing waits for it.
 */
function mountLocalRuns(place: HTMLElement, sectionView: SectionView): void {
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
      : `Computed ${formatNumber(points.length, 0)} of ${all}. It continues while this is on the screen.`
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

/** Vega shows tooltips when a pointer moves over a mark; a tap moves none. */
function answerTaps(): void {
  let lastPointer = ''
  addEventListener('pointerdown', ({ pointerType }) => (lastPointer = pointerType), true)
  addEventListener('click', (event) => {
    if (lastPointer !== 'touch' || event.defaultPrevented) return
    const place = event.target instanceof Element ? event.target.closest('.plot') : null
    showTooltip(null, event, null, place === null ? '' : nearestTooltip(place, event))
  })
}

/** The tooltip of the mark under a finger, or of the nearest one that it can have meant. */
function nearestTooltip(place: Element, { clientX, clientY }: MouseEvent): string | undefined {
  const marks = [...place.querySelectorAll('path')].flatMap((path) => {
    const { left, right, top, bottom } = path.getBoundingClientRect()
    const { __data__: item } = path as { readonly __data__?: { readonly tooltip?: unknown } } // Vega keeps its item there
    const distance = Math.hypot(
      Math.max(left - clientX, 0, clientX - right),
      Math.max(top - clientY, 0, clientY - bottom),
    )
    const fromCentre = Math.hypot((left + right) / 2 - clientX, (top + bottom) / 2 - clientY)
    return typeof item?.tooltip === 'string' && distance <= REACH ? [{ text: item.tooltip, distance, fromCentre }] : []
  })
  return marks.sort((a, b) => a.distance - b.distance || a.fromCentre - b.fromCentre).at(0)?.text
}
