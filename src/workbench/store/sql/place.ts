/**
 * Where a statement is wrong. SQLite's message names a word and no place, and the word may stand there several times, so the
 * statement is prepared again with a change at each candidate: the place is where the change changes the message.
 */
import { suggest } from '../../../errors.ts'

// A statement cut into words as SQLite cuts it, to find names and parameters that are not inside a text or a comment.

type TokenKind = 'space' | 'comment' | 'text' | 'quoted' | 'parameter' | 'number' | 'name' | 'sign'

interface Token {
  readonly kind: TokenKind
  readonly text: string
  /** Where it begins in the statement. */
  readonly at: number
}

/** In the order in which they are tried. A text, a quoted name and a comment that are not closed go on to the end. */
const KINDS: readonly (readonly [TokenKind, RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ['text', /'[^']*(?:''[^']*)*(?:'|$)/y],
  ['quoted', /"[^"]*(?:""[^"]*)*(?:"|$)|`[^`]*(?:``[^`]*)*(?:`|$)|\[[^\]]*(?:\]|$)/y],
  ['parameter', /\?\d*|[:@$#][\w$\u0080-\uffff]+/y],
  ['number', /\d[\w.]*|\.\d\w*/y],
  ['name', /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y],
  ['sign', /[\s\S]/y],
]

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < sql.length; at += tokens[tokens.length - 1].text.length) tokens.push(tokenAt(sql, at))
  return tokens
}

function tokenAt(sql: string, at: number): Token {
  for (const [kind, pattern] of KINDS) {
    pattern.lastIndex = at
    const text = pattern.exec(sql)?.[0]
    if (text !== undefined) return { kind, text, at }
  }
  throw new Error(`the last kind of token takes any character; found none at ${at}`)
}

/** The name that a bare or quoted name stands for. */
function bareName(text: string): string {
  const quote = text.charAt(0)
  if (quote === '[') return text.slice(1, -1)
  return quote === '"' || quote === '`' ? text.slice(1, -1).replaceAll(quote + quote, quote) : text
}

/** The store that the statement was meant for. */
export interface Asked {
  /** Prepares a statement. @returns SQLite's message, or undefined where it has nothing to say against it */
  prepare(sql: string): string | undefined
  views(): readonly string[]
  columnsOf(view: string): readonly string[]
}

interface SqlTrouble {
  /** SQLite's words with what may have been meant, and below them the line with a caret. */
  readonly message: string
  /** Both from 1; absent where SQLite names no word. */
  readonly place: { readonly line: number; readonly column: number } | undefined
}

/** A statement with more places to try is reported without one. */
const mostTries = 200
/** A name that no statement has. */
const probe = 'dcalab_probe_of_a_name'
const longestQualifier = 200
/** Lines are cut to so many characters around the caret. */
const widestLine = 100

export function describeTrouble(sql: string, message: string, store: Asked): SqlTrouble {
  const words = message + suggestFor(sql, message, store)
  const at = findPlace(sql, message, store.prepare)
  if (at === undefined) return { message: words, place: undefined }
  const lineStart = sql.lastIndexOf('\n', at - 1) + 1
  const line = sql.slice(0, lineStart).split('\n').length
  const column = at - lineStart + 1
  const whole = sql.slice(lineStart).split(/\r?\n/, 1)[0]
  const from = column <= widestLine ? 0 : column - Math.floor(widestLine / 2)
  const lead = `line ${line}: ${from === 0 ? '' : '…'}`
  const shown = whole.slice(from, from + widestLine).replaceAll('\t', ' ')
  const cut = whole.length > from + widestLine ? '…' : ''
  return {
    message: `${words}\n${lead}${shown}${cut}\n${' '.repeat(lead.length + column - 1 - from)}^`,
    place: { line, column },
  }
}

function findPlace(sql: string, message: string, prepare: Asked['prepare']): number | undefined {
  const tokens = tokensOf(sql).filter(({ kind }) => kind !== 'space' && kind !== 'comment')
  if (message === 'incomplete input') {
    const last = tokens.at(-1)
    return last === undefined ? undefined : last.at + last.text.length
  }
  const word = /^near "([\s\S]*)": syntax error$|^unrecognized token: "([\s\S]*)"$/.exec(message)
  if (word !== null) return findWord(sql, tokens, word[1] ?? word[2], (start) => prepare(start) === message)
  const name = namedIn(message)
  return name === undefined ? undefined : findName(sql, tokens, name, prepare)
}

/** The first word of this text up to which the statement is refused in the same way. */
function findWord(sql: string, tokens: readonly Token[], word: string, isRefused: (start: string) => boolean) {
  return tokens
    .filter(({ at }) => sql.startsWith(word, at))
    .slice(0, mostTries)
    .find(({ at }) => isRefused(sql.slice(0, at + word.length)))?.at
}

/**
 * The name that SQLite misses when it is spelt in another way. So it misses a name that is right, too, and reports whichever it
 * meets first; among several it is the one that the statement can do without.
 */
function findName(sql: string, tokens: readonly Token[], name: string, prepare: Asked['prepare']): number | undefined {
  const without = ({ at, text }: Token, other: string) =>
    prepare(sql.slice(0, at) + other + sql.slice(at + text.length))
  const candidates = tokens
    .filter(({ kind, text }) => (kind === 'name' || kind === 'quoted') && isSame(bareName(text), name))
    .slice(0, mostTries)
  const missed = candidates.filter((token) => without(token, probe)?.includes(probe))
  const message = prepare(sql)
  const spared = missed.find((token) => {
    const then = without(qualified(sql, token), 'null')
    return then !== message && !/syntax error/.test(then ?? '')
  })
  return (spared ?? missed.at(0) ?? candidates.at(0))?.at
}

/** The name with the table before its dot. */
function qualified(sql: string, { kind, text, at }: Token): Token {
  const before =
    /(?:[\w$\u0080-\uffff]+|"[^"]*")\s*\.\s*$/.exec(sql.slice(Math.max(0, at - longestQualifier), at))?.[0] ?? ''
  return { kind, text: before + text, at: at - before.length }
}

/** `no such column: r."profit" - should this be …` → profit */
function namedIn(message: string): string | undefined {
  const named =
    /^(?:no such (?:table|column|function|index|collation sequence|window)|ambiguous column name|no such table column): (.+?)(?: - should this be .*)?$/.exec(
      message,
    )?.[1] ?? /function (\w+)\(\)/.exec(message)?.[1]
  if (named === undefined) return undefined
  const names = tokensOf(named).filter(({ kind }) => kind === 'name' || kind === 'quoted')
  return bareName(names.at(-1)?.text ?? named)
}

/** Views, and columns of the views that the statement reads. */
function suggestFor(sql: string, message: string, store: Asked): string {
  const name = namedIn(message)
  const isTable = message.startsWith('no such table:')
  if (name === undefined || !(isTable || message.startsWith('no such column:'))) return ''
  const views = store.views()
  if (isTable) return suggest(name, views)
  const words = new Set(tokensOf(sql).map(({ text }) => bareName(text).toLowerCase()))
  const read = views.filter((view) => words.has(view.toLowerCase()))
  const columns = (read.length > 0 ? read : views).flatMap((view) => store.columnsOf(view))
  return columns.some((column) => isSame(column, name)) ? '' : suggest(name, [...new Set(columns)]) // of a view it is not asked of
}

function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
