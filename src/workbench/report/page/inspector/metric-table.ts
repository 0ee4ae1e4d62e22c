/** Every metric with its definition, and beside it what the changes make of it. */
import { withCompanions } from '../../../../contract/companions.ts'
import { metricValue } from '../../../../contract/metric-values.ts'
import {
  definitionOf,
  METRIC_NAMES,
  METRICS,
  type MetricName,
  type MetricsAsRead,
} from '../../../../contract/metrics.ts'
import { shownDifference } from '../../model/shown-difference.ts'
import { makeElement } from '../make-element.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'
import { metricData, titleWithUnit } from './number-cells.ts'

export function metricTable(): ExhibitPart {
  const element = makeElement('div')
  return { element, show: (exhibit) => element.replaceChildren(tableOfMetrics(exhibit)) }
}

/** What must not be shown without others stands beside them. */
const ORDER: readonly MetricName[] = [...new Set(METRIC_NAMES.flatMap((name) => [...withCompanions(name)]))]

function tableOfMetrics(exhibit: Exhibit): HTMLElement {
  const { isChanged, whyNotRun } = exhibit
  const nothing = isChanged && whyNotRun !== null ? ` Nothing is computed: ${whyNotRun}.` : ''
  const heads = ['Metric', 'Stored', ...(isChanged ? ['What if', 'Difference'] : [])]
  // of one number each, several metrics stand side by side; the roles stay, however the style sheet lays them out
  const table = makeElement('table', {
    class: isChanged ? 'all-metrics' : 'all-metrics in-columns',
    is: { role: 'table' },
    children: [
      makeElement('caption', { text: `Open a name to read what it means.${nothing}` }),
      makeElement('thead', {
        is: { role: 'rowgroup' },
        children: [
          makeElement('tr', {
            is: { role: 'row' },
            children: heads.map((text) => makeElement('th', { text, is: { scope: 'col', role: 'columnheader' } })),
          }),
        ],
      }),
      makeElement('tbody', { is: { role: 'rowgroup' }, children: ORDER.map((name) => metricLine(name, exhibit)) }),
    ],
  })
  return makeElement('div', {
    class: 'scroll',
    is: { tabindex: 0, role: 'group', 'aria-label': 'All metrics' },
    children: [table],
  })
}

const CELL = { role: 'cell' } as const

function metricLine(
  name: MetricName,
  { desk: { table, section }, trial, run, isChanged, findings }: Exhibit,
): HTMLElement {
  const { quote } = section
  const stored = table.number(trial, name)
  const own: Partial<MetricsAsRead> = run?.metrics ?? {} // one walk does not tell the ambiguity pair
  const changed = metricValue(own, name)
  const summary = makeElement('summary', { text: titleWithUnit(name, quote), is: { title: definitionOf(name) } })
  const definition = makeElement('details', { children: [summary, definitionOf(name)] })
  const whyNot =
    findings.refused.size > 0
      ? 'refused'
      : name in own || name.includes('.')
        ? (METRICS[name].nullWhen ?? '')
        : 'not computed here'
  return makeElement('tr', {
    is: { role: 'row' },
    children: [
      makeElement('th', { is: { scope: 'row', role: 'rowheader' }, children: [definition] }),
      makeElement('td', {
        is: CELL,
        children: [metricData(name, stored, quote, stored === null ? table.whyNull(trial, name) : '')],
      }),
      ...(isChanged
        ? [
            makeElement('td', { is: CELL, children: [metricData(name, changed, quote, whyNot)] }),
            makeElement('td', { is: CELL, text: shownDifference(name, [stored, changed], quote) }),
          ]
        : []),
    ],
  })
}
