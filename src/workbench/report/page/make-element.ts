/** Elements of the page made by its script. Texts are set as text, so that nothing foreign becomes markup. */

interface ElementParts {
  readonly class?: string
  readonly text?: string
  /** Attributes by name; false = none. */
  readonly is?: Readonly<Record<string, string | number | false>>
  readonly children?: readonly (Node | string)[]
}

export function makeElement<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  { class: name, text, is = {}, children = [] }: ElementParts = {},
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag)
  if (name !== undefined && name !== '') element.className = name
  for (const [attribute, value] of Object.entries(is)) {
    if (value !== false) element.setAttribute(attribute, String(value))
  }
  if (text === undefined) element.append(...children)
  else element.textContent = text
  return element
}

/** A table with a caption and heads of its columns; its rows are the caller's. */
export function plainTable(caption: string, heads: readonly (string | HTMLElement)[], rows: readonly Node[]): Node[] {
  const cells = heads.map((head) =>
    typeof head === 'string' ? makeElement('th', { text: head, is: { scope: 'col' } }) : head,
  )
  return [
    makeElement('caption', { text: caption }),
    makeElement('thead', { children: [makeElement('tr', { children: cells })] }),
    makeElement('tbody', { children: rows }),
  ]
}

/** A button that does one thing. */
export function makeButton(text: string, act: () => void, parts: Omit<ElementParts, 'text'> = {}): HTMLButtonElement {
  const button = makeElement('button', { ...parts, text, is: { type: 'button', ...parts.is } })
  button.addEventListener('click', act)
  return button
}

// A reader with a keyboard stays in place.

/**
 * Runs `act`. If that remakes, hides or disables the control that has the focus, the control of the same name gets it, else the one in its place,
 * else `otherwise`.
 * @param part what may be remade
 */
export function keepFocus<Made>(part: HTMLElement, act: () => Made, otherwise: HTMLElement = part): Made {
  const held = document.activeElement
  if (!(held instanceof HTMLElement) || held === part || !part.contains(held)) return act()
  const alike = (): HTMLElement[] => [...part.querySelectorAll<HTMLElement>(held.localName)]
  const [place, name] = [alike().indexOf(held), nameOf(held)]
  const made = act()
  const isGone = !held.isConnected
  if (!isGone && canTakeFocus(held)) return made
  const left = alike().filter(canTakeFocus)
  const next = left.find((each) => nameOf(each) === name) ?? (isGone ? (left[place] ?? left.at(-1)) : undefined)
  takeFocus(next ?? otherwise)
  return made
}

/** Without a question to the layout, which a step of a slider would wait for. */
function canTakeFocus(control: HTMLElement): boolean {
  return !control.matches(':disabled, [hidden], [hidden] *')
}

function nameOf(control: HTMLElement): string | null {
  return control.getAttribute('aria-label') ?? control.textContent
}

/** Also what is no control: the next key goes on from there, and a screen reader says what it is. The page does not move. */
export function takeFocus(place: HTMLElement): void {
  if (place.tabIndex < 0) place.tabIndex = -1
  place.focus({ preventScroll: true })
}

// Texts to take along: a command, a file.

export function copyButton(source: HTMLElement, name: string): HTMLButtonElement {
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
