/** How people name what a service gave an id to: by the first characters of it. */

/** Fewer characters of an id would be a guess. */
export const FEWEST_CHARACTERS = 4

/** Many services begin each id alike, as ours does (`bot_`, `job_`): the digits after that are the first characters, too. */
export function isNamedBy(id: string, named: string): boolean {
  return id.startsWith(named) || id.replace(/^[a-z]+[_-]/i, '').startsWith(named)
}
