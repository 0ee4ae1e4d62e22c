/** A value of a file as a problem shows it: short, with quotes around text, in the notation of YAML. */
export function describe(value: unknown): string {
  if (value === undefined || value === null) return 'nothing'
  if (typeof value === 'string') return JSON.stringify(shorten(value))
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : `a list of ${value.length}`
  if (typeof value === 'object') return 'a mapping'
  if (typeof value === 'number' && !Number.isFinite(value))
    return Number.isNaN(value) ? '.nan' : `${value < 0 ? '-' : ''}.inf`
  return String(value)
}

export function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text
}

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
