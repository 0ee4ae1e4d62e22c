/** A statement cut into words as SQLite cuts it, to find names and parameters that are not inside a text or a comment. */

export type TokenKind = 'space' | 'comment' | 'text' | 'quoted' | 'parameter' | 'number' | 'name' | 'sign'

export interface Token {
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
export function bareName(text: string): string {
  const quote = text.charAt(0)
  if (quote === '[') return text.slice(1, -1)
  return quote === '"' || quote === '`' ? text.slice(1, -1).replaceAll(quote + quote, quote) : text
}
