/**
 * The script of the guide's one page. A search leaves the sections that hold every word of it, with the title of their page; the words stand in the
 * address, so that a link or a reload finds the same.
 */

interface Section {
  readonly element: HTMLElement
  readonly article: HTMLElement
  /** Its page's title, its own heading and its text, in small letters. */
  readonly text: string
}

const field = need<HTMLInputElement>('#search')
const found = need<HTMLElement>('#found')
const links = [...document.querySelectorAll<HTMLAnchorElement>('nav a')]
const sections: readonly Section[] = [...document.querySelectorAll<HTMLElement>('article > section')].map((element) => {
  const article = element.parentElement ?? element
  const title = article.querySelector('h2')?.textContent ?? ''
  return { element, article, text: `${title} ${element.textContent}`.toLowerCase() }
})

function need<T extends Element>(selector: string): T {
  const element = document.querySelector<T>(selector)
  if (element === null) throw new Error(`the page has no ${selector}`)
  return element
}

/** Shows what holds every word; everything where there is none. */
function search(): void {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
  const hits = new Set(sections.filter(({ text }) => words.every((word) => text.includes(word))))
  const pages = new Set([...hits].map(({ article }) => article))
  for (const section of sections) section.element.hidden = !hits.has(section)
  for (const { article } of sections) article.hidden = !pages.has(article)
  for (const link of links) {
    const page = document.querySelector(link.hash)?.closest('article')
    link.hidden = page !== null && page !== undefined && !pages.has(page)
  }
  found.textContent = words.length === 0 ? '' : `${hits.size} of ${sections.length} sections, on ${pages.size} pages`
  mark(words, hits)
}

/** Paints the words where the browser can paint a range; elsewhere they are found, only not coloured. */
function mark(words: readonly string[], hits: ReadonlySet<Section>): void {
  if (!('highlights' in CSS)) return
  CSS.highlights.clear()
  if (words.length === 0) return
  const ranges: Range[] = []
  for (const { element } of hits) {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
    while (walker.nextNode()) ranges.push(...rangesIn(walker.currentNode, words))
  }
  CSS.highlights.set('found', new Highlight(...ranges))
}

function rangesIn(node: Node, words: readonly string[]): Range[] {
  const text = (node.textContent ?? '').toLowerCase()
  return words.flatMap((word) => {
    const ranges: Range[] = []
    for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + word.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + word.length)
      ranges.push(range)
    }
    return ranges
  })
}

const PREFIX = '#search='

function readAddress(): void {
  if (!location.hash.startsWith(PREFIX)) return
  field.value = decodeURIComponent(location.hash.slice(PREFIX.length))
  search()
}

field.addEventListener('input', () => {
  history.replaceState(null, '', field.value === '' ? '#' : PREFIX + encodeURIComponent(field.value))
  search()
})

/** A link leads to a section that the search may have hidden. */
document.addEventListener('click', (event) => {
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>('a[href^="#"]') : null
  const target = link === null ? null : document.querySelector<HTMLElement>(link.hash)
  if (target === null || (!target.hidden && link?.closest('nav') === null)) return
  field.value = ''
  search()
})

document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target === field) return
  event.preventDefault()
  field.focus()
})

addEventListener('hashchange', readAddress)
readAddress()
