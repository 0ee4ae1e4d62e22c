/**
 * The script of a report's page. It sets up a view for every section and lets each live part of the page work at it. For tests, `<html>` gets
 * `data-drawn` when everything near stands, and `data-whole` when the rest does.
 */
import { DOCUMENT_ID, type PageDocument } from '../model/document.ts'
import { nearFirst, stillCharts } from './draw-chart.ts'
import { mountHeat } from './explorer/live-heat.ts'
import { mountParallel } from './explorer/live-parallel.ts'
import { mountScatter } from './explorer/live-scatter.ts'
import { mountFilter } from './filter-bar.ts'
import { inspector } from './inspector/inspector.ts'
import { mountCompare } from './live-compare.ts'
import { mountLocalRuns } from './live-local-runs.ts'
import { mountTable } from './live-table.ts'
import { copyButton } from './make-element.ts'
import { focusNamed, isInAddress, keepAddress, readAddress, writeAddress } from './page-address.ts'
import { keepScrollPlace, openAround } from './scroll-place.ts'
import { createSectionView, readJson, type SectionView } from './section-view.ts'
import { followParts } from './tab-row.ts'
import { answerTaps } from './tooltip.ts'

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
