/** A compiler, or a test in a copy, takes seconds for each half-done change: at every run one of them all, another one at each commit; all of them at length. */
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { turn } from '../support/turn.ts'

/** How often each file of this folder asks. */
const asking = readdirSync(import.meta.dirname)
  .filter((name) => name.endsWith('.test.ts'))
  .sort()
  .map((name) => {
    const source = readFileSync(new URL(name, import.meta.url), 'utf8')
    return { name, asks: source.split('(inTurn(').length - 1 }
  })
const all = asking.reduce((sum, { asks }) => sum + asks, 0)

const asked = new Map<string, number>()

/** Of the tests that ask, those of one file after those of the other; `url` is that of the file that asks. */
export function inTurn(isLong: boolean, url: string): boolean {
  const file = basename(url)
  const before = asking
    .slice(
      0,
      asking.findIndex(({ name }) => name === file),
    )
    .reduce((sum, { asks }) => sum + asks, 0)
  const number = asked.get(file) ?? 0
  asked.set(file, number + 1)
  return isLong || before + number === turn % all
}
