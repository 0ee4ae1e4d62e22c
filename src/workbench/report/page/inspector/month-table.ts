/** Returns month by month, each with a bar: to the right gains, to the left losses. */
import { signedPercent } from '../../format.ts'
import { monthsOfDays, withShares } from '../../model/month-rows.ts'
import { makeElement } from '../make-element.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'
import { toneOf } from './number-cells.ts'

export function monthTable(): ExhibitPart {
  const element = makeElement('div')
  return { element, show: (exhibit) => element.replaceChildren(tableOfMonths(exhibit)) }
}

function tableOfMonths({ days, run, whyNotRun, isChanged, stored, desk: { section } }: Exhibit): HTMLElement {
  const stated = days !== null && days.values.length > 0 && !isChanged ? days : null
  const rows = stated === null ? withShares(run?.metrics.monthlyReturns ?? []) : monthsOfDays(stated, stored.investment)
  if (rows.length === 0) {
    const notStored = 'reason' in section.equity ? section.equity.reason : 'the result keeps no daily equity'
    const why = isChanged && whyNotRun !== null ? whyNotRun : notStored
    return makeElement('p', { class: 'empty', text: `No months: ${why}.` })
  }
  const lines = rows.map(({ month, returnPercent, share }) => {
    const bar = makeElement('span', { class: `month-bar ${toneOf(returnPercent)}` })
    bar.style.setProperty('width', `${50 * share}%`)
    bar.style.setProperty(returnPercent < 0 ? 'right' : 'left', '50%')
    return makeElement('tr', {
      children: [
        makeElement('th', { text: month, is: { scope: 'row' } }),
        makeElement('td', { text: signedPercent(returnPercent), class: toneOf(returnPercent) }),
        makeElement('td', { class: 'month-track', is: { 'aria-hidden': 'true' }, children: [bar] }),
      ],
    })
  })
  return makeElement('table', {
    class: 'months',
    children: [
      makeElement('caption', {
        text: 'Return of each month (UTC) on the equity before it; the first and the last may be partial.',
      }),
      makeElement('tbody', { children: lines }),
    ],
  })
}
