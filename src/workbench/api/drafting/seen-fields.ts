/** What a body holds, leaf by leaf: names and values as they stand in it, for guesses about what they mean. */
import { fieldsOf } from '../reading/single-values.ts'

/** A text, a number, a yes or no, or a null. */
export interface SeenField {
  /** The keys that lead to it, from the body. */
  readonly path: readonly string[]
  /** Its key without case and punctuation: `max_draw-down` is `maxdrawdown`. */
  readonly name: string
  readonly value: unknown
}

/** Deeper and more than a body for people has. */
const deepest = 6
const mostFields = 400

/** The leaves of `body`, shallow ones first; lists are left out. */
export function seeFields(body: unknown): readonly SeenField[] {
  const seen: SeenField[] = []
  const visit = (value: unknown, path: readonly string[]): void => {
    const fields = fieldsOf(value)
    if (fields === null || path.length === deepest) return
    for (const [key, inner] of Object.entries(fields)) {
      if (seen.length === mostFields) return
      const isLeaf = !Array.isArray(inner) && fieldsOf(inner) === null
      if (isLeaf) seen.push({ path: [...path, key], name: plainName(key), value: inner })
      else visit(inner, [...path, key])
    }
  }
  visit(body, [])
  return seen.toSorted((a, b) => a.path.length - b.path.length)
}

/** A list and the keys that lead to it. */
export interface ListInBody {
  readonly path: readonly string[]
  readonly items: readonly unknown[]
}

/** The longest list of objects in `body`, else its first list; undefined when there is none. */
export function seeList(body: unknown): ListInBody | undefined {
  const lists: ListInBody[] = []
  const visit = (value: unknown, path: readonly string[]): void => {
    if (Array.isArray(value)) lists.push({ path, items: value })
    else if (path.length < deepest) {
      for (const [key, inner] of Object.entries(fieldsOf(value) ?? {})) visit(inner, [...path, key])
    }
  }
  visit(body, [])
  const ofObjects = lists.filter(({ items }) => items.every((item) => fieldsOf(item) !== null))
  return ofObjects.toSorted((a, b) => b.items.length - a.items.length).at(0) ?? lists.at(0)
}

/** The keys that lead to the shallowest object for which `is` holds; undefined when there is none. */
export function seeObject(body: unknown, is: (value: unknown) => boolean): readonly string[] | undefined {
  let level: readonly (readonly [readonly string[], unknown])[] = [[[], body]]
  for (let depth = 0; depth < deepest && level.length > 0; depth++) {
    const found = level.find(([, value]) => is(value))
    if (found !== undefined) return found[0]
    level = level.flatMap(([path, value]) =>
      Object.entries(fieldsOf(value) ?? {})
        .filter(([, inner]) => fieldsOf(inner) !== null)
        .map(([key, inner]) => [[...path, key], inner] as const),
    )
  }
  return undefined
}

/** The value at `path`; undefined when nothing is there. */
export function seenAt(body: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => fieldsOf(value)?.[key], body)
}

export function plainName(key: string): string {
  return key.toLowerCase().replace(/[^a-z0-9]/g, '')
}
