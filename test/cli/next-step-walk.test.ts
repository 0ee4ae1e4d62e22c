/**
 * The next line, walked: in every state that work passes through, after every command that prints one, what is printed is typed as it stands, and
 * ends well. A commit tries its share of the pairs, `LONG=1` all.
 */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, expect, it } from 'vitest'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { share } from '../support/share.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { byTurn } from '../support/turn.ts'

const MARKET = 'synthetic/WALK-USDT'
const FILE = 'studies/walk.yaml'
const STUDY = `name: walk
market: { exchange: synthetic, baseAsset: WALK, quoteAsset: USDT }
period: { from: 2024-01-01, to: 2024-01-21 }
base: ${JSON.stringify({ ...STUDY_BASE, takeProfit: undefined, dcaPriceScalePercent: 1 })}
objective: { maximize: netProfit }
grid: { takeProfit: [0.6, 0.8, 1] }
`
const GENERATE = `candles generate --market ${MARKET} --from 2023-01-01 --days 400 --interval 1h`
const PROMOTE = 'promote walk --yes --accept'

/** What a verdict ends in on a service of ours, by its grade (`judge.ts`). */
const GRADES: Readonly<Record<string, readonly (string | null)[]>> = {
  doNotUse: ['dcalab leaderboard walk'],
  notJudged: [null],
  holdingDidBetter: ['dcalab leaderboard walk'],
  holdingAsGood: ['dcalab leaderboard walk'],
  noBetterThanPlain: ['dcalab leaderboard walk'],
  ahead: ['dcalab holdout walk', 'dcalab promote ID'],
  beat: ['dcalab promote ID'],
}

/** Command lines, each with the states it makes no sense in left out by failing: only what ends well has a next line. */
const COMMANDS = [
  '',
  'status walk',
  'study init',
  'study init mine --example demo',
  `study check ${FILE}`,
  'study refine walk',
  `run ${FILE}`,
  `run ${FILE} --dry-run`,
  `run ${FILE} --max 1`,
  'leaderboard walk',
  'verdict walk',
  'report walk',
  'holdout walk',
  'holdout walk --test --yes --reason why',
  'promote walk --dry-run',
  `${PROMOTE} doNotUse`,
  `${PROMOTE} doNotUse --start`,
  `${PROMOTE} doNotUse --start --replay`,
  `screen ${FILE}`,
  'service jobs resolve',
  `service calibrate ${FILE}`,
  GENERATE,
  `candles resample ${MARKET} --into 4h`,
]

interface State {
  readonly from: string | null
  readonly work: (folder: string) => unknown
  folder?: string
}

const states = new Map<string, State>()
const home = process.cwd()
afterAll(() => process.chdir(home))

function inStore<T>(folder: string, work: (db: Database.Database) => T): T {
  const db = new Database(join(folder, 'data/workbench.sqlite'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

function at(folder: string) {
  const environment = {
    ...{ DCALAB_STORE: 'data/workbench.sqlite', DCALAB_SERVICE_STORE: 'data/service.sqlite' },
    ...{ DCALAB_CANDLES: 'data/candles', XDG_STATE_HOME: folder },
  }
  const answers = Array.from({ length: 9 }, () => 'y')
  const dcalab = program(folder, environment, { onTerminal: true, talkOnTerminal: true, columns: 80, answers })
  return (line: string) => {
    process.chdir(folder)
    return dcalab((line.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", '')))
  }
}

function gradeIn(folder: string): unknown {
  const latest = 'select grade from verdict order by judged_at desc limit 1'
  return inStore(folder, (db) => db.prepare(latest).pluck().get())
}

/** It is that of another one after some work. */
function addState(name: string, from: string | null, work: State['work']): void {
  states.set(name, { from, work })
}

/** A copy of it. */
async function reach(name: string): Promise<string> {
  const state = states.get(name)
  if (state === undefined) throw new Error(`no state is named ${name}`)
  if (state.folder === undefined) {
    state.folder = state.from === null ? temporaryFolder() : await reach(state.from)
    await state.work(state.folder)
  }
  const folder = temporaryFolder()
  cpSync(state.folder, folder, { recursive: true })
  return folder
}

const typed =
  (...lines: readonly string[]) =>
  async (folder: string) => {
    for (const line of lines) {
      const { code, err } = await at(folder)(line)
      expect(code, `${line}: ${err}`).toBe(0)
    }
  }

const writeStudy = (more: string) => (folder: string) => {
  mkdirSync(join(folder, 'studies'), { recursive: true })
  writeFileSync(join(folder, FILE), STUDY + more)
}

addState('nothing', null, () => {})
addState('a study file without candles', null, writeStudy(''))
addState('candles', null, typed(GENERATE))
addState('a study file', 'candles', writeStudy(''))
addState('partly run', 'a study file', typed(`run ${FILE} --max 1`))
addState('a submission without an answer', 'partly run', (folder) =>
  inStore(folder, (db) =>
    db.exec(`insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at)
      select identity, account, study, t.fingerprint, 1, 'dcalab-walk-' || substr(t.fingerprint, 1, 12) || '-1', 'intent', opened_at
      from attempt a join trial t on t.fingerprint <> a.fingerprint limit 1`),
  ),
)
addState('finished', 'a study file', typed(`run ${FILE}`))
addState('finished, not judged', 'finished', (folder) => inStore(folder, (db) => db.exec('delete from verdict')))
for (const [grade, ends] of Object.entries(GRADES)) {
  for (const next of ends) {
    addState(`${grade}, next: ${next}`, next === 'dcalab holdout walk' ? 'held out' : 'finished', (folder) =>
      inStore(folder, (db) => {
        const id = String(db.prepare('select fingerprint from verdict limit 1').pluck().get())
        const json = next === null ? 'null' : JSON.stringify({ command: next.replace('ID', id), why: 'why', jobs: 0 })
        db.prepare(
          "update verdict set grade = ?, verdict_json = json_set(verdict_json, '$.grade', ?, '$.next', json(?))",
        ).run(grade, grade, json)
      }),
    )
  }
}
addState('reported', 'finished', typed('report walk'))
addState('promoted', 'finished', typed(`${PROMOTE} doNotUse`))
addState('a bot that runs', 'promoted', typed(`${PROMOTE} doNotUse --start`))
addState('a bot replayed', 'promoted', typed(`${PROMOTE} doNotUse --start --replay`))
addState('held out', 'candles', async (folder) => {
  writeStudy('validate: { holdout: 5d }\n')(folder)
  await typed(`run ${FILE}`)(folder)
})
addState('hold-out opened', 'held out', typed('holdout walk --test --yes --reason why'))
addState('hold-out lost', 'hold-out opened', (folder) =>
  inStore(folder, (db) => db.exec('update holdout_opening set seen_configs = 99')),
)

const every = share({ usual: { state: 18, command: 3 }, long: { state: 1, command: 1 } })
const pairs = byTurn([...states.keys()], every.state).flatMap((state) =>
  byTurn([...COMMANDS], every.command).map((command) => ({ state, command })),
)

it('is typed as it stands, ends well, and offers no bot that the verdict does not', async () => {
  const said: string[] = []
  for (const { state, command } of pairs) {
    const folder = await reach(state)
    const dcalab = at(folder)
    const { code, out, err } = await dcalab(command)
    const lines = [...`${out}\n${err}`.replaceAll('\r\u001b[2K', '\n').matchAll(/^(?:next: | {2}next {2})(.*)$/gm)].map(
      ([, line = '']) => line,
    )
    const place = `${state} · dcalab ${command} · ${code}`
    expect.soft(new Set(lines).size, place).toBeLessThan(2)
    for (const line of new Set(lines)) {
      expect.soft(line, place).not.toBe(`dcalab ${command}`)
      if (/ promote | bots start /.test(line))
        expect.soft(['ahead', 'beat'], `${place} · ${line}`).toContain(gradeIn(folder))
      const then = await dcalab(line.replace(/^dcalab ?/, '').replace(' --open', ''))
      said.push(`${place} · ${line} · ${then.code}`)
      expect.soft(then.code, `${place} · ${line}\n${then.err}`).toBe(0)
    }
    removeFolder(folder)
  }
  process.chdir(home)
  expect(said.length).toBeGreaterThan(0)
}, 900_000)
