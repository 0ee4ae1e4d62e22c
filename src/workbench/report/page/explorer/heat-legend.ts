/** What is beside the heat maps: what their colours mean, and what their cells are. */
import type { HeatClass } from '../../charts/heat-classes.ts'
import type { DeskState } from '../../model/desk-state.ts'
import { BLANK_WORDS, type ShownCell } from '../../model/heat-cells.ts'
import { classText } from '../../model/heat-words.ts'
import type { Desk } from '../desk.ts'
import { makeElement } from '../make-element.ts'

const CHOICES: readonly (readonly [DeskState['aggregate'], string])[] = [
  ['mean', 'Mean'],
  ['best', 'Best'],
  ['count', 'Trials'],
]

/** Radio buttons: the usual keys choose among them. */
export function offerAggregates(desk: Desk): {
  readonly element: HTMLElement
  readonly show: (aggregate: DeskState['aggregate']) => void
} {
  const inputs = CHOICES.map(([value, title]) => {
    const input = makeElement('input', { is: { type: 'radio', name: `${desk.section.prefix}aggregate`, value } })
    input.addEventListener('change', () => desk.set({ aggregate: value }))
    return { value, input, label: makeElement('label', { children: [input, title] }) }
  })
  const element = makeElement('fieldset', {
    class: 'aggregates',
    children: [makeElement('legend', { class: 'unseen', text: 'What a cell is' }), ...inputs.map(({ label }) => label)],
  })
  return {
    element,
    show(aggregate) {
      for (const { input, value } of inputs) input.checked = value === aggregate
    },
  }
}

export function writeHeatLegend(
  list: HTMLElement,
  {
    classes,
    cells,
    reach,
    desk,
  }: {
    readonly classes: readonly HeatClass[]
    readonly cells: readonly ShownCell[]
    /** Of the numbers that have these colours: a selection may go beyond what the classes were made for. */
    readonly reach: { readonly low: number; readonly high: number }
    readonly desk: Desk
  },
): void {
  const { section, state } = desk
  const has = (test: (cell: ShownCell) => boolean) => cells.some(test)
  const decimals = state().aggregate === 'count' ? 0 : section.quote.decimals
  const entries: [swatch: string, label: string][] = [
    ...classes.map(({ tone }, index): [string, string] => [
      `heat-${tone}`,
      classText(classes, { index, reach, decimals }),
    ]),
    ...(has(({ edges }) => edges.length > 0) ? [['plateau', 'plateau'] as [string, string]] : []),
    ...(has(({ marks }) => marks.includes('winner')) ? [['winner', 'holds the best trial'] as [string, string]] : []),
    ...(has(({ marks }) => marks.includes('opened')) ? [['opened', 'holds the open trial'] as [string, string]] : []),
    ...(has(({ kind }) => kind === 'blank') ? [['hatched', BLANK_WORDS[section.blanks]] as [string, string]] : []),
  ]
  list.replaceChildren(
    ...entries.map(([swatch, label]) =>
      makeElement('li', {
        children: [makeElement('span', { class: `swatch ${swatch}`, is: { 'aria-hidden': 'true' } }), label],
      }),
    ),
  )
}
