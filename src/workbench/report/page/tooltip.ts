/** The tooltip of every chart: a title and pairs of label and value, always as text. A tap shows it as well as a pointer. */

/** As Vega calls it. `value` is a text of `tooltipText`: lines, label and value separated by a tab. */
export function showTooltip(_handler: unknown, event: MouseEvent, _item: unknown, value: unknown): void {
  const box = document.getElementById('tooltip')
  if (box === null) return
  if (typeof value !== 'string' || value === '') {
    box.hidden = true
    return
  }
  const [title, ...pairs] = value.split('\n')
  const heading = document.createElement('strong')
  heading.textContent = title
  box.replaceChildren(heading, ...pairs.map(pairLine))
  box.hidden = false
  placeBeside(box, event)
}

function pairLine(pair: string): HTMLElement {
  const line = document.createElement('div')
  line.className = 'pair'
  for (const text of pair.split('\t')) {
    const part = document.createElement('span')
    part.textContent = text
    line.append(part)
  }
  return line
}

function placeBeside(box: HTMLElement, { clientX, clientY }: MouseEvent): void {
  const { width, height } = box.getBoundingClientRect()
  const left = clientX + 14 + width > innerWidth ? clientX - width - 14 : clientX + 14
  const top = clientY + 14 + height > innerHeight ? clientY - height - 14 : clientY + 14
  box.style.setProperty('left', `${Math.max(4, left)}px`)
  box.style.setProperty('top', `${Math.max(4, top)}px`)
}
