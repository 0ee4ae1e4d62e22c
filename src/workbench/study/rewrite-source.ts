/**
 * The text of a valid study file with other parts in it. Comments and the order of keys stay, but for what was said behind a value that is
 * replaced; spaces may change.
 */
import { isScalar, parseDocument } from 'yaml'

export interface Rewriting {
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
