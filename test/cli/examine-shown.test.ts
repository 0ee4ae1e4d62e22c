/** Whoever shows a result says when it was examined last and what was found then, and examines nothing by itself. */

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ExaminedJson } from '../support/examined.ts'
import { examinedWorld, WORLD_STUDY, type World } from '../workbench/examine/examined-world.ts'

const HOUR = 3_600_000
const { name } = WORLD_STUDY
let world: World
let trial: string
const json = async (...args: readonly string[]) => JSON.parse((await world.dcalab([...args, '--json'])).out)
const text = async (...args: readonly string[]) => (await world.dcalab(args)).out
const run = () => ['run', join(world.folder, 'study.json')]

/** A trial of the study is run again, and its result comes in once the first check of an examination is kept. */
function bringResultMeanwhile(): void {
  const db = new Database(world.path)
  db.exec(`insert into attempt (identity, account, study, fingerprint, number, name, state, opened_at, counted_at, settled_at)
    select identity, account, study, fingerprint, 2, name || '-late', 'adopted', opened_at, counted_at, settled_at from attempt
      where fingerprint <> '${trial}' limit 1;
    insert into job (identity, remote_id, fingerprint, attempt_id, state, submitted_at)
      select identity, 'late', fingerprint, id, 'running', opened_at from attempt where number = 2;
    create trigger meanwhile after insert on examination_check begin update job set state = 'done' where remote_id = 'late'; end`)
  db.close()
}

beforeAll(async () => {
  world = await examinedWorld()
  trial = (await json('leaderboard', name))[0].fingerprint
})

describe('before it was examined', () => {
  it('a run judges its best, and every command repeats that verdict and the command that judges', async () => {
    const { headline, sentence } = (await json(...run())).best.verdict
    expect(headline).toBe('Do not use: it loses however orders fill')
    const said = `${headline.toUpperCase()}. ${sentence}`
    const inOneLine = (out: string) => out.replaceAll('\n', ' ')
    expect(
      inOneLine(await text(...run()))
        .trimEnd()
        .endsWith(said),
    ).toBe(true)
    for (const command of [['leaderboard', name] as const, ['show', trial] as const]) {
      expect(inOneLine(await text(...command))).toContain(`${said} (judged just now)`)
      world.dcalab.advance(3 * HOUR)
      expect(inOneLine(await text(...command))).toContain(`${said} (judged 3 hours ago)`)
      await text('verdict', name)
    }
    const [, second] = await json('leaderboard', name)
    expect(await text('show', second.fingerprint)).toContain(
      `not judged yet: dcalab verdict ${second.configFingerprint.slice(0, 8)}\n`,
    )
    expect(inOneLine(await text('promote', name, '--dry-run'))).toContain(said)
  })

  it('a run that brings nothing new says when it was judged, and judges again on other candles', async () => {
    const judgedAt = async () => {
      world.dcalab.advance(HOUR)
      return (await json(...run())).best.verdict.judgedAt
    }
    const judged = await judgedAt()
    expect(await judgedAt()).toBe(judged)
    const later = ['--market', 'synthetic/T-USDT', '--interval', '15m', '--from', '2024-03-01', '--days', '2']
    await text('candles', 'generate', ...later)
    const again = await judgedAt()
    expect(again > judged).toBe(true)
    expect(await judgedAt()).toBe(again)
    await text('verdict', name, '--horizon', '10') // another question
    expect((await judgedAt()) > again).toBe(true)
  })

  it('JSON has the verdict, and null for what was not judged or examined', async () => {
    const { grade } = await json('verdict', name)
    const shown = await json('show', trial)
    expect([shown.verdict.grade, shown.examination]).toEqual([grade, null])
    const [best, ...others] = await json('leaderboard', name)
    expect([best.verdict.grade, best.verdict.isStale]).toEqual([grade, false])
    expect(others.every((row: { verdict: unknown }) => row.verdict === null)).toBe(true)
    expect((await json('promote', name, '--dry-run')).verdict.grade).toBe(grade)
  })
})

describe('after it was examined', () => {
  let examined: ExaminedJson
  beforeAll(async () => {
    bringResultMeanwhile()
    examined = await json('examine', name)
  })

  it('JSON of the trial says when and on what', async () => {
    const { examinedAt, candlesHash } = examined
    const whole = { examinedAt, study: name, candlesHash, interval: '15m', engineVersion: expect.any(String) }
    expect((await json('show', trial)).examination).toEqual(whole)
  })

  it('its verdict is out of date where a result came in while it computed', async () => {
    const [best] = await json('leaderboard', name)
    expect([best.fingerprint, best.verdict.isStale]).toEqual([trial, true])
  })

  it('none of them examined anything', async () => {
    expect(await json('sql', 'select count(distinct examined_at) as n, min(examined_at) as at from verdicts')).toEqual([
      { n: 1, at: examined.examinedAt },
    ])
  })
})
