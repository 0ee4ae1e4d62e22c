/** The recipes of a page of the guide: fenced text under a comment that names it. */
import { readFileSync } from 'node:fs'

/** @param page in `src/guide/` */
export function readRecipes(page: string): ReadonlyMap<string, string> {
  const text = readFileSync(new URL(`../../src/guide/${page}`, import.meta.url), 'utf8')
  const found = text.matchAll(/<!-- recipe: ([a-z ]+) -->\n```\w+\n([\s\S]*?)```/g)
  return new Map([...found].map(([, name, recipe]) => [name, recipe]))
}
