/** Where the page's script puts the inspector of a section; it makes everything in it. */
import { inspectorCharts } from '../charts/inspector-charts.ts'
import { compileChart } from '../draw.ts'
import type { Facts } from '../facts.ts'
import { type Html, html } from '../html.ts'
import type { PageSection } from '../model/document.ts'

/** @param index of the section in the page's document */
export function inspectorPlace({ finished }: Facts, index: number): Html | false {
  return finished.length > 0 && html`<div data-live="inspector" data-section="${index}" hidden></div>`
}

export function compiledInspector({ quote }: Facts): PageSection['charts'] {
  return Object.fromEntries(Object.entries(inspectorCharts(quote)).map(([name, spec]) => [name, compileChart(spec)]))
}
