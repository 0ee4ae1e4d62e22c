const instantPattern = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Reads an ISO 8601 date (00:00Z) or an instant with its zone; ms UTC, or undefined for anything else, 30 February included. */
export function parseInstant(text: string): number | undefined {
  const date = instantPattern.exec(text)?.[1]
  const midnight = date === undefined ? Number.NaN : Date.parse(`${date}T00:00:00Z`)
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== date) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
