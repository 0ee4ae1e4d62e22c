/** A new column of a promised view, file by file, and what a half-done one meets. */
import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap, isFile } from './map.ts'
import { compileErrors, inCopyWith } from './mutant.ts'

/** In this order, for a column that a table has; else a migration comes first. */
const FILES = [
  'src/workbench/store/views/spending-views.ts', // its row: SQL, unit, meaning, when it is NULL, since
  'src/workbench/store/VIEWS.md', // written by `vitest run … test/workbench/store/column-doc.test.ts -u`
]

const view = 'src/workbench/store/views/spending-views.ts'

it('a view column takes two files, all named by the map', () => {
  expect(FILES.filter((file) => !isFile(file))).toEqual([])
  const named = filesOnTheMap('a view column')
  expect(FILES.filter((file) => !named.some((name) => file.endsWith(name)))).toEqual([])
})

it.runIf(inTurn(isLong, import.meta.url))('a column that does not say when it is NULL does not compile', async () => {
  const errors = await compileErrors([
    {
      file: view,
      find: "      whenNull: 'while there is no job',\n",
      replace: '',
    },
  ])
  expect(errors.join('\n')).toMatch(/spending-views\.ts/)
})

it.runIf(inTurn(isLong, import.meta.url))('a row whose column no table has makes no store, and is named', async () => {
  const opened = await inCopyWith(
    [{ file: view, find: "sql: 'b.remote_id'", replace: "sql: 'b.remote_status'" }],
    async (folder) => {
      const program = `
        import Database from 'better-sqlite3'
        import { migrate } from './src/workbench/store/migrate.ts'
        const db = new Database(':memory:')
        migrate(db)
        db.prepare('select * from attempts').all()`
      return spawnSync(process.execPath, ['--input-type=module', '--eval', program], {
        cwd: folder,
        encoding: 'utf8',
      })
    },
  )
  expect(opened.status).toBe(1)
  expect(opened.stderr).toContain('no such column: b.remote_status')
})
