/**
 * The history of the bench's headline figures. After a run with `--json` into `test/bench/history/`,
 * `npx vitest run --config test/vitest.config.ts test/bench/history.test.ts -u` writes the page of the guide again.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { benchRun } from './bench-run.ts'
import { historyPage } from './history-page.ts'
import { NOT_MEASURED, onWall, watchLoad } from './load-watch.ts'

const FOLDER = new URL('history/', import.meta.url)

it('the page of speeds is the kept runs, the oldest first, and nothing by hand', async () => {
  const runs = readdirSync(FOLDER).map((name) => ({
    name,
    ...benchRun.parse(JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8'))),
  }))
  for (const { name, measuredAt, commit, takenFrom, machine } of runs) {
    expect(name.startsWith(`${measuredAt.slice(0, 10)}-${commit}`), name).toBe(true)
    expect(takenFrom === null, `${name}: measured here, or taken from somewhere`).toBe(machine !== null)
  }
  const oldestFirst = runs.toSorted((one, other) => one.measuredAt.localeCompare(other.measuredAt))
  await expect(historyPage(oldestFirst)).toMatchFileSnapshot('../../src/guide/speed.md')
})

it('a figure by the clock on the wall is printed on a quiet machine, and not measured on a busy one', async () => {
  expect(onWall('187 ms', 1.2)).toBe('187 ms')
  expect(onWall('187 ms', 1.21)).toBe(`${NOT_MEASURED} (1.21 tasks a core)`)
  const load = await watchLoad()
  expect(load.perCoreSince()).toBeGreaterThanOrEqual(0)
  await load.close()
})
