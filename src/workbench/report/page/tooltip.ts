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

/** How far from a finger a mark may lie, in pixels: half of the 44 that a touch target should have. */
const REACH = 22

/** Vega shows tooltips when a pointer moves over a mark; a tap moves none. */
export function answerTaps(): void {
  let lastPointer = ''
  addEventListener('pointerdown', ({ pointerType }) => (lastPointer = pointerType), true)
  addEventListener('click', (event) => {
    if (lastPointer !== 'touch' || event.defaultPrevented) return
    const place = event.target instanceof Element ? event.target.closest('.plot') : null
    showTooltip(null, event, null, place === null ? '' : nearestTooltip(place, event))
  })
}

/** The tooltip of the mark under a finger, or of the nearest one that it can have meant. */
function nearestTooltip(place: Element, { clientX, clientY }: MouseEvent): string | undefined {
  const marks = [...place.querySelectorAll('path')].flatMap((path) => {
    const { left, right, top, bottom } = path.getBoundingClientRect()
    const { __data__: item } = path as { readonly __data__?: { readonly tooltip?: unknown } } // Vega keeps its item there
    const distance = Math.hypot(
      Math.max(left - clientX, 0, clientX - right),
      Math.max(top - clientY, 0, clientY - bottom),
    )
    const fromCentre = Math.hypot((left + right) / 2 - clientX, (top + bottom) / 2 - clientY)
    return typeof item?.tooltip === 'string' && distance <= REACH ? [{ text: item.tooltip, distance, fromCentre }] : []
  })
  return marks.sort((a, b) => a.distance - b.distance || a.fromCentre - b.fromCentre).at(0)?.text
}
