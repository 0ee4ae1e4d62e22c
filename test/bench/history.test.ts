/**
 * The history of the bench's headline figures. After a run with `--json` into `test/bench/history/`,
 * `npx vitest run --config test/vitest.config.ts test/bench/history.test.ts -u` writes `SPEED.md` again.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { benchRun } from './bench-run.ts'
import { historyPage } from './history-page.ts'
import { NOT_MEASURED, onWall, watchLoad } from './load-watch.ts'
import { isReached } from './missed.ts'

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
  await expect(historyPage(oldestFirst)).toMatchFileSnapshot('SPEED.md')
})

it('a figure that an older run does not have was not measured, and of figures taken from elsewhere nobody knows', () => {
  const older = {
    measuredAt: '2026-01-01T00:00:00Z',
    commit: '1111111',
    takenFrom: null,
    machine: { processor: 'some', cores: 2, memoryGb: 8 },
    node: 'v26',
    load: { runnablePerCore: 0.5 },
    headline: { grid: { eth: 2 } },
    tables: [],
  }
  const taken = { ...older, commit: '2222222', takenFrom: 'a message', machine: null, node: null, load: null }
  const newer = { ...older, commit: '3333333', headline: { check: { synthetic: 1.1 }, medianDuration: { eth: 1.5 } } }
  const page = historyPage([older, taken, newer].map((run) => benchRun.parse(run)))
  const section = (title: string) => page.split('\n## ').find((part) => part.includes(title))
  expect(section('ranked by the median duration')).toContain(
    '| `1111111` |  | not measured |  |  |\n| `3333333` |  | 1.5 |  |  |\n| wanted | ≤ 2 |',
  )
  expect(section('without an axis of take profits')).toContain(
    '| `1111111` | not measured |  |  |  |\n| `3333333` | 1.1 |',
  )
  expect(section('points share deals')).toContain('| `2222222` |  | 2 |')
  expect(section('profit factor')).toBe(undefined) // no run has it
})

it('a figure by the clock on the wall is printed on a quiet machine, and not measured on a busy one', async () => {
  expect(onWall('187 ms', 1.2)).toBe('187 ms')
  expect(onWall('187 ms', 1.21)).toBe(`${NOT_MEASURED} (1.21 tasks a core)`)
  const load = await watchLoad()
  expect(load.perCoreSince()).toBeGreaterThanOrEqual(0)
  await load.close()
})

it('a figure at its limit is reached, one beyond it is listed as missed', () => {
  expect(isReached(1.5, '≤ 1.5')).toBe(true)
  expect(isReached(1.51, '≤ 1.5')).toBe(false)
  expect(isReached(6, '≥ 6')).toBe(true)
  expect(isReached(5.9, '≥ 6')).toBe(false)
  expect(() => isReached(1, 'quick')).toThrow('"quick"')
})
