/** A row of a table in Markdown. */
export function pageRow(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}
