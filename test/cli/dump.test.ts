/** A store leaves as text and comes back by the guide's recipe, with the `sqlite3` of a stable Linux (3.40: json_valid(null) is 0 there). */

import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeEach, describe, expect, it } from 'vitest'
import { FIRST_VERSION } from '../../src/service/database.ts'
import { STORE_VERSION } from '../../src/workbench/store/migrate.ts'
import { serviceStoreOf } from '../service/old-versions.ts'
import type { Desk } from '../support/dcalab.ts'
import { deskInProcess } from '../support/program.ts'
import { isLong } from '../support/share.ts'
import { askSqlite3, sqlite3Version } from '../support/sqlite3.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { EARLIER, storeOf } from '../workbench/store/old-layouts.ts'

const recipe = readFileSync(new URL('../../src/guide/data.md', import.meta.url), 'utf8').match(
  /```sh\n([^`]*\.dump[^`]*)```/,
)?.[1]
const version = sqlite3Version()
const restored = { DCALAB_STORE: 'restored/workbench.sqlite', DCALAB_SERVICE_STORE: 'restored/service.sqlite' }

let at: Desk
beforeEach(() => {
  at = deskInProcess()
})

describe.skipIf(version === undefined)(
  `a store as text, by sqlite3 ${version ?? '(skipped: it is not installed)'}`,
  () => {
    it('is sound and equal after the way there and back, and a run goes on with it', async () => {
      const market = { exchange: 'synthetic', baseAsset: 'D', quoteAsset: 'USDT' }
      const study = {
        ...{ name: 'dumped', market, period: { from: '2024-01-01', to: '2024-01-03' } },
        ...{ base: STUDY_BASE, grid: { dcaPriceScalePercent: [0.5, 1, 2] } },
        objective: { maximize: 'netProfit' },
      }
      writeFileSync(join(at.folder, 'study.json'), JSON.stringify(study))
      await ok('candles generate --market synthetic/D-USDT --from 2024-01-01 --days 2')
      await ok('run study.json')
      await ok('screen study.json --save --workers 1')
      await ok('promote dumped --yes --accept notJudged')
      const before = await answers({})
      const ranking = await ok('leaderboard dumped --json')
      expect(JSON.parse(ranking)).toHaveLength(3)
      followRecipe()
      expect(await answers(restored)).toEqual(before)
      expect(await ok('leaderboard dumped --json', restored)).toBe(ranking)
      const again = JSON.parse(await ok('run study.json --json', restored))
      expect(again.trials).toMatchObject({ done: 3, reused: 3 })
    })

    // Each layout is brought forward by the same steps, which `migrate.test.ts` holds one by one: the first takes all of them.
    it.each(isLong ? [...EARLIER, STORE_VERSION] : EARLIER.slice(0, 1))(
      'of layout %i comes back with its leaderboard',
      async (layout) => {
        mkdirSync(join(at.folder, 'data'))
        copyFileSync(storeOf(layout), join(at.folder, 'data/workbench.sqlite'))
        serviceStoreOf(FIRST_VERSION, join(at.folder, 'data/service.sqlite'))
        await ok('status') // opened once, and so brought forward
        const before = await answers({})
        expect(JSON.parse(before.leaderboard)).toMatchObject([{ net_profit: 12.5 }, { net_profit: 0.1 }])
        followRecipe()
        expect(await answers(restored)).toEqual(before)
      },
    )
  },
)

/** Follows it, and looks at what came of it with the same old program. */
function followRecipe(): void {
  execFileSync('sh', ['-e', '-c', recipe ?? 'exit 1'], { cwd: at.folder })
  for (const name of ['workbench', 'service']) {
    const [original, copy] = ['data', 'restored'].map((folder) => join(at.folder, folder, `${name}.sqlite`))
    for (const file of [original, copy]) {
      expect(askSqlite3(file, 'pragma integrity_check'), file).toBe('ok')
      expect(askSqlite3(file, 'pragma foreign_key_check'), file).toBe('')
    }
    expect(contentsOf(copy)).toEqual(contentsOf(original))
  }
}

/** Schema and every row of every table, and the marks. */
function contentsOf(file: string): unknown {
  const db = new Database(file, { readonly: true })
  const schema = db
    .prepare<[], { type: string; name: string }>('select type, name, sql from sqlite_schema order by name')
    .all()
  const tables = schema.filter(({ type, name }) => type === 'table' && name !== 'sqlite_sequence')
  const rows = tables.map(({ name }) => db.prepare(`select * from ${name}`).all())
  const marks = ['application_id', 'user_version'].map((mark) => db.pragma(mark, { simple: true }))
  db.close()
  return { schema, rows, marks }
}

/** What the program answers from both stores. */
async function answers(environment: Readonly<Record<string, string>>) {
  const ask = (question: string) => ok('sql --json', environment, question)
  const keys = JSON.parse(await ok('serve keys list --json', environment))
  return {
    leaderboard: await ask('select * from answers'),
    screens: await ask('select * from screen_result'),
    keys,
  }
}

async function ok(
  command: string,
  environment: Readonly<Record<string, string>> = {},
  ...more: string[]
): Promise<string> {
  const { code, stdout, stderr } = await at.dcalab([...command.split(' '), ...more], environment)
  expect(code, `${command}: ${stderr}`).toBe(0)
  return stdout
}
