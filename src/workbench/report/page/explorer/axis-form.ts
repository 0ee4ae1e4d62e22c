/** The ranges of the axes as numbers, for who does not drag. */
import { METRICS } from '../../../../contract/metrics.ts'
import { rangeIn, withRanges } from '../../model/filter.ts'
import type { ParallelAxis } from '../../model/parallel-axes.ts'
import { isMetric } from '../../model/trial-table.ts'
import type { Desk } from '../desk.ts'
import { makeElement } from '../make-element.ts'

export function createAxisForm(
  axes: readonly ParallelAxis[],
  desk: Desk,
): { readonly element: HTMLElement; readonly show: () => void } {
  const rows = axes.map(({ column }) => {
    const name = isMetric(column) ? METRICS[column].title : column
    const input = (end: string) =>
      makeElement('input', { is: { type: 'number', step: 'any', 'aria-label': `${name}, ${end}` } })
    const [min, max] = [input('at least'), input('at most')]
    const read = ({ value }: HTMLInputElement) => (value === '' ? {} : { is: Number(value) })
    const change = (): void => {
      const [low, high] = [read(min).is, read(max).is]
      const range =
        low === undefined && high === undefined
          ? null
          : { ...(low === undefined ? {} : { min: low }), ...(high === undefined ? {} : { max: high }) }
      desk.set({ filter: withRanges(desk.table, desk.state().filter, [{ column, range }]) })
    }
    for (const each of [min, max]) each.addEventListener('change', change)
    const show = (): void => {
      const range = rangeIn(desk.table, desk.state().filter, column)
      min.value = range !== null && Number.isFinite(range.min) ? String(range.min) : ''
      max.value = range !== null && Number.isFinite(range.max) ? String(range.max) : ''
    }
    return { show, element: makeElement('li', { children: [makeElement('span', { text: name }), min, ' to ', max] }) }
  })
  const element = makeElement('details', {
    class: 'axis-form on-screen',
    children: [
      makeElement('summary', { text: 'Ranges as numbers' }),
      makeElement('ul', { children: rows.map((row) => row.element) }),
    ],
  })
  const show = (): void => {
    if (element.open) for (const row of rows) row.show()
  }
  element.addEventListener('toggle', show)
  return { element, show }
}
