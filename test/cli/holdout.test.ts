/** A hold-out from the command line: closed until it is opened, closed while it is being opened, and opened once. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { METRICS } from '../../src/contract/metrics.ts'
import { VIEWS } from '../../src/workbench/store/views.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { withBlocks } from '../support/report-blocks.ts'
import { runSelect, selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let folder: string
let dcalab: Program
const at = (name: string) => join(folder, name)
const { takeProfit, ...base } = STUDY_BASE
const study = {
  name: 'held',
  market: { exchange: 'synthetic', baseAsset: 'D', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-07' },
  validate: { holdout: '2d' },
  base,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 0.7, 1], takeProfit: [0.6, 0.8] },
}
/** Its second line looks like one of ours. */
const reason = 'the final test\nresults  complete since ever'
const open = (...more: readonly string[]) => dcalab(['holdout', 'held', '--test', '--reason', reason, ...more])
const json = (text: string) => JSON.parse(text)

function inStore<T>(work: (db: Database.Database) => T): T {
  const db = new Database(at('workbench.sqlite'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await dcalab(['candles', 'generate', '--market', 'synthetic/D-USDT', '--from', '2024-01-01', '--days', '6'])
  writeFileSync(at('held.json'), JSON.stringify(study))
  expect((await dcalab(['run', at('held.json')])).code).toBe(0)
})

describe('a closed hold-out', () => {
  it('is said to be one', async () => {
    const { code, out } = await dcalab(['holdout', 'held', '--json'])
    expect(code).toBe(0)
    expect(json(out)).toMatchObject({
      study: 'held',
      span: { from: '2024-01-05T00:00:00.000Z', to: '2024-01-07T00:00:00.000Z' },
      markets: ['synthetic/D-USDT'],
      seenConfigs: 0,
      opened: null,
      results: null,
      warnings: [],
    })
  })

  it('is opened for a reason, and not without being asked or told', async () => {
    const without = await dcalab(['holdout', 'held', '--test', '--yes'])
    expect([without.code, without.err]).toEqual([2, expect.stringContaining('--reason expects 1 to 1000 characters')])
    expect(await open()).toMatchObject({ code: 2, err: expect.stringContaining('give --yes') })
  })

  it('stays closed where the allowance has no room for all of it', async () => {
    const { code, err } = await open('--yes', '--allowance', '10')
    expect([code, err]).toEqual([3, expect.stringContaining('not started: the daily limit has no room')])
    expect(json((await dcalab(['holdout', 'held', '--json'])).out).opened).toBeNull()
  })

  it('is marked as seen by a look of others at its time, wherever the study is judged', async () => {
    const whole = { ...study, name: 'whole', validate: undefined }
    writeFileSync(at('whole.json'), JSON.stringify(whole))
    await dcalab(['screen', at('whole.json')])
    const seen = expect.stringContaining('up to 6 configurations were tried or judged on it before')
    expect(json((await dcalab(['holdout', 'held', '--json'])).out)).toMatchObject({
      seenConfigs: 6,
      warnings: [{ code: 'seen', message: seen }],
    })
    const checked = json((await dcalab(['study', 'check', at('held.json'), '--json'])).out)
    expect(checked.warnings).toContainEqual({ code: 'seen', message: seen, path: 'validate.holdout' })
  })
})

describe('an opened hold-out', () => {
  beforeAll(async () => {
    const { code, out } = await open('--yes', '--json')
    expect(code).toBe(0)
    const { results, local, opened } = json(out)
    expect(opened).toMatchObject({ reason, by: 'researcher@localhost' })
    expect(local).toEqual([{ market: 'synthetic/D-USDT', points: 'grid', n: 6 }])
    expect(results).toHaveLength(5)
    for (const result of results) {
      expect(result).toMatchObject({ market: 'synthetic/D-USDT', failure: null, localDifference: 0 })
      expect(result.percentileOnLocal).toBeGreaterThan(0)
      expect(result.percentileOnLocal).toBeLessThan(100)
    }
    expect(results.map(({ role }: { role: string }) => role)).toEqual(['winner', ...Array(4).fill('finalist')])
    expect((await dcalab(['holdout', 'held'])).out.match(/^results {2}complete since .*$/gm)).toEqual([
      expect.stringMatching(/^results {2}complete since \d/),
    ])
  })

  it('shows nothing of itself anywhere before all of it is in', async () => {
    inStore((db) =>
      db.exec(`update holdout_opening set completed_at = null;
        delete from verdict; -- it was judged when all was in
        insert into revised_result (job_id, noticed_at, reply_id, changes_json)
          select r.job_id, '2026-01-01T00:00:00.000Z', r.reply_id, json_object('netProfit', json_array(r.net_profit, r.fees_paid))
          from result r join job j on j.id = r.job_id join trial t on t.fingerprint = j.fingerprint
          where t.period_from = '2024-01-05T00:00:00.000Z'`),
    )
    const { numbers, jobs, trials } = inStore(numbersOfHoldout)
    expect(numbers.length).toBeGreaterThan(20)
    const said = await sayAll([...jobs], [...trials])
    for (const { what, text: whole } of said) {
      const text = whole.replaceAll(/ d="[^"]*"/g, '') // where lines are drawn is no number of anything
      // Not as a part of something longer: 16.00 stands in many a time of day.
      const found = numbers.filter(
        (number) =>
          text.includes(number) && new RegExp(`(?<![\\d.])${number.replace(/[.+]/g, '\\$&')}(?!\\d)`).test(text),
      )
      expect(found, what).toEqual([])
    }
    // Who means to see it does: the guide says so.
    const meant = await dcalab(['sql', 'select * from main.result', '--json'])
    expect(numbers.filter((number) => meant.out.includes(number)).length).toBeGreaterThan(20)
    inStore((db) => db.exec("update holdout_opening set completed_at = '2026-01-01T00:00:00.000Z'"))
    for (const place of ['results', 'result']) {
      const shown = await dcalab(['sql', `select * from ${place}`, '--json'])
      expect(numbers.filter((number) => shown.out.includes(number)).length).toBeGreaterThan(20)
    }
  })

  it('is not opened a second time, and nothing more is run for its name', async () => {
    const again = await open('--yes')
    expect([again.code, again.err]).toEqual([
      2,
      expect.stringMatching(/opened at .* by researcher@localhost: the final test/),
    ])
    writeFileSync(
      at('held.json'),
      JSON.stringify({ ...study, grid: { takeProfit: [0.9], dcaPriceScalePercent: [takeProfit] } }),
    )
    expect(await dcalab(['run', at('held.json')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('was opened'),
    })
    expect((await dcalab(['leaderboard', 'held'])).code).toBe(0)
    expect((await dcalab(['holdout', 'held'])).out).toContain(
      'percentiles on synthetic/D-USDT: by the objective, among 6',
    )
  })

  it('is listed by the views', async () => {
    const opened =
      'select study, holdout_reason as reason, holdout_seen_configs as seen_configs, holdout_completed_at is not null as done from studies where holdout_opened_at is not null'
    expect(selectObjects(at('workbench.sqlite'), opened)).toEqual([{ study: 'held', reason, seen_configs: 6, done: 1 }])
    const roles = 'select role, count(*) as n from proposal group by 1 order by 2'
    expect(selectObjects(at('workbench.sqlite'), roles)).toEqual([
      { role: 'winner', n: 1 },
      { role: 'finalist', n: 4 },
    ])
  })
})

/** Numbers of the hold-out's results that stand in no other result, as text: long enough not to be met by chance. */
function numbersOfHoldout(db: Database.Database) {
  const of = (condition: string) =>
    db
      .prepare<[], Record<string, unknown>>(
        `select r.*, j.remote_id, j.fingerprint from result r join job j on j.id = r.job_id join trial t on t.fingerprint = j.fingerprint
         where ${condition} '2024-01-05T00:00:00.000Z'`,
      )
      .all()
  const textsOf = (rows: readonly Record<string, unknown>[]) =>
    rows.flatMap((row) =>
      Object.values(METRICS).flatMap(({ column }) => {
        const value = row[column]
        return typeof value === 'number' ? [String(value), value.toFixed(2)].filter((text) => text.length >= 5) : []
      }),
    )
  const held = of('t.period_from =')
  const others = new Set(textsOf(of('t.period_from <')))
  const closes = db
    .prepare<[], string>(
      "select distinct cast(price as text) from deal d join job j on j.id = d.job_id join trial t on t.fingerprint = j.fingerprint where t.period_from = '2024-01-05T00:00:00.000Z'",
    )
    .pluck()
    .all()
  return {
    numbers: [...new Set([...textsOf(held), ...closes.filter((text) => text.length >= 8)])].filter(
      (text) => !others.has(text),
    ),
    jobs: held.map(({ remote_id }) => String(remote_id)),
    trials: held.map(({ fingerprint }) => String(fingerprint)),
  }
}

const spelled = (rows: readonly object[]) =>
  JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value))

/** What every command says that could show a result, and what the files hold that it writes. */
async function sayAll(jobs: readonly string[], trials: readonly string[]) {
  const named = [...Object.keys(VIEWS), 'result', 'deal', 'reply', 'revised_result']
  // As `dcalab sql` asks them, which takes a process for each.
  const questions = [
    ...named.map((name) => `select * from ${name}`),
    ...['reply', 'service_reply'].map((table) => `select reply_text(body) from ${table}`),
  ]
  const commands = [
    ['sql', 'select * from results', '--format=ndjson'],
    ['sql', 'select * from result', '--json'],
    ['holdout', 'held'],
    ['holdout', 'held', '--json'],
    ['leaderboard', 'held', '--json'],
    ['leaderboard', 'held'],
    ['status', 'held'],
    ['status', '--json'],
    ['study', 'list', '--json'],
    ['study', 'list', 'held'],
    ['study', 'check', at('held.json')],
    ['show', trials[0], '--json'],
    ['compare', trials[0], trials[1]],
    ['service', 'verify', trials[0]],
    ['examine', trials[0]],
    ['examine', 'held', '--json'],
    ['promote', trials[0], '--dry-run'],
    ['promote', 'held', '--dry-run', '--json'],
    ['service', 'jobs', 'list', '--json'],
    ['service', 'jobs', 'list'],
    ['service', 'jobs', 'show', jobs[0]],
    ['service', 'jobs', 'show', jobs[0], '--json'],
    ['service', 'limits'],
    ['service', 'check', '--json'],
    ['store', 'reread', '--dry-run'],
    ['report', 'held', '--out', at('held.html')],
    ['export', 'held', '--out', at('held.ndjson')],
    ['run', at('held.json')],
  ]
  const said = questions.map((sql) => ({ what: sql, text: spelled(runSelect(at('workbench.sqlite'), sql).rows) }))
  for (const command of commands) {
    const { out, err } = await dcalab(command)
    said.push({ what: command.join(' '), text: out + err })
  }
  for (const view of ['answers', 'results', 'trials', 'deals', 'equity_daily', 'monthly_returns']) {
    const file = `${view}.csv`
    await dcalab(['export', 'held', '--view', view, '--out', at(file)])
  }
  const written = readdirSync(folder).filter((name) => /\.(html|ndjson|csv)$/.test(name))
  expect(written.length).toBeGreaterThan(2)
  return [...said, ...written.map((name) => ({ what: name, text: withBlocks(readFileSync(at(name), 'utf8')) }))]
}
