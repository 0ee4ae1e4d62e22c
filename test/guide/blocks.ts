/** The blocks of the guide's pages that a reader types, and what each line of them calls. */
import { readFileSync } from 'node:fs'

export interface Block {
  /** The page's file name and the line on which the block begins. */
  readonly place: string
  /** Why the test does not run it; it is read all the same. */
  readonly notRun: string | undefined
  readonly lines: readonly Line[]
}

export interface Line {
  readonly text: string
  /** What `dcalab` is given; undefined for a line that calls something else. */
  readonly args: readonly string[] | undefined
  /** Where its output goes. */
  readonly into: string | undefined
}

/** @param page in `src/guide/` */
export function readBlocks(page: string): readonly Block[] {
  const text = readFileSync(new URL(`../../src/guide/${page}`, import.meta.url), 'utf8')
  return [...text.matchAll(/(?:<!-- not run: (.+) -->\n)?^```sh\n([\s\S]*?)^```/gm)].map((match) => ({
    place: `${page}:${text.slice(0, match.index).split('\n').length}`,
    notRun: match[1],
    lines: match[2].trimEnd().split('\n').map(readLine),
  }))
}

/** As a shell reads it, so far as the guide goes: quotes, a comment, a file for the output, a pipe to another program. */
function readLine(text: string): Line {
  const words = [...text.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|([^\s"']+)/g)].map(([whole, double, single]) => ({
    word: double ?? single ?? whole,
    isQuoted: whole !== (double ?? single ?? whole),
  }))
  const end = words.findIndex(
    ({ word, isQuoted }) => !isQuoted && (word.startsWith('#') || word === '|' || word.startsWith('>')),
  )
  const command = (end < 0 ? words : words.slice(0, end)).map(({ word }) => word)
  const into = end < 0 ? undefined : /^>+(.+)/.exec(words[end].word)?.[1]
  const [first, ...args] = command
  return { text, args: first === './dcalab' || first === 'dcalab' ? args : undefined, into }
}
