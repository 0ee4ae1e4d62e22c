/** A report as parse5 reads it: what a browser would make of the text. */
import { type DefaultTreeAdapterTypes, parse } from 'parse5'

type Element = DefaultTreeAdapterTypes.Element
type Node = DefaultTreeAdapterTypes.Node

export function elementsOf(html: string): Element[] {
  const found: Element[] = []
  const visit = (node: Node): void => {
    if ('tagName' in node) found.push(node)
    if ('childNodes' in node) for (const child of node.childNodes) visit(child)
  }
  visit(parse(html))
  return found
}

export function attribute({ attrs }: Element, name: string): string | undefined {
  return attrs.find((each) => each.name === name)?.value
}

export function textOf(node: Node): string {
  if ('value' in node && node.nodeName === '#text') return node.value
  if (!('childNodes' in node)) return ''
  return node.childNodes.map((child) => (UNSEEN.has(child.nodeName) ? '' : textOf(child))).join('')
}

/** What a reader sees of the body, runs of space as one. */
export function visibleText(html: string): string {
  const [body] = elementsOf(html).filter(({ tagName }) => tagName === 'body')
  return textOf(body).replace(/[\s\u00a0]+/g, ' ')
}

const UNSEEN: ReadonlySet<string> = new Set(['script', 'style', 'noscript'])

/** Every element with its attributes' names, in document order: what data must never change. */
export function skeleton(html: string): string[] {
  return elementsOf(html).map(
    ({ tagName, attrs }) =>
      `${tagName} ${attrs
        .map(({ name }) => name)
        .sort()
        .join(' ')}`,
  )
}
