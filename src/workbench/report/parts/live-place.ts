/** The places of the page at which its script sets something up, `PARTS` in `page/page.ts`. */
import { type Html, html } from '../html.ts'
import type { Place } from './part.ts'

export function livePlace(part: string, { prefix }: Pick<Place, 'prefix'>): Html {
  return html`<div data-live="${part}" data-section="${sectionIndex(prefix)}"></div>`
}

/** Before the elements and the keys in the address of a section; the only one of a report has none. */
export function sectionPrefix(index: number, sections: number): string {
  return sections === 1 ? '' : `s${index + 1}-`
}

/** Of the section whose elements have this prefix. */
export function sectionIndex(prefix: string): number {
  return prefix === '' ? 0 : Number.parseInt(prefix.slice(1), 10) - 1
}
