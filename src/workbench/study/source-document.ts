/** Reads the text of a study or config file into its value, with the place of everything in it. It refuses text that is not YAML or too large. */
import { Lexer, LineCounter, Parser, parseDocument } from 'yaml'
import type { Problem } from '../../errors.ts'
import { NodeReader, type PlacedProblem } from './node-reader.ts'
import type { Path } from './path.ts'

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

export function readSourceDocument(text: string, file: string): SourceDocument {
  const lines = new LineCounter()
  const placeAt = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${Math.max(line, 1)}:${Math.max(col, 1)}`
  }
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
  return {
    value,
    problems: reader.problems,
    isReadable: true,
    offsetOf: (path, target) => reader.offsetOf(path, target),
    isRefused: (path) => reader.isRefused(path),
    placeAt,
  }
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
