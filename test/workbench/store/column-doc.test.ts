/**
 * Every column of every view says what it is, in the store itself and on a page. After a change of a column,
 * `npx vitest run --config test/vitest.config.ts test/workbench/store/column-doc.test.ts -u` writes the page again.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { METRICS } from '../../../src/contract/metrics.ts'
import { FIRST_LAYOUT, MIGRATIONS } from '../../../src/workbench/store/migrate.ts'
import type { Store } from '../../../src/workbench/store/store.ts'
import type { ViewColumn } from '../../../src/workbench/store/views/shared-columns.ts'
import { FIRST_KNOWN, VIEW_ROWS, VIEWS } from '../../../src/workbench/store/views.ts'
import { runSelect } from '../../support/run-select.ts'
import { openTemporary } from './setup.ts'

let store: Store
beforeAll(() => {
  store = openTemporary().store
})
afterAll(() => store.close())

it('names exactly the columns that the views of a real store have', () => {
  const inStore = Object.keys(VIEWS).flatMap((view) =>
    store.db
      .prepare<[string], { name: string }>('select name from pragma_table_info(?)')
      .all(view)
      .map(({ name }) => `${view}.${name}`),
  )
  const described = runSelect(store.path, 'select relation, column_name from column_doc').rows
  expect(described.map(([view, column]) => `${view}.${column}`).sort()).toEqual(inStore.sort())
})

it('answers an analyst who has only the file', () => {
  const { rows } = runSelect(
    store.path,
    "select unit, meaning, when_null, since from column_doc where relation = 'answers' and column_name = 'take_profit_percent'",
  )
  expect(rows).toEqual([['percent', 'Percent above the average price at which the whole position is sold', null, 14]])
})

it('stands beside every column in the text of its view', () => {
  const read = store.db.prepare<[string], string>('select sql from sqlite_schema where name = ?').pluck()
  const bare = Object.entries(VIEW_ROWS).flatMap(([view, { columns }]) => {
    const text = read.get(view) ?? ''
    return Object.entries(columns)
      .filter(
        ([name, { unit, meaning }]) => !new RegExp(` as ${name},? -- ${unit}: `).test(text) || !text.includes(meaning),
      )
      .map(([name]) => `${view}.${name}`)
  })
  expect(bare).toEqual([])
})

it('says since which layout there is a metric: where it came after the first that is known, the one whose text first names it', () => {
  const wrong = Object.values(METRICS).filter(({ column }) => {
    const since = VIEW_ROWS.results.columns[column].since ?? 1
    const named = FIRST_LAYOUT + MIGRATIONS.findIndex((text) => new RegExp(`\\b${column}\\b`).test(text))
    return named === FIRST_LAYOUT ? since > FIRST_LAYOUT : since !== named
  })
  expect(wrong.map(({ column }) => column)).toEqual([])
})

it('VIEWS.md is the rows of the views, written out', async () => {
  await expect(page()).toMatchFileSnapshot('../../../src/workbench/store/VIEWS.md')
})

function page(): string {
  const sections = Object.entries(VIEW_ROWS).map(
    ([name, { rows, columns }]) =>
      `## ${name}\n\n${rows}\n\n| column | unit | meaning | NULL | since |\n|---|---|---|---|---|\n${Object.entries(columns).map(line).join('\n')}`,
  )
  return `# The views and their columns

What analysts are promised of \`data/workbench.sqlite\`. In the store itself the same stands in \`column_doc\`:
\`dcalab sql "select * from column_doc where relation = 'answers'"\`. Begin with \`answers\`. Views and columns keep name and meaning in 1.x; new ones are added.
\`since\` is the layout of the store (\`pragma user_version\`) that first had it; ${FIRST_KNOWN} is the first that is known. Amounts are in quote currency unless they say otherwise.

${sections.join('\n\n')}

These tables are the rows of \`views/\`, written out; a test keeps both alike.
`
}

function line([name, { unit, meaning, whenNull, since = 0 }]: [string, ViewColumn]): string {
  return `| \`${name}\` | ${unit} | ${meaning.replaceAll('|', '\\|').replaceAll('<', '&lt;')} | ${whenNull ?? 'never'} | ${Math.max(since, FIRST_KNOWN)} |`
}
