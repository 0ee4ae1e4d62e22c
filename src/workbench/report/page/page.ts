/**
 * The script of a report's page. It sets up a desk for every section and lets each live part of the page work at it. For tests,
 * `<html data-drawn>` is the number of charts drawn by Node's specs, set when everything stands.
 */
import { DOCUMENT_ID, type PageDocument } from '../model/document.ts'
import { readAddress, writeAddress } from './address.ts'
import { createDesk, type Desk } from './desk.ts'
import { drawChart } from './draw-chart.ts'
import { mountFilter } from './filter-bar.ts'
import { mountTable } from './live-table.ts'
import { answerTaps } from './tooltip.ts'
import { offerCopy } from './verdict.ts'

/** What may stand in `data-live` of an element, and what works there. */
const PARTS: Readonly<Record<string, (place: HTMLElement, desk: Desk) => void | Promise<void>>> = {
  verdict: offerCopy,
  filter: mountFilter,
  table: mountTable,
}

function readJson<T>(id: string): T {
  return JSON.parse(document.getElementById(id)?.textContent ?? 'null') as T // written by Node from the same type
}

async function start(): Promise<void> {
  answerTaps()
  const { sections } = readJson<PageDocument>(DOCUMENT_ID)
  const charts = readJson<readonly { readonly id: string; readonly spec: unknown }[]>('charts')
  const drawn = await Promise.all(charts.map(({ id, spec }) => drawStill(id, spec)))
  await Promise.all(sections.map(startSection))
  document.documentElement.dataset.drawn = String(drawn.filter(Boolean).length)
}

async function startSection(section: PageDocument['sections'][number], index: number): Promise<void> {
  const { prefix } = section
  const desk = await createDesk(section, {
    state: readAddress(prefix),
    changed: (state) => writeAddress(prefix, state),
  })
  addEventListener('popstate', () => desk.set(readAddress(prefix)))
  const places = document.querySelectorAll<HTMLElement>(`[data-live][data-section="${index}"]`)
  await Promise.all(Array.from(places, (place) => PARTS[place.dataset.live ?? '']?.(place, desk)))
}

/** A chart whose data are in its spec. */
async function drawStill(id: string, spec: unknown): Promise<boolean> {
  const place = document.getElementById(id)
  if (place === null) return false
  try {
    await drawChart(place, spec)
    return true
  } catch (error) {
    place.textContent = 'This chart could not be drawn; the tables hold the same numbers.'
    console.error(error)
    return false
  }
}

void start()
