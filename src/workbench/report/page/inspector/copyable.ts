/** Texts to take along: a command, a file. */
import { makeButton, makeElement } from '../make-element.ts'

/** A line with a button that copies it; where the browser does not let us, the text is selected for the reader to copy. */
export function copyableLine(text: string): HTMLElement {
  const code = makeElement('code', { text })
  return makeElement('div', { class: 'copyable', children: [code, copyButton(code, `Copy ${text}`)] })
}

export function copyableBlock(text: string, what: string): HTMLElement {
  const block = makeElement('pre', { text, is: { tabindex: 0 } })
  return makeElement('div', { class: 'copyable', children: [block, copyButton(block, `Copy ${what}`)] })
}

function copyButton(source: HTMLElement, name: string): HTMLButtonElement {
  const button = makeButton('Copy', () => void copy(), { is: { 'aria-label': name } })
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(source.textContent ?? '')
      button.textContent = 'Copied'
    } catch {
      getSelection()?.selectAllChildren(source)
      button.textContent = 'Selected'
    }
  }
  return button
}
