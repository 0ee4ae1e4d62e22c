/** Columns of the first layout that hold a time, each with its check. */

/** ISO 8601 UTC with milliseconds: text order is time order. */
const timePattern = '####-##-##T##:##:##.###Z'.replaceAll('#', '[0-9]')

export function timeOrNull(column: string): string {
  return `${column} text check (${column} glob '${timePattern}')`
}

export function time(column: string): string {
  return `${column} text not null check (${column} glob '${timePattern}')`
}
