/** `column_doc`: what every column of every view is, for whoever has only the file. A view like the others, so that it is never older than they are. */
import { type Columns, FIRST_KNOWN, type View } from './column.ts'

const DOC_COLUMNS: Columns = {
  relation: { sql: cell(0), unit: 'text', meaning: 'the view', whenNull: null },
  column_name: { sql: cell(1), unit: 'text', meaning: 'its column', whenNull: null },
  unit: {
    sql: cell(2),
    unit: 'text',
    meaning: 'quote, base, percent, minutes, ms, count, ratio, yes/no (1 or 0), time (ISO 8601 UTC), text or json',
    whenNull: null,
  },
  meaning: { sql: cell(3), unit: 'text', meaning: 'what it says', whenNull: null },
  when_null: { sql: cell(4), unit: 'text', meaning: 'when it is NULL', whenNull: 'where the column never is' },
  since: {
    sql: cell(5),
    unit: 'count',
    meaning: 'layout of the store (pragma user_version) that first had it; 14 is the first that is known',
    whenNull: null,
  },
}

/** Over `views` and itself. */
export function columnDoc(views: Readonly<Record<string, View>>): View {
  const rows = [
    ...Object.entries(views).map(([name, view]) => [name, view.columns] as const),
    ['column_doc', DOC_COLUMNS] as const,
  ]
  const lines = rows.flatMap(([relation, described]) =>
    Object.entries(described).map(([column, { unit, meaning, whenNull, since = 0 }]) =>
      JSON.stringify([relation, column, unit, meaning, whenNull, Math.max(since, FIRST_KNOWN)]),
    ),
  )
  return {
    rows: 'One row per column of every view, this one included.',
    columns: DOC_COLUMNS,
    from: `from json_each('[\n${lines.join(',\n').replaceAll("'", "''")}]')`,
  }
}

/** Of a row of the list. One text is read in no time by whoever opens the file, where five thousand values in SQL take two milliseconds. */
function cell(n: number): string {
  return `json_extract(value, '$[${n}]')`
}
