/** What a person does with stored trials and studies: choose between results, compare, tag, revise, rename, archive, remove, prune. */

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { behindTalk } from '../support/behind-messages.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { selectObjects } from '../support/run-select.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { visibleText } from '../workbench/report/document.ts'

const MARKET = 'synthetic/T-USDT'
const DAY = 24 * 3_600_000
const folder = temporaryFolder()
const file = join(folder, 'study.json')
const { takeProfit: _, ...base } = STUDY_BASE
const study = {
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2026-01-01', to: '2026-01-05' },
  base: { ...base, dcaPriceScalePercent: 0.5 },
  objective: { maximize: 'netProfit' },
}
const dear = { name: 'dear', ...study, costs: { feePercent: 0.5 }, grid: { takeProfit: [0.5, 1] } }

let dcalab: Program
let trials: string[]

const run = async (content: object) => {
  writeFileSync(file, JSON.stringify(content))
  return JSON.parse((await dcalab(['run', file, '--json'])).out)
}
const json = async (...args: string[]) => JSON.parse((await dcalab([...args, '--json'])).out)
const failure = async (...args: string[]) => {
  const { code, err } = await dcalab([...args, '--json'])
  return { exit: code, ...JSON.parse(behindTalk(err)).error }
}
const sql = (statement: string) => selectObjects(join(folder, 'workbench.sqlite'), statement)
const fingerprintsOf = async (name: string): Promise<string[]> =>
  (await json('leaderboard', name)).map(({ fingerprint }: { fingerprint: string }) => fingerprint)

beforeAll(async () => {
  dcalab = program(folder, { XDG_STATE_HOME: folder, DCALAB_USER_EMAIL: 'me@example.org' }, { now: '2026-01-06' })
  await dcalab(['candles', 'generate', '--market', MARKET, '--from', '2026-01-01', '--days', '4'])
  await run({ name: 'cheap', ...study, grid: { takeProfit: [0.5, 1, 2] } })
  await run(dear)
  trials = await fingerprintsOf('dear')
})
afterAll(() => expect(dcalab.said()).not.toContain('bug:'))

describe('a trial with results under two settings', () => {
  it.each([['show'], ['service verify'], ['promote', '--dry-run'], ['compare', '77']])(
    'is refused by %s with the list of what differs, until --settings chooses',
    async (command, more = '') => {
      const [trial, other] = trials
      const rest = command === 'compare' ? [other] : more === '' ? [] : [more]
      const { exit, code, message, hint, details } = await failure(...command.split(' '), trial, ...rest)
      expect({ exit, code }).toEqual({ exit: 2, code: 'usage' })
      expect(message).toContain('2 results')
      expect(hint).toContain('--settings')
      const places: { place: string; message: string }[] = details.problems
      expect(places.map(({ message }) => message).join('; ')).toMatch(
        /feePercent 0\.5, net profit .*feePercent 0\.1, net profit /,
      )
      const [, digits] = places[0].place.split(' ')
      const chosen = await dcalab([...command.split(' '), trial, ...rest, '--settings', digits, '--json'])
      expect(chosen.code, chosen.err).toBe(0)
    },
  )

  it('is the same trial for tags and notes', async () => {
    const found: { settings: string }[] = sql(
      `select distinct settings from results where fingerprint = '${trials[0]}'`,
    )
    const [first, second] = found.map(({ settings }) => `${trials[0]}:${settings}`)
    expect(await failure('show', trials[0], '--tag', 'candidate')).toMatchObject({ code: 'usage' })
    expect(await json('show', second)).toMatchObject({ tags: [] })
    expect(await json('show', first, '--tag', 'candidate')).toMatchObject({ tags: ['candidate'] })
    expect(await json('show', second)).toMatchObject({ tags: ['candidate'] })
  })

  it('says which one is shown', async () => {
    const [{ settings }] = sql("select settings from results where study = 'dear' limit 1")
    expect(await json('show', trials[0], '--settings', settings)).toMatchObject({
      settings,
      costs: { feePercent: 0.5 },
    })
    expect(await json('show', `${trials[0]}:${settings.slice(0, 6)}`)).toMatchObject({ settings })
    expect(await failure('show', trials[0], '--settings', 'abcd')).toMatchObject({ exit: 2, code: 'notFound' })
    expect(await failure('show', trials[0], '--service', 'https://')).toMatchObject({ exit: 2, code: 'notFound' })
  })

  it('is compared with itself: only the fee differs', async () => {
    const settings: { settings: string }[] = sql('select distinct settings from results')
    const [a, b] = settings.map((row) => `${trials[0]}:${row.settings}`)
    const compared = await json('compare', a, b)
    expect(compared.differs).toEqual(['feePercent'])
    expect(compared.trials.map(({ trial }: { trial: string }) => trial)).toEqual([trials[0], trials[0]])
    expect(compared.equity[0]).toMatchObject({ days: 4 })
    expect(compared.equity[0].correlation).toBeGreaterThan(0.5)
    const table = (await dcalab(['compare', a, b])).out
    expect(table.match(/[0-9a-f]{8}:[0-9a-f]{4}/g)).toHaveLength(4) // two rows, and both in the correlation
    expect(table).toMatch(
      /correlation of daily returns:\n {2}[0-9a-f]{8}:[0-9a-f]{4} and [0-9a-f]{8}:[0-9a-f]{4}: \d\.\d\d over 4 days/,
    )
    expect(await failure('compare', a, a)).toMatchObject({ code: 'usage' })
    expect(await failure('compare', a)).toMatchObject({ code: 'usage', message: 'expected 2 to 10 results, found 1' })
  })
})

it('two studies are compared by the best of each', async () => {
  const { trials: compared, differs } = await json('compare', 'cheap', 'dear')
  const firstOf = async (study: string) =>
    JSON.parse((await dcalab(['leaderboard', study, '--json'])).out)[0].fingerprint
  expect(compared.map(({ trial }: { trial: string }) => trial)).toEqual([await firstOf('cheap'), await firstOf('dear')])
  expect(differs).toContain('feePercent')
})

it('a leaderboard is rows in the format that is asked for, which --json is short for', async () => {
  const { out } = await dcalab(['leaderboard', 'cheap', '--format', 'csv'])
  expect(out.split('\n')[0]).toMatch(/^rank,id,trial,objective,investment,.*,netProfit,/)
  expect(out.split('\n')[1]).toContain((await fingerprintsOf('cheap'))[0])
  const refused = await failure('leaderboard', 'cheap', '--format', 'csv')
  expect(refused.message).toBe('--json and --format csv exclude each other')
})

it('a trial is named by 4 digits where they are enough; 3 are too few, and several that begin so are listed', async () => {
  const single = await singleResult()
  expect(await json('show', single.slice(0, 4))).toMatchObject({ fingerprint: single, tags: [], notes: [] })
  expect(await json('promote', single.slice(0, 4), '--dry-run')).toMatchObject({ trial: single })
  expect(await failure('show', single.slice(0, 3))).toMatchObject({
    exit: 2,
    message: expect.stringContaining('4 or more'),
  })
})

it('an empty note takes the newest one back', async () => {
  const trial = await singleResult()
  for (const text of ['first', 'second']) await json('show', trial, '--note', text)
  const left = async () => (await json('show', trial, '--note', '')).notes.map(({ note }: { note: string }) => note)
  expect(await left()).toEqual(['first'])
  expect(await left()).toEqual([])
  expect(await failure('show', trial, '--note', '')).toMatchObject({ code: 'notFound' })
})

/** A trial that has one result, so that nothing chooses between several. */
async function singleResult(): Promise<string> {
  const cheap = await fingerprintsOf('cheap')
  return cheap.find((fingerprint) => !trials.includes(fingerprint)) ?? ''
}

it('hostile tags and notes are text and nothing else', async () => {
  const [, trial] = trials
  const settings = sql("select settings from results where study = 'cheap' limit 1")[0].settings
  const note = `'); drop table note; -- <script>alert(1)</script> \u001b[2Jgone \u202eback`
  const show = (...args: string[]) => json('show', trial, '--settings', settings, ...args)
  expect((await show('--note', note)).notes).toMatchObject([{ note }])
  expect((await show('--tag', "x'); drop table tag; --", '<b>', 'b')).tags).toEqual([
    '<b>',
    'b',
    "x'); drop table tag; --",
  ])
  const { out } = await dcalab(['show', trial, '--settings', settings])
  expect(out).toContain('drop table note; -- <script>alert(1)</script> \ufffd[2Jgone \ufffdback')
  expect((await show('--untag', 'b', '<b>')).tags).toEqual(["x'); drop table tag; --"])
  expect(await failure('show', trial, '--settings', settings, '--untag', 'b')).toMatchObject({ code: 'notFound' })
  expect(await failure('show', trial, '--settings', settings, '--tag', 'a\u001bb')).toMatchObject({ code: 'usage' })
  // No line of a note begins where a line of ours does.
  await show('--note', 'fine\nNet profit                 999\nstate    done')
  const shown = (await dcalab(['show', trial, '--settings', settings])).out
  expect(shown).toMatch(/ fine\n {20,}Net profit +999\n {20,}state {4}done\n/)
  expect(shown).not.toMatch(/^Net profit +999$/m)
  await show('--note', '')
  expect(await failure('show', trial, '--settings', settings, '--note', ' ')).toMatchObject({ code: 'usage' })
})

describe('revisions of a study', () => {
  it('say what changed from each to the next, and how far each has come', async () => {
    const edited = { ...dear, grid: { takeProfit: [0.5] }, objective: { maximize: 'roiPercent' } }
    expect(await run(edited)).toMatchObject({ trials: { total: 1, done: 1, reused: 1 } })
    const revisions = await json('study', 'list', 'dear')
    expect(revisions).toMatchObject([
      { number: 1, isCurrent: false, trials: 2, results: 2, changed: [] },
      {
        number: 2,
        isCurrent: true,
        trials: 1,
        results: 1,
        changed: [
          { key: 'grid.takeProfit', old: '[0.5,1]', new: '[0.5]' },
          { key: 'objective.metric', old: 'netProfit', new: 'roiPercent' },
        ],
      },
    ])
    const { out } = await dcalab(['study', 'list', 'dear'])
    expect(out.trim().split('\n')).toHaveLength(2)
    expect(out).toContain('grid.takeProfit [0.5,1] → [0.5]; objective.metric netProfit → roiPercent')
  })

  it('are ranked, counted, reported and promoted by their number', async () => {
    expect(await fingerprintsOf('dear')).toHaveLength(1)
    expect(await fingerprintsOf('dear@1')).toEqual(trials)
    expect(await json('leaderboard', 'dear@1')).toHaveLength(2)
    expect(await failure('leaderboard', 'dear@3')).toMatchObject({ code: 'notFound' })
    expect((await json('status', 'dear@1')).studies).toMatchObject([{ study: 'dear@1', total: 2, done: 2 }])
    expect(await json('store', 'reread', 'dear@2')).toMatchObject({ jobs: 2, changed: 0, pruned: [] })
    expect(await json('promote', 'dear@1', '--dry-run')).toMatchObject({ trial: trials[0] })
    expect(await json('report', 'dear@1', '--out', join(folder, 'page.html'))).toMatchObject({ trials: 2 })
  })
})

describe('looks', () => {
  const words = async () => /^best of at most .*$/m.exec((await dcalab(['leaderboard', 'cheap'])).out)?.[0]

  it('are counted over all studies, and with what was screened and backtested; the same grid counts once', async () => {
    expect(await words()).toBe(
      'best of at most 3 configurations tried on this market and time: 3 on the service, 0 locally',
    )
    writeFileSync(
      file,
      JSON.stringify({ name: 'wide', ...study, grid: { takeProfit: { from: 0.5, to: 5, step: 0.5 } } }),
    )
    for (const _ of [1, 2]) expect((await dcalab(['screen', file, '--workers', '1'])).code).toBe(0)
    const config = join(folder, 'config.json')
    writeFileSync(config, JSON.stringify({ config: { ...STUDY_BASE, dcaPriceScalePercent: 3 } }))
    for (const _ of [1, 2]) expect((await dcalab(['backtest', config, '--candles', MARKET])).code).toBe(0)
    expect(await words()).toBe(
      'best of at most 14 configurations tried on this market and time: 3 on the service, 11 locally',
    )
    const looks = { shown: 3, scanned: 11 }
    const [row] = await json('leaderboard', 'cheap')
    expect(row.tried).toEqual(looks)
    expect((await json('promote', 'cheap', '--dry-run')).tried).toEqual(looks)
    expect((await dcalab(['promote', 'cheap', '--dry-run'])).out).toContain('one of at most 14 configurations')
    const page = join(folder, 'looks.html')
    await json('report', 'cheap', '--out', page)
    expect(visibleText(readFileSync(page, 'utf8'))).toContain(`Tried${await words()}`)
  })

  it('count in a store that is made for them', async () => {
    const nowhere = join(folder, 'none.sqlite')
    const config = join(folder, 'config.json')
    expect((await dcalab(['backtest', config, '--candles', MARKET, '--store', nowhere])).err).toBe('')
    expect((await dcalab(['screen', file, '--workers', '1', '--store', nowhere])).code).toBe(0)
    const { out } = await dcalab(['sql', 'select source, configs from tried order by 1', '--store', nowhere, '--json'])
    expect(JSON.parse(out)).toEqual([
      { source: 'backtest', configs: 1 },
      { source: 'screen', configs: expect.any(Number) },
    ])
  })
})

it('a promoted bot that is started by itself is started in the views and in what dcalab says', async () => {
  const { botId } = await json('promote', 'cheap', '--yes', '--accept', 'notJudged')
  expect(sql('select started_at from bots')).toEqual([{ started_at: null }])
  expect((await dcalab(['bots', 'start', botId])).code).toBe(0)
  const [{ started_at: at }] = sql('select started_at from bots')
  expect((await dcalab(['status'])).out).toContain(`, started ${at}\n`)
})

describe('a study that is renamed, archived, removed', () => {
  it('moves with its revisions and runs, while its submissions keep the name they were sent with', async () => {
    expect(await failure('study', 'rename', 'dear', 'cheap')).toMatchObject({ exit: 2, code: 'usage' })
    expect(await failure('study', 'rename', 'dear', '../x')).toMatchObject({ exit: 2, code: 'usage' })
    expect(await json('study', 'rename', 'dear', 'costly')).toEqual({ from: 'dear', to: 'costly' })
    expect(await failure('leaderboard', 'dear')).toMatchObject({ code: 'notFound' })
    expect(await fingerprintsOf('costly@1')).toEqual(trials)
    expect(sql("select distinct study from attempts where name like 'dcalab-dear-%'")).toEqual([{ study: 'dear' }])
    expect((await json('promote', 'costly', '--dry-run')).botName).toMatch(/^dcalab-costly-/)
    for (const view of ['results', 'attempts', 'deals']) {
      const rows = JSON.parse(
        `[${(await dcalab(['export', 'costly', '--view', view, '--out', '-', '--format', 'ndjson'])).out.trim().split('\n').join()}]`,
      )
      expect({ view, names: [...new Set(rows.map((row: { study: string }) => row.study))] }).toEqual({
        view,
        names: ['dear'],
      })
    }
    // `export store` is all of them, also where a study has that name.
    await json('study', 'rename', 'costly', 'store')
    const all = await dcalab(['export', 'store', '--out', '-'])
    expect(all.err).toBe(
      'note: exported all studies; to export the study named store, rename it: dcalab study rename\n',
    )
    expect(all.out).toContain(',cheap,')
    await json('study', 'rename', 'store', 'costly')
    const [{ units }] = sql("select sum(units) as units from study_runs where study = 'costly'")
    const asked = ['--param', 'study=costly']
    expect(await json('sql', '--example', 'cost-of-each-insight', ...asked)).toMatchObject([
      { study: 'costly', units, results: units },
    ])
    expect(await json('sql', '--example', 'units-per-day', ...asked)).toMatchObject([{ units, studies: 1 }])
    const page = await json('report', 'costly', '--out', join(folder, 'page.html'))
    expect(page.trials).toBe(1)
  })

  it('is left out of lists until --all asks for it', async () => {
    const names = async (...args: string[]) =>
      (await json('study', 'list', ...args)).map(({ name }: { name: string }) => name)
    await json('study', 'archive', 'costly')
    expect(await names()).toEqual(['cheap'])
    expect(await names('--all')).toEqual(expect.arrayContaining(['cheap', 'costly']))
    expect((await json('status')).studies).toHaveLength(1)
    expect((await json('status', '--all')).studies).toHaveLength(2)
    await json('study', 'archive', 'costly', '--undo')
    expect(await names()).toHaveLength(2)
    expect(await failure('study', 'archive', 'costly', '--undo')).toMatchObject({ code: 'usage' })
  })

  it('leaves its results, its ledger and its looks when it is removed', async () => {
    const kept =
      'select (select count(*) from result) r, (select count(*) from attempt) a, (select sum(configs) from tried) l'
    const before = sql(kept)
    expect(await json('study', 'rm', 'costly')).toEqual({
      study: 'costly',
      revisions: 2,
      kept: { results: 4, attempts: 2, runs: 2, screens: 0 },
    })
    expect(sql(kept)).toEqual(before)
    expect(sql("select revision, units from study_runs where study = 'costly' and units > 0")).toEqual([
      { revision: null, units: 2 },
    ])
    expect(await failure('study', 'list', 'costly')).toMatchObject({ code: 'notFound' })
    expect((await dcalab(['show', trials[0], '--settings', 'none'])).code).toBe(2)
    // The same study again costs nothing: its results are still there.
    expect(await run({ ...dear, name: 'costly' })).toMatchObject({ trials: { total: 2, done: 2, reused: 2 } })
  })
})

describe('pruned results', () => {
  it('a dry run says how much, and drops nothing', async () => {
    dcalab.advance(400 * DAY)
    const report = await json('store', 'clean', '--older-than', '1y', '--dry-run')
    expect(report).toMatchObject({ dryRun: true, series: { results: 5 }, file: { after: null } })
    expect(report.replies.rows).toBeGreaterThanOrEqual(5)
    expect(report.replies.bytes).toBeGreaterThan(1000)
    expect((await json('store', 'clean', '--older-than', '2y', '--dry-run')).replies.rows).toBe(0)
    expect(sql('select count(*) n from reply where body is null')).toEqual([{ n: 0 }])
    expect(await failure('store', 'clean', '--older-than', '3m')).toMatchObject({ exit: 2, code: 'usage' })
  })

  it('keep every metric, attempt and job, and say when they were pruned', async () => {
    const ledger =
      'select count(*) attempts, (select count(*) from job) jobs, (select sum(net_profit) from result) profit from attempt'
    const before = sql(ledger)
    const { series } = await json('store', 'clean', '--older-than', '1y')
    expect(series).toMatchObject({ results: 5 })
    expect(series.deals).toBeGreaterThan(5)
    expect(sql(ledger)).toEqual(before)
    expect(sql('select count(*) n from deal')).toEqual([{ n: 0 }])
    expect(await json('store', 'clean', '--older-than', '1y')).toMatchObject({
      replies: { rows: 0 },
      series: { results: 0 },
    })
    const nothing = await dcalab(['store', 'clean', '--older-than', '1y'])
    expect(nothing).toMatchObject({ err: '', out: expect.stringMatching(/^nothing to delete from before [^\n]+\n$/) })

    // What the dropped deals would say is not 0, but NULL.
    const [{ closed_deals, closed_at_a_loss, deals_in_the_red }] = await json('sql', '--example', 'worst-open-loss')
    expect({ closed_at_a_loss, deals_in_the_red }).toEqual({ closed_at_a_loss: null, deals_in_the_red: null })
    expect(closed_deals).toBeGreaterThan(0)
    const [trial] = (await fingerprintsOf('cheap')).filter((fingerprint) => !trials.includes(fingerprint))
    const shown = await json('show', trial)
    const day = shown.prunedAt.slice(0, 10)
    expect(shown).toMatchObject({ deals: null, metrics: { dailyEquity: [] } })
    expect(shown.metrics.closedDeals).toBeGreaterThan(0)
    expect((await dcalab(['show', trial])).out).toContain(`pruned   on ${day}`)
    expect(await json('service', 'verify', trial)).toMatchObject({
      equal: true,
      missing: [`dailyEquity: deleted on ${day}`, `deals: deleted on ${day}`],
    })
    const { code, out } = await dcalab(['store', 'reread'])
    expect(code).toBe(0)
    expect(out).toContain(`5 not read: their replies were deleted on ${day}; their columns stay`)
    const kept = sql(
      'select count(*) as n from results r join deals using (identity, job_id) where pruned_at is not null',
    )
    expect(kept).toEqual([{ n: 0 }])
  })
})
