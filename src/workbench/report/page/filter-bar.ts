/** The filter of a section: one text that every view of it reads, with a chip for each of its terms. It stays in sight while one scrolls. */
import { formatCount, formatNumber } from '../format.ts'
import { completeFilter, termsOf } from '../model/filter.ts'
import { trialCsv } from '../model/trial-words.ts'
import { keepFocus, makeButton, makeElement } from './make-element.ts'
import { saveFile } from './save-file.ts'
import type { SectionView } from './section-view.ts'

const LONGEST_FILTER = 2000

export function mountFilter(place: HTMLElement, view: SectionView): void {
  const { prefix, study, market } = view.section
  const id = (part: string) => `${prefix}filter-${part}`
  const input = makeElement('input', {
    is: {
      type: 'search',
      id: id('text'),
      list: id('names'),
      maxlength: LONGEST_FILTER,
      placeholder: 'netProfit>100 drawdown<8',
      autocomplete: 'off',
      autocapitalize: 'none',
      spellcheck: 'false',
      'aria-describedby': id('problem'),
    },
  })
  const names = makeElement('datalist', { is: { id: id('names') } })
  const count = makeElement('output', { is: { 'aria-live': 'polite', for: id('text') } })
  const problem = makeElement('p', { class: 'problem', is: { id: id('problem'), role: 'status' } })
  const chips = makeElement('ul', { class: 'chips', is: { 'aria-label': 'Terms of the filter' } })
  const clear = makeButton('Clear', () => view.set({ filter: '' }))
  const csv = makeButton('CSV', () => {
    const { mask, count: selected } = view.selection()
    const text = trialCsv(view.section, view.table, mask)
    const part = selected === view.table.count ? '' : `-${selected}-of-${view.table.count}`
    saveFile(`${study}-${market.replace(/[^A-Za-z0-9]+/g, '-')}${part}.csv`, new Blob([text], { type: 'text/csv' }))
  })
  csv.title = 'Save the selected trials with all columns and every digit'
  place.append(
    makeElement('label', { text: 'Filter', is: { for: id('text') } }),
    input,
    names,
    count,
    clear,
    csv,
    problem,
    chips,
  )
  place.classList.add('filter-bar')
  // a jump ends below it, however many chips it has
  const around = place.parentElement
  new ResizeObserver(() => around?.style.setProperty('--bar-height', `${place.offsetHeight}px`)).observe(place)
  input.addEventListener('input', () => view.set({ filter: input.value }))
  const show = (): void => {
    const { filter } = view.state()
    const { count: selected, problems, ignored } = view.selection()
    if (input.value.trim() !== filter.trim()) input.value = filter
    names.replaceChildren(
      ...completeFilter(view.table, input.value).map((value) => makeElement('option', { is: { value } })),
    )
    const all = formatCount(view.table.count, 'trial')
    count.textContent = selected === view.table.count ? all : `${formatNumber(selected, 0)} of ${all}`
    problem.textContent = problems.length === 0 ? '' : `${problems.join('; ')}. ${ignoredInWords(ignored, view)}`
    input.setAttribute('aria-invalid', String(problems.length > 0))
    clear.hidden = filter.trim() === ''
    showChips(chips, view)
  }
  view.watch((before) => {
    if (before.filter !== view.state().filter) keepFocus(place, show, input)
  })
  show()
}

/** What the selection is, though a part of the filter means nothing. */
function ignoredInWords(ignored: readonly string[], { table, state }: SectionView): string {
  const rest = termsOf(table, state().filter).filter((term) => !ignored.includes(term))
  const left = `Ignored: ${ignored.join(' ')}`
  return rest.length === 0 ? `${left}; nothing else is filtered by.` : `${left}; filtered by ${rest.join(' ')} alone.`
}

function showChips(chips: HTMLElement, view: SectionView): void {
  const { ignored } = view.selection()
  const terms = termsOf(view.table, view.state().filter)
  chips.replaceChildren(
    ...terms.map((term, index) => {
      const remove = makeButton(term, () => view.set({ filter: terms.toSpliced(index, 1).join(' ') }), {
        class: ignored.includes(term) ? 'ignored' : '',
        is: { 'aria-label': `remove ${term}${ignored.includes(term) ? ', which is ignored' : ''}` },
      })
      return makeElement('li', { children: [remove] })
    }),
  )
  chips.hidden = terms.length === 0
}
