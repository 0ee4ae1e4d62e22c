/** Reads the text of a study or config file into its value, with the place of everything in it. It refuses text that is not YAML or too large. */
import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  Parser,
  parseDocument,
  type YAMLMap,
} from 'yaml'
import type { Problem } from '../../errors.ts'
import { type Path, pathText, shorten } from './path.ts'

// YAML nodes → plain values. Aliases, anchors, tags and merge keys are refused: with them a kilobyte can expand to a gigabyte,
// and a study needs none of them. Objects have no prototype, so that a key `__proto__` is only a key.

export interface PlacedProblem {
  readonly offset: number
  readonly message: string
}

interface Offsets {
  readonly key: number | undefined
  readonly value: number
}

/** Collects values, places and refusals in one walk over the nodes. */
class NodeReader {
  readonly problems: PlacedProblem[] = []
  readonly #placeAt: (offset: number) => string
  readonly #offsets = new Map<string, Offsets>()
  readonly #refused = new Set<string>()

  constructor(placeAt: (offset: number) => string) {
    this.#placeAt = placeAt
  }

  read(node: unknown, path: Path, fallback: number, key?: number): unknown {
    // The nodes of a parsed document are Nodes or null.
    const found = node as Node | null
    const offset = found?.range?.[0] ?? fallback
    this.#offsets.set(pathKey(path), { key, value: offset })
    if (found === null) return null
    if (isAlias(found)) {
      this.#refuse(path, offset, 'an alias (*) is not supported; write the value out')
      return undefined
    }
    if (found.tag !== undefined) {
      this.#refuse(path, offset, `a tag (${shorten(found.tag)}) is not supported; a study is plain data`)
      return undefined
    }
    if ((isScalar(found) || isMap(found) || isSeq(found)) && found.anchor !== undefined) {
      this.problems.push({ offset, message: `${pathText(path)}: an anchor (&) is not supported; write the value out` })
    }
    if (isMap(found)) return this.#readMap(found, path)
    if (isSeq(found)) return found.items.map((item, index) => this.read(item, [...path, index], offset))
    if (!isScalar(found)) return undefined
    return found.value === 0 ? 0 : found.value // -0 is 0
  }

  offsetOf(path: Path, target: 'key' | 'value'): number {
    const offsets = this.#offsets.get(pathKey(path))
    if (offsets !== undefined) return target === 'key' ? (offsets.key ?? offsets.value) : offsets.value
    return path.length === 0 ? 0 : this.offsetOf(path.slice(0, -1), 'key')
  }

  isRefused(path: Path): boolean {
    return (
      path.some((_, index) => this.#refused.has(pathKey(path.slice(0, index + 1)))) || this.#refused.has(pathKey([]))
    )
  }

  #readMap(map: YAMLMap, path: Path): Readonly<Record<string, unknown>> {
    const value: Record<string, unknown> = Object.create(null)
    for (const pair of map.items) {
      // As for `read`: keys of a parsed document are Nodes or null.
      const key = pair.key as Node | null
      const offset = key?.range?.[0] ?? map.range?.[0] ?? 0
      if (!isScalar(key) || key.tag !== undefined || key.anchor !== undefined) {
        this.problems.push({ offset, message: `${pathText(path)}: expected a plain word as key` })
        continue
      }
      const name = String(key.value)
      const keyPath = [...path, name]
      if (Object.hasOwn(value, name)) {
        const first = this.#placeAt(this.offsetOf(keyPath, 'key'))
        this.problems.push({ offset, message: `${pathText(keyPath)}: the key is there twice; first at ${first}` })
        continue
      }
      value[name] = this.read(pair.value, keyPath, offset, offset)
    }
    return value
  }

  #refuse(path: Path, offset: number, message: string): void {
    this.#refused.add(pathKey(path))
    this.problems.push({ offset, message: `${pathText(path)}: ${message}` })
  }
}

function pathKey(path: Path): string {
  return JSON.stringify(path.map(String))
}

export interface SourceDocument {
  readonly value: unknown
  /** Problems of the file as YAML. With `isReadable: false` there is no value. */
  readonly problems: readonly PlacedProblem[]
  readonly isReadable: boolean
  /** Offset of the value at `path` or of its key; when it is missing, of the mapping or list that should contain it. */
  readonly offsetOf: (path: Path, target: 'key' | 'value') => number
  /** True inside a value that was refused as YAML: missing parts in it are not reported again. */
  readonly isRefused: (path: Path) => boolean
  /** `file:line:column`, both from 1. */
  readonly placeAt: (offset: number) => string
}

const MAX_BYTES = 1_000_000
/** Words and marks of the YAML lexer; a list takes three per value. */
const MAX_LEXEMES = 20_000
const MAX_DEPTH = 30
const MAX_PROBLEMS = 100

/** The last text without a problem: a study's is asked about again and again, for its trials, its settings, its report. */
let last: { readonly text: string; readonly lines: LineCounter; readonly document: SourceDocument } | undefined

function placesOf(file: string, lines: LineCounter): SourceDocument['placeAt'] {
  return (offset) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`
  }
}

export function readSourceDocument(text: string, file: string): SourceDocument {
  if (last?.text === text) return { ...last.document, placeAt: placesOf(file, last.lines) }
  const lines = new LineCounter()
  const placeAt = placesOf(file, lines)
  const unreadable = (problems: readonly PlacedProblem[]): SourceDocument => {
    return { value: undefined, problems, isReadable: false, offsetOf: () => 0, isRefused: () => true, placeAt }
  }
  const excess = findExcess(text, lines)
  if (excess !== undefined) return unreadable([excess])

  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: false, // the library compares each key with all before it; `readMap` finds duplicates
    prettyErrors: false,
    logLevel: 'error', // 'silent' would also accept a second document in the file
    strict: true,
  })
  const { yaml } = document.directives ?? {}
  const syntax = document.errors.map(({ code, pos, message }) => ({
    offset: pos[0],
    message:
      code === 'MULTIPLE_DOCS' ? 'expected one document, found a second one' : `not YAML: ${message.slice(0, 200)}`,
  }))
  if (yaml?.explicit && yaml.version !== '1.2') {
    syntax.push({ offset: 0, message: `%YAML ${yaml.version}: expected YAML 1.2, in which "no" is a word` })
  }
  if (syntax.length > 0) return unreadable(syntax)

  const reader = new NodeReader(placeAt)
  const value = reader.read(document.contents, [], 0)
  const read: SourceDocument = {
    value,
    problems: reader.problems,
    isReadable: true,
    offsetOf: (path, target) => reader.offsetOf(path, target),
    isRefused: (path) => reader.isRefused(path),
    placeAt,
  }
  if (reader.problems.length === 0) last = { text, lines, document: read }
  return read
}

/** All problems in the order of the file; a file with very many is cut. */
export function placeProblems(document: SourceDocument, problems: readonly PlacedProblem[]): readonly Problem[] {
  const sorted = problems.toSorted((a, b) => a.offset - b.offset)
  const shown = sorted
    .slice(0, MAX_PROBLEMS)
    .map(({ offset, message }) => ({ place: document.placeAt(offset), message }))
  const hidden = sorted.slice(MAX_PROBLEMS)
  if (hidden.length === 0) return shown
  return [...shown, { place: document.placeAt(hidden[0].offset), message: `… and ${hidden.length} more problems` }]
}

/**
 * Refuses a file that is too large or too deeply nested before it is parsed: the YAML composer is recursive, and deep nesting
 * made it compile regular expressions that filled the memory. Lexer and parser are generators, so reading stops at the first
 * broken limit.
 */
function findExcess(text: string, lines: LineCounter): PlacedProblem | undefined {
  const bytes = Buffer.byteLength(text)
  if (bytes > MAX_BYTES) return { offset: 0, message: `the file has ${bytes} bytes; expected at most ${MAX_BYTES}` }
  lines.addNewLine(0)
  const parser = new Parser(lines.addNewLine)
  let lexemes = 0
  let offset = 0
  for (const lexeme of new Lexer().lex(text)) {
    for (const _token of parser.next(lexeme)); // only the depth of its stack matters here
    offset = parser.offset
    lexemes++
    if (parser.stack.length > MAX_DEPTH) return { offset, message: `nested deeper than ${MAX_DEPTH} levels` }
    if (lexemes > MAX_LEXEMES) {
      return { offset, message: `more than ${MAX_LEXEMES} words and marks; write long lists as { from, to, step }` }
    }
  }
  return undefined
}
