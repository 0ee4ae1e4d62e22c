/** One field of a configuration as a slider and a number. */
import type { ConfigField } from '../../../../contract/bot.ts'
import { formatValue } from '../../format.ts'
import { readTyped } from '../../model/typed-number.ts'
import { beyondSlider, type SliderRange } from '../../model/what-if.ts'
import { makeElement } from '../make-element.ts'

export interface FieldSlider {
  readonly element: HTMLElement
  /** Shows a value, and why it is refused; leaves alone what the reader is typing. */
  readonly show: (value: number, problem: string | undefined) => void
}

/** After so long a pause a number is typed. */
const TYPED_MS = 400

interface FieldActs {
  /** While the reader moves or types. */
  readonly attempt: (value: number) => void
  /** When the reader lets go, or has typed. */
  readonly keep: (value: number) => void
}

/** @param range null = the field cannot be changed */
export function fieldSlider(
  field: ConfigField,
  { id, stored, range }: { readonly id: string; readonly stored: number; readonly range: SliderRange | null },
  acts: FieldActs,
): FieldSlider {
  const label = makeElement('label', { text: field, is: { for: `${id}-number` } })
  const problemLine = makeElement('p', { class: 'problem', is: { id: `${id}-problem` } })
  const beyondLine = makeElement('p', { class: 'beyond', is: { id: `${id}-beyond` } })
  if (range === null) {
    const value = makeElement('output', { text: `${formatValue(stored)} (fixed)`, is: { id: `${id}-number` } })
    return { element: makeElement('div', { class: 'field', children: [label, value] }), show: () => undefined }
  }
  const { min, max, step } = range
  const slider = makeElement('input', { is: { type: 'range', min, max, step, 'aria-label': `${field}, slider` } })
  const keep = (input: HTMLInputElement) => () => {
    const { value } = readTyped(input.value)
    // whoever typed may have gone to another trial meanwhile
    if (input.isConnected && !Number.isNaN(value)) acts.keep(value)
  }
  // not of the type number: a browser drops the comma of 2,5 there and says nothing
  const number = makeElement('input', {
    is: {
      type: 'text',
      id: `${id}-number`,
      'aria-describedby': `${id}-problem ${id}-beyond`,
      inputmode: 'decimal',
      autocomplete: 'off',
    },
  })
  for (const input of [slider, number]) {
    const other = input === slider ? number : slider
    input.addEventListener('input', () => {
      const { value } = readTyped(input.value)
      if (!Number.isNaN(value)) other.value = String(value)
      acts.attempt(value)
    })
    input.addEventListener('change', keep(input))
  }
  // as the arrows of a field of numbers do
  number.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowUp') slider.stepUp()
    else if (event.key === 'ArrowDown') slider.stepDown()
    else return
    event.preventDefault()
    number.value = slider.value
    number.dispatchEvent(new Event('input'))
  })
  let typedAt = 0
  let asked = 0
  const keepTyped = (): void => {
    if (performance.now() - typedAt >= TYPED_MS) keep(number)()
    else asked = requestAnimationFrame(keepTyped)
  }
  number.addEventListener('input', () => {
    typedAt = performance.now()
    cancelAnimationFrame(asked)
    asked = requestAnimationFrame(keepTyped)
  })
  return {
    element: makeElement('div', { class: 'field', children: [label, slider, number, problemLine, beyondLine] }),
    show(value, problem) {
      if (!Number.isNaN(value) && readTyped(number.value).value !== value) number.value = String(value)
      if (!Number.isNaN(value)) {
        // a typed value may lie beyond the slider
        slider.min = String(Math.min(min, value))
        slider.max = String(Math.max(max, value))
        slider.value = String(value)
      }
      slider.setAttribute('aria-valuetext', formatValue(value))
      const said = Number.isNaN(value) ? (readTyped(number.value).problem ?? problem) : problem
      number.setAttribute('aria-invalid', String(said !== undefined))
      problemLine.textContent = said === undefined ? '' : `${field}: ${said}`
      beyondLine.textContent = said === undefined ? beyondSlider(range, value) : ''
      label.classList.toggle('changed', value !== stored)
    },
  }
}
