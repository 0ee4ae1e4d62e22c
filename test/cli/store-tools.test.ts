/** A store leaves the program as files: exported to other programs, copied whole and restored, explained to Datasette. */

import { execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import { beforeAll, describe, expect, it } from 'vitest'
import { Failure } from '../../src/errors.ts'
import { STORE_VERSION } from '../../src/workbench/store/migrate.ts'
import { VIEW_ROWS, VIEWS } from '../../src/workbench/store/views.ts'
import { behindTalk } from '../support/behind-messages.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

let folder: string
let dcalab: Program
const at = (name: string) => join(folder, name)
const study = {
  name: 'plain',
  market: { exchange: 'synthetic', baseAsset: 'D', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-03' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 1.5] },
}

beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  await dcalab(['candles', 'generate', '--market', 'synthetic/D-USDT', '--from', '2024-01-01', '--days', '2'])
  writeFileSync(at('plain.json'), JSON.stringify(study))
  expect((await dcalab(['run', at('plain.json')])).code).toBe(0)
})

type Row = Record<string, unknown>

const fromStore = (select: string): Row[] => {
  const db = new Database(at('workbench.sqlite'), { readonly: true })
  try {
    return db.prepare<[], Row>(select).all()
  } finally {
    db.close()
  }
}

function bytesOf(name: string): ArrayBuffer {
  return new Uint8Array(readFileSync(at(name))).buffer
}

function readParquet(name: string): Promise<Row[]> {
  return parquetReadObjects({ file: bytesOf(name) })
}

/** A value read from Parquet, as SQLite has it. */
function asStored(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (typeof value === 'boolean') return Number(value)
  return value instanceof Date ? value.toISOString() : (value ?? null)
}

describe('an export', () => {
  it('has every row, column and digit of the leaderboard, as another reader of Parquet sees them', async () => {
    const { out, code } = await dcalab(['export', 'plain', '--out', at('plain.parquet'), '--json'])
    expect(code).toBe(0)
    const stored = fromStore("select * from answers where study = 'plain'")
    expect(JSON.parse(out)).toMatchObject({ format: 'parquet', view: 'answers', rows: 3 })
    const read = await readParquet('plain.parquet')
    expect(read.map((row) => Object.fromEntries(Object.entries(row).map(([k, v]) => [k, asStored(v)])))).toEqual(stored)
    expect(read[0]).toMatchObject({
      rank: 1n,
      simulated: true,
      period_from: new Date('2024-01-01'),
      take_profit_percent: 1,
    })
  })

  it('keeps the types of columns that hold nothing but NULL, and says times in UTC', () => {
    const { schema, row_groups, key_value_metadata } = parquetMetadata(bytesOf('plain.parquet'))
    const typeOf = (name: string) => schema.find((column) => column.name === name)
    expect(typeOf('excess_quote')).toMatchObject({ type: 'DOUBLE', repetition_type: 'OPTIONAL' })
    expect(typeOf('finished_at')).toMatchObject({ type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' })
    expect(typeOf('closed_deals')).toMatchObject({ type: 'INT64' })
    expect(typeOf('grade')).toMatchObject({ type: 'BYTE_ARRAY', converted_type: 'UTF8' })
    expect(row_groups).toHaveLength(1)
    const facts = Object.fromEntries((key_value_metadata ?? []).map(({ key, value }) => [key, value]))
    expect(facts).toMatchObject({ study: 'plain', revision: '1', service: 'embedded', market: 'synthetic/D-USDT' })
    expect([facts.candles_hash, facts.engine_version].every((fact) => fact !== '' && fact !== undefined)).toBe(true)
    expect(JSON.parse(facts.columns ?? '').max_drawdown_percent).toMatchObject({ unit: 'percent' })
  })

  it.each(Object.keys(VIEWS))('takes the view %s', async (view) => {
    const file = at(`${view}.parquet`)
    // What is said of its progress depends on how fast the machine is (long-work.ts).
    expect(await dcalab(['export', 'store', '--view', view, '--out', file])).toMatchObject({ code: 0 })
    expect(await readParquet(`${view}.parquet`)).toHaveLength(
      fromStore(`select * from ${view} ${'is_current' in VIEW_ROWS[view].columns ? 'where is_current' : ''}`).length,
    )
  })

  it('of many rows is written in several groups, so that memory does not grow with it', async () => {
    await dcalab(['store', 'backup', at('long.sqlite')])
    const db = new Database(at('long.sqlite'))
    db.exec(`with recursive n(i) as (select 2 union all select i + 1 from n limit 12000)
      insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, counted_at, settled_at)
      select identity, account, study, fingerprint, i, name || i, 'adopted', opened_at, counted_at, settled_at
      from n, (select * from attempt limit 1)`)
    db.close()
    const { out } = await dcalab([
      'export',
      'store',
      '--view',
      'attempts',
      '--out',
      at('long.parquet'),
      '--store',
      at('long.sqlite'),
      '--json',
    ])
    expect(JSON.parse(out)).toMatchObject({ rows: 12_003 })
    expect(parquetMetadata(bytesOf('long.parquet')).row_groups.map(({ num_rows }) => num_rows)).toEqual([
      10_000n,
      2_003n,
    ])
    expect(new Set((await readParquet('long.parquet')).map(({ name }) => name)).size).toBe(12_003)
  })

  it('as NDJSON has a document per row', async () => {
    await dcalab(['export', 'store', '--out', at('all.ndjson')])
    const lines = readFileSync(at('all.ndjson'), 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).net_profit)).toEqual(
      fromStore('select net_profit from answers').map((row) => row.net_profit),
    )
    expect(JSON.parse(lines[0])).toMatchObject({ simulated: true, closed_deals: expect.any(Number), revision: 1 })
  })

  it('as CSV is what `sql --csv` answers, formulas disarmed', async () => {
    const db = new Database(at('workbench.sqlite'))
    db.prepare('update job set failure = \'=1+1,"x"\'').run()
    db.close()
    await dcalab(['export', 'store', '--view', 'attempts', '--out', at('runs.csv')])
    const text = readFileSync(at('runs.csv'), 'utf8')
    expect(text).toBe((await dcalab(['sql', 'select * from attempts', '--format=csv'])).out)
    expect(text).toContain(`"'=1+1,""x"""`)
  })

  it('replaces nothing unasked, and leaves no part of a file behind', async () => {
    writeFileSync(at('mine.csv'), 'mine')
    expect(await dcalab(['export', 'plain', '--out', at('mine.csv')])).toMatchObject({ code: 2, out: '' })
    expect(readFileSync(at('mine.csv'), 'utf8')).toBe('mine')
    expect((await dcalab(['export', 'plain', '--out', at('mine.csv'), '--force'])).code).toBe(0)
    expect(readFileSync(at('mine.csv'), 'utf8')).toMatch(/^trial,study,/)
  })

  it.skipIf(process.platform === 'win32')('replaces no device and no pipe, whatever --force says', async () => {
    const pipe = at('pipe.csv')
    execFileSync('mkfifo', [pipe])
    for (const args of [
      ['export', 'plain', '--out', pipe, '--force'],
      ['report', 'plain', '--out', pipe],
    ]) {
      const { code, err } = await dcalab(args)
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining(`${pipe} is a device or a pipe, and was left as it is`),
      })
    }
    expect(statSync(pipe).isFIFO()).toBe(true)
  })

  it.each([
    [
      ['export', 'plain', '--out', 'x.xlsx'],
      '--out expects a file that ends in .parquet, .csv, .ndjson, found "x.xlsx"',
    ],
    [['export', 'other', '--out', 'x.csv'], 'the store has no study "other"'],
    [['export', 'store', '--out', 'x.csv', '--view', 'job'], '--view expects a view, found "job"'],
    [['export', 'plain', '--out', 'x.csv', '--view', 'bots'], 'the view bots has no column for a study'],
  ])('%j is refused in one sentence', async (args, sentence) => {
    const { code, err } = await dcalab(args)
    expect({ code, err: err.split('\n')[0] }).toEqual({ code: 2, err: `error: ${sentence}` })
  })

  it('in a folder that is not there is refused', async () => {
    const { code, err } = await dcalab(['export', 'plain', '--out', at('absent/x.csv')])
    expect(code).toBe(6)
    expect(err).toContain('its folder is missing')
  })
})

describe('a snapshot', () => {
  it('restores a lost store: the study is finished there, and a run submits nothing', async () => {
    const { out, code } = await dcalab(['store', 'backup', at('copy.sqlite'), '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject({ path: at('copy.sqlite'), bytes: statSync(at('copy.sqlite')).size })
    expect(statSync(at('copy.sqlite')).mode & 0o777).toBe(0o600)
    const before = fromStore('select * from trials')
    for (const end of ['', '-wal', '-shm']) rmSync(at(`workbench.sqlite${end}`), { force: true })
    copyFileSync(at('copy.sqlite'), at('workbench.sqlite'))
    const again = JSON.parse((await dcalab(['run', at('plain.json'), '--json'])).out)
    expect(again.trials).toEqual({ total: 3, done: 3, failed: 0, reused: 3, pending: 0 })
    expect(fromStore('select * from trials')).toEqual(before)
    expect(fromStore('select count(*) as n from attempts')).toEqual([{ n: 3 }])
  })

  it('replaces nothing, and needs a store', async () => {
    const { code, err } = await dcalab(['store', 'backup', at('copy.sqlite')])
    expect(code).toBe(2)
    expect(err).toContain('is there already')
    expect((await dcalab(['store', 'backup', at('new.sqlite'), '--store', at('none.sqlite')])).code).toBe(6)
    expect(existsSync(at('new.sqlite'))).toBe(false)
    expect(existsSync(at('none.sqlite'))).toBe(false)
  })
})

it.each([
  ['sql', ['select 1'], 'the statement changed nothing; --limit and --timeout shorten it'],
  ['export', ['plain', '--out', 'interrupted.csv'], 'no file was written; run the same command again'],
  ['store reread', [], 'everything done is stored; run the same command to continue'],
])('Ctrl-C during %s says what is true of it', async (command, args, hint) => {
  const signal = AbortSignal.abort(new Failure('interrupted', 'Interrupted by SIGINT', { exitCode: 130 }))
  const interrupted = program(folder, { XDG_STATE_HOME: folder }, { signal })
  const { code, err } = await interrupted([...command.split(' '), ...args, '--json'])
  expect({ code, ...JSON.parse(behindTalk(err)) }).toEqual({
    code: 130,
    error: { code: 'interrupted', message: 'Interrupted by SIGINT', hint },
  })
})

describe('a merge', () => {
  it('of stores that disagree in much names the first 20 and counts the others; --json has all', async () => {
    for (const [name, simulated] of [
      ['ours.sqlite', 0],
      ['theirs.sqlite', 1],
    ] as const) {
      const db = new Database(at('workbench.sqlite'), { readonly: true })
      await db.backup(at(name))
      db.close()
      const copy = new Database(at(name))
      const add = copy.prepare(
        "insert into service (identity, simulated, origin, first_seen_at) values (?, ?, 'o', '2026-01-01T00:00:00.000Z')",
      )
      for (let n = 0; n < 25; n++) add.run(`https://bots.example#${n}`, simulated)
      copy.close()
    }
    const merge = (...more: string[]) =>
      dcalab(['store', 'merge', at('theirs.sqlite'), '--store', at('ours.sqlite'), ...more])
    const { code, err } = await merge()
    expect(code).toBe(2)
    expect(err.match(/^ {2}service https:/gm)).toHaveLength(20)
    expect(err).toContain('\n  and 5 more: --json prints all of them\nhint: ')
    expect(JSON.parse(behindTalk((await merge('--json')).err)).error.details.problems).toHaveLength(25)
  })

  it('into a new store brings everything: the study is finished there, and a run submits nothing', async () => {
    const elsewhere = program(folder, { XDG_STATE_HOME: folder, DCALAB_STORE: at('merged.sqlite') })
    await elsewhere(['store', 'merge', at('workbench.sqlite')])
    const again = JSON.parse((await elsewhere(['run', at('plain.json'), '--json'])).out)
    expect(again.trials).toEqual({ total: 3, done: 3, failed: 0, reused: 3, pending: 0 })
    const board = (dcalab: Program) => dcalab(['leaderboard', 'plain', '--json'])
    const untimed = ({ out }: { readonly out: string }) => out.replace(/"judgedAt": "[^"]*"/, '') // each judged its own run
    expect(untimed(await board(elsewhere))).toBe(untimed(await board(dcalab)))
    const { out } = await elsewhere(['store', 'merge', at('workbench.sqlite')])
    expect(out).toBe(`${at('workbench.sqlite')} (layout ${STORE_VERSION}) has nothing new\n`)
  })

  it('says what it did, to people and to programs', async () => {
    const [text, json] = [at('text.sqlite'), at('json.sqlite')]
    const { out } = await dcalab(['store', 'merge', at('merged.sqlite'), '--store', text])
    expect(out).toContain('\n  3 new attempts\n  3 new jobs\n')
    const report = JSON.parse((await dcalab(['store', 'merge', at('merged.sqlite'), '--store', json, '--json'])).out)
    expect(report).toMatchObject({ added: { trials: 3, results: 3 }, advanced: { jobs: 0 }, undecided: 0 })
  })

  it('of another person’s store leaves the daily limit that of one’s own service', async () => {
    const theirs = temporaryFolder()
    const anna = program(theirs, { XDG_STATE_HOME: theirs })
    await anna(['candles', 'generate', '--market', 'synthetic/D-USDT', '--from', '2024-01-01', '--days', '2'])
    const few = { ...study, name: 'few', grid: { dcaPriceScalePercent: [0.6, 0.7] } }
    writeFileSync(at('few.json'), JSON.stringify(few))
    expect((await anna(['run', at('few.json')])).code).toBe(0)
    const limitOf = async (asked: Program) => /daily limit: \d+ of 100 used/.exec((await asked(['status'])).out)?.[0]
    expect(await limitOf(anna)).toBe('daily limit: 2 of 100 used')
    const mixed = program(folder, { XDG_STATE_HOME: folder, DCALAB_STORE: at('mixed.sqlite') })
    await mixed(['store', 'merge', at('workbench.sqlite')])
    await mixed(['store', 'merge', join(theirs, 'workbench.sqlite')])
    expect(await limitOf(mixed)).toBe('daily limit: 3 of 100 used')
  })

  it('of a file that is no store, or not there, is refused in one sentence', async () => {
    expect(await dcalab(['store', 'merge', folder])).toMatchObject({
      code: 2,
      err: expect.stringContaining(`error: ${folder} is no file\n`),
    })
    const missing = await dcalab(['store', 'merge', at('none.sqlite')])
    expect({ code: missing.code, err: missing.err.split('\n')[0] }).toEqual({
      code: 2,
      err: `error: there is no file ${at('none.sqlite')}`,
    })
    const { code, err } = await dcalab(['store', 'merge', at('service.sqlite')])
    expect({ code, err: err.split('\n')[0] }).toEqual({
      code: 2,
      err: `error: ${at('service.sqlite')} is not a store of this program`,
    })
    expect(await dcalab(['store', 'merge', at('plain.json')])).toMatchObject({
      code: 2,
      err: expect.stringContaining('cannot be read as a store: file is not a database'),
    })
  })
})
