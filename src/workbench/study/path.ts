import { shorten } from './describe.ts'

/** The position of something in a file's value: keys and list positions from the top. */
export type Path = readonly PropertyKey[]

/** The part of a value at `path`, or undefined. */
export function valueAt(value: unknown, path: Path): unknown {
  let found = value
  for (const key of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Readonly<Record<PropertyKey, unknown>>)[key] // any object can be read by key
  }
  return found
}

/** `grid.takeProfit.step`; keys that are no plain words are quoted. */
export function pathText(path: Path, whole = 'the file'): string {
  if (path.length === 0) return whole
  return path
    .map((key) => (/^[\w.<-]{1,60}$/.test(String(key)) ? String(key) : JSON.stringify(shorten(String(key)))))
    .join('.')
}

export function isMapping(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
