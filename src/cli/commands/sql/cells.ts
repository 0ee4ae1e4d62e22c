/** One value of a row as text: for tables, CSV, Markdown and lines. */

/** Cells of the table are cut; every other spelling has the whole texts. */
const widestCell = 64

export function tableCell(value: unknown): string | number | null {
  if (value === null || typeof value === 'number') return value
  const text = String(value).replaceAll('\n', ' ')
  return text.length > widestCell ? `${text.slice(0, widestCell - 1)}…` : text
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
