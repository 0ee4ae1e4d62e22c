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
