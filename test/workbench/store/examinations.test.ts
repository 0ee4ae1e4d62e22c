/** Examinations in the store: merged, renamed, asked for in SQL; and what a stranger wrote into one does nothing. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHECK_NAMES, examineResult } from '../../../src/workbench/evidence/examine/examine.ts'
import { openStore, type Store } from '../../../src/workbench/store/store.ts'
import { removeStudy, renameStudy } from '../../../src/workbench/store/study-upkeep.ts'
import { type Answer, type Program, program } from '../../support/program.ts'
import { testSystem } from '../../support/system.ts'
import { copyOf, examinedWorld, openWorld, WORLD_STUDY, type World } from '../examine/examined-world.ts'
import { everythingOf, mergeFrom } from './merge-setup.ts'

let world: World
beforeAll(async () => {
  world = await examinedWorld()
})

const open = (path: string): Store => openStore(path, { system: testSystem({ sleep: 'jump' }) })

async function examineAt(path: string, wall: string, signal?: AbortSignal, onProgress = (_: string): void => {}) {
  const { store, evaluation } = openWorld(world, path, {
    wall,
    onProgress,
    ...(signal === undefined ? {} : { signal }),
  })
  try {
    return await examineResult(store, evaluation)
  } finally {
    store.close()
  }
}

async function interrupt(path: string, wall: string): Promise<void> {
  const controller = new AbortController()
  const stop = (text: string) => void (text.startsWith('starts, check') && controller.abort(new Error('stop')))
  await expect(examineAt(path, wall, controller.signal, stop)).rejects.toThrow('stop')
}

const rowsOf = ({ db }: Store) =>
  db
    .prepare(
      `select fingerprint, identity, settings, study, begun_at, finished_at, (select json_group_object(name, coalesce(value_json, reason))
        from examination_check c where c.examination = e.id) as checks from examination e order by begun_at, finished_at`,
    )
    .all()

describe('two stores', () => {
  const [monday, tuesday, friday] = ['2026-02-02T08:00:00.000Z', '2026-02-03T08:00:00.000Z', '2026-02-06T08:00:00.000Z']

  it('become one with the finished examinations of both, whichever is merged into which, and however often', async () => {
    const [ours, theirs] = [copyOf(world, 'ours'), copyOf(world, 'theirs')]
    await examineAt(ours, monday)
    await examineAt(theirs, tuesday)
    await interrupt(theirs, friday)
    const [backwards, forwards] = [open(copyOf({ ...world, path: theirs }, 'backwards')), open(ours)]
    expect(await mergeFrom(forwards, theirs)).toMatchObject({ added: { examinations: 1 } })
    expect(await mergeFrom(backwards, ours)).toMatchObject({ added: { examinations: 1 } })
    const finished = rowsOf(forwards)
    expect(finished).toMatchObject([{ finished_at: monday }, { finished_at: tuesday }])
    expect(rowsOf(backwards)).toEqual([...finished, expect.objectContaining({ finished_at: null })])
    const whole = everythingOf(forwards)
    expect(await mergeFrom(forwards, theirs)).toMatchObject({ added: { examinations: 0 } })
    expect(everythingOf(forwards)).toEqual(whole)
    for (const store of [forwards, backwards]) store.close()
  })

  it('of which one is a copy of the other in the middle of an examination keep what each finished', async () => {
    const ours = copyOf(world, 'begun')
    await interrupt(ours, monday)
    const theirs = copyOf({ ...world, path: ours }, 'begun-copy')
    await examineAt(theirs, tuesday)
    const store = open(ours)
    expect(await mergeFrom(store, theirs)).toMatchObject({ added: { examinations: 1 } })
    store.close()
    await examineAt(ours, friday)
    const after = open(ours)
    expect(rowsOf(after)).toMatchObject([
      { begun_at: monday, finished_at: tuesday },
      { begun_at: monday, finished_at: friday },
    ])
    const checks = after.db.prepare('select count(*) from examination_check group by examination').pluck().all()
    expect(checks).toEqual([CHECK_NAMES.length, CHECK_NAMES.length])
    expect(await mergeFrom(after, theirs)).toMatchObject({ added: { examinations: 0 } })
    after.close()
  })
})

it('an examination moves with its study’s name, and stays when the study is removed', async () => {
  const path = copyOf(world, 'renamed')
  await examineAt(path, '2026-02-02T08:00:00.000Z')
  const store = open(path)
  await renameStudy(store, { from: WORLD_STUDY.name, to: 'seen-again' })
  expect(rowsOf(store)).toMatchObject([{ study: 'seen-again' }])
  await removeStudy(store, 'seen-again')
  expect(rowsOf(store)).toMatchObject([{ study: 'seen-again', finished_at: '2026-02-02T08:00:00.000Z' }])
  store.close()
})

it('SQL tells the numbers that examine says', async () => {
  const path = copyOf(world, 'asked')
  await examineAt(path, '2026-02-02T08:00:00.000Z')
  const { checks } = await examineAt(path, '2026-02-03T08:00:00.000Z')
  // A verdict has the numbers of the last examination of its result.
  const judged = open(path)
  judged.db.exec(`insert into verdict (fingerprint, identity, settings, study, rules, grade, judged_at, verdict_json, stretches_json)
    select fingerprint, identity, settings, study, 'verdict-1', 'notJudged', finished_at, '{}', '[]' from examination limit 1`)
  judged.close()
  const dcalab = program(world.folder, { DCALAB_STORE: path, XDG_STATE_HOME: world.folder })
  const [last] = JSON.parse((await dcalab(['sql', 'select * from verdicts', '--json'])).out)
  expect(last).toMatchObject({
    study: WORLD_STUDY.name,
    net_profit_pessimistic: checks.ambiguity?.pessimistic,
    net_profit_optimistic: checks.ambiguity?.optimistic,
    start_percentile: checks.starts?.percentile,
    start_q1: checks.starts?.q1,
    start_median: checks.starts?.median,
    start_q3: checks.starts?.q3,
    tp_best: checks.takeProfitCurve?.best.to,
    tp_best_profit: checks.takeProfitCurve?.best.netProfit,
    tp_basin_from: checks.takeProfitCurve?.basin.from,
    tp_basin_to: checks.takeProfitCurve?.basin.to,
    tp_band_percentile: checks.takeProfitCurve?.band?.percentile,
    tp_band_median: checks.takeProfitCurve?.band?.median,
    tp_certified_percent: 100,
    next_span_rho: checks.nextSpan?.rho,
    walk_forward_percentile: checks.walkForward?.meanPercentile,
    walk_forward_profit: checks.walkForward?.profit,
    exposed_hold_profit: checks.benchmark?.exposedHold.profit,
    standard_error: checks.noise?.standardError,
    local_difference: 0,
  })
  const refused = JSON.parse(last.refused_json)
  expect([...Object.keys(refused), ...Object.keys(JSON.parse(last.checks_json))].sort()).toEqual(
    [...CHECK_NAMES].sort(),
  )
  expect(refused.sharpe).toBe('12 daily returns, at least 30 needed')
})

describe('what a stranger wrote into an examination', () => {
  const ESCAPE = '\u001b[2J\u009b31m\u202e'
  const HTML = '<img src=x onerror=alert(1)>'
  let number = 0

  /** Merges a store of somebody who examined the winner and wrote this over what was found. */
  async function mergeWith(texts: string): Promise<Program> {
    const [theirs, ours] = [copyOf(world, `theirs-${++number}`), copyOf(world, `ours-${number}`)]
    await examineAt(theirs, '2026-02-03T08:00:00.000Z')
    const db = new Database(theirs)
    db.exec(`update examination set ${texts}`)
    db.close()
    const store = open(ours)
    await mergeFrom(store, theirs)
    store.close()
    return program(world.folder, { DCALAB_STORE: ours, XDG_STATE_HOME: world.folder })
  }

  async function sayAll(dcalab: Program): Promise<{ readonly said: readonly Answer[]; readonly html: string }> {
    const [{ fingerprint: trial }] = JSON.parse((await dcalab(['leaderboard', WORLD_STUDY.name, '--json'])).out)
    const html = join(world.folder, `report-${number}.html`)
    const said: Answer[] = []
    for (const command of [
      ['show', trial],
      ['show', trial, '--json'],
      ['leaderboard', WORLD_STUDY.name],
      ['leaderboard', WORLD_STUDY.name, '--json'],
      ['promote', WORLD_STUDY.name, '--dry-run'],
      ['promote', WORLD_STUDY.name, '--dry-run', '--json'],
      ['run', join(world.folder, 'study.json')],
      ['sql', 'select * from verdicts', '--format', 'ndjson'],
      ['report', WORLD_STUDY.name, '--out', html],
    ]) {
      const answer = await dcalab(command)
      expect([command.join(' '), answer.code]).toEqual([command.join(' '), 0])
      said.push(answer)
    }
    return { said, html: readFileSync(html, 'utf8') }
  }

  it('is neither obeyed by a terminal nor by a browser', async () => {
    const texts = `candle_interval = '${ESCAPE}${HTML}', candles_hash = '${ESCAPE}${HTML}', engine_version = '${ESCAPE}', study = '${ESCAPE}${HTML}'`
    const { said, html } = await sayAll(await mergeWith(texts))
    for (const { out, err } of said) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
      expect(`${out}${err}`).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e]/)
    }
    expect(html).not.toContain(HTML)
    expect(html).toContain('&lt;img src=x')
  })
})
