/**
 * The text of a valid study file with other parts in it. Comments and the order of keys stay, except a comment behind a value
 * that is replaced; spaces may change.
 */
import { isMap, isNode, isScalar, parseDocument } from 'yaml'

interface Rewriting {
  /** A value in the place of what is there; undefined = its key is left out. */
  readonly parts: readonly (readonly [path: readonly [string, ...string[]], value: unknown])[]
  /** Said in comments above the first key. A file of JSON has no place for it. */
  readonly origin?: readonly string[]
}

export function rewriteSource(source: string, { parts, origin = [] }: Rewriting): string {
  const document = parseDocument(source, { version: '1.2', schema: 'core', merge: false })
  for (const [path, value] of parts) {
    if (value === undefined) document.deleteIn(path)
    else if (isScalar(document.getIn(path, true))) document.setIn(path, value)
    else document.setIn(path, document.createNode(value, { flow: true }))
  }
  if (isJson(source)) return `${JSON.stringify(document.toJS(), null, 2)}\n`
  return withOrigin(document.toString({ lineWidth: 0 }), origin)
}

/** Below the comments at the top, the first line of which may be for an editor. */
function withOrigin(text: string, origin: readonly string[]): string {
  if (origin.length === 0) return text
  const lines = text.split('\n')
  const at = lines.findIndex((line) => /^[^#]/.test(line))
  const said = origin.map((line) => `# ${line}`)
  return [...lines.slice(0, at), ...(at > 0 ? ['#'] : []), ...said, ...lines.slice(at)].join('\n')
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

// The text of a study file in which some top-level mappings are others; all else stays as it is, to the last space.

/** What stands in the place of a value, or is new. */
type ReplacedMapping = Readonly<Record<string, string | number>>

/**
 * Comments inside a mapping that is replaced go with it; a comment behind it on its line stays.
 * @param source a valid study file (YAML or JSON)
 */
export function replaceMappings(source: string, mappings: Readonly<Record<string, ReplacedMapping>>): string {
  return Object.entries(mappings).reduce((text, [key, mapping]) => replaceMapping(text, key, mapping), source)
}

function replaceMapping(text: string, key: string, mapping: ReplacedMapping): string {
  const root = parseDocument(text, { version: '1.2', schema: 'core', merge: false }).contents
  if (!isMap(root)) throw new Error('a study file is a mapping')
  const isFlow = root.flow === true
  const written = isFlow ? JSON.stringify(mapping) : inFlow(mapping)
  const pair = root.items.find((item) => isScalar(item.key) && item.key.value === key)
  if (pair === undefined) return isFlow ? insert(text, endOf(root), key, written) : append(text, `${key}: ${written}`)
  const colon = text.indexOf(':', endOf(pair.key))
  const valueEnd = Math.max(colon + 1, endOf(pair.value))
  // A mapping over several lines ends behind its last line break.
  const end = colon + 1 + text.slice(colon + 1, valueEnd).trimEnd().length
  return `${text.slice(0, colon + 1)} ${written}${text.slice(end)}`
}

function endOf(node: unknown): number {
  return isNode(node) ? (node.range?.[1] ?? 0) : 0
}

/** Words and numbers that YAML reads back as they are. */
function inFlow(mapping: ReplacedMapping): string {
  const pairs = Object.entries(mapping).map(([name, value]) => `${name}: ${value}`)
  return `{ ${pairs.join(', ')} }`
}

function append(text: string, line: string): string {
  const lineBreak = text.includes('\r\n') ? '\r\n' : '\n'
  const separator = text === '' || text.endsWith('\n') ? '' : lineBreak
  return `${text}${separator}${line}${lineBreak}`
}

/** Before the brace that closes a mapping; a study has keys before it. */
function insert(text: string, end: number, key: string, written: string): string {
  const before = text.slice(0, end - 1).trimEnd()
  const separator = before.endsWith(',') ? ' ' : ', '
  return `${before}${separator}${JSON.stringify(key)}: ${written}${text.slice(before.length)}`
}
