/** One value of a row as text: for tables, CSV, Markdown and lines. */

/** Cells of the table are cut; every other spelling has the whole texts. */
const widestCell = 64

export function tableCell(value: unknown): string | number | null {
  if (value === null || typeof value === 'number') return value
  const text = String(value).replaceAll('\n', ' ')
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text
}

/** RFC 4180; text that a spreadsheet would run as a formula gets a leading apostrophe, numbers stay numbers. */
export function csvCell(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  const text = String(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** The whole value; unknown is a dash, as in tables. */
export function lineCell(value: unknown): string {
  return value === null ? '-' : String(value)
}

/** One line, in which nothing is markup. */
export function markdownCell(value: unknown): string {
  return lineCell(value)
    .replace(/\r?\n/g, ' ')
    .replace(/[\\|`*_[\]<>~]/g, (character) => (character === '<' ? '&lt;' : `\\${character}`))
}
