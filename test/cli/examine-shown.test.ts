/** Whoever shows a result says when it was examined last and what was found then, and examines nothing by itself. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { ExaminedJson } from '../support/examined.ts'
import { examinedWorld, WORLD_STUDY, type World } from '../workbench/examine/examined-world.ts'
import { visibleText } from '../workbench/report/document.ts'

const HOUR = 3_600_000
const { name } = WORLD_STUDY
let world: World
let trial: string
const json = async (...args: readonly string[]) => JSON.parse((await world.dcalab([...args, '--json'])).out)
const text = async (...args: readonly string[]) => (await world.dcalab(args)).out
const run = () => ['run', join(world.folder, 'study.json')]

beforeAll(async () => {
  world = await examinedWorld()
  trial = (await json('leaderboard', name))[0].fingerprint
})

describe('before it was examined', () => {
  it('every command names the one that examines', async () => {
    const hint = `not examined yet: dcalab examine ${name}\n`
    expect(await text('leaderboard', name)).toContain(hint)
    expect((await text(...run())).endsWith(hint)).toBe(true)
    expect(await text('promote', name, '--dry-run')).toContain(`sure?   ${hint}`)
    expect(await text('show', trial)).toContain(`not examined yet: dcalab examine ${trial.slice(0, 12)}\n`)
  })

  it('JSON says null', async () => {
    expect((await json('show', trial)).examination).toBeNull()
    expect((await json('leaderboard', name)).every((row: { examination: unknown }) => row.examination === null)).toBe(
      true,
    )
    expect((await json(...run())).best.examination).toBeNull()
    expect((await json('promote', name, '--dry-run')).examination).toBeNull()
  })
})

describe('after it was examined', () => {
  let examined: ExaminedJson
  beforeAll(async () => {
    examined = await json('examine', name)
  })

  it('every command says what was found, and how long ago', async () => {
    const ofWeight = (wanted: string) => examined.doubts.filter(({ weight }) => weight === wanted)
    const warned = ofWeight('warn').map(({ short }) => short)
    expect([ofWeight('block').length, warned.length > 0, ofWeight('info').length > 1]).toEqual([0, true, true])
    const found = [...warned, `${ofWeight('info').length} more worth knowing`].join(' · ')
    const line = (age: string) => `examined ${age} on 15m candles ${examined.candlesHash.slice(0, 12)}: ${found}\n`
    for (const [wait, age] of [
      [0, 'just now'],
      [1.1 * HOUR, '1 hour ago'],
      [50 * HOUR, '2 days ago'],
    ] as const) {
      world.dcalab.advance(wait)
      expect(await text('show', trial)).toContain(line(age))
      expect(await text('leaderboard', name)).toContain(line(age))
      expect((await text(...run())).endsWith(line(age))).toBe(true)
      expect(await text('promote', name, '--dry-run')).toContain(
        `sure?   examined ${age} (${examined.examinedAt}) on 15m candles ${examined.candlesHash.slice(0, 12)}\n`,
      )
    }
  })

  it('JSON has the whole of it', async () => {
    const { examinedAt, candlesHash, doubts } = examined
    const whole = { examinedAt, study: name, candlesHash, interval: '15m', engineVersion: expect.any(String), doubts }
    expect((await json('show', trial)).examination).toEqual(whole)
    const [best, ...others] = await json('leaderboard', name)
    expect(best.examination).toEqual(whole)
    expect(others.every((row: { examination: unknown }) => row.examination === null)).toBe(true)
    expect((await json(...run())).best.examination).toEqual(whole)
    const plan = await json('promote', name, '--dry-run')
    expect(plan.examination).toEqual({ ...whole, doubts: undefined })
    const codes = plan.doubts.map(({ code }: { code: string }) => code)
    expect(codes).toEqual(expect.arrayContaining(doubts.map(({ code }) => code)))
    expect(new Set(codes).size).toBe(codes.length)
  })

  it('the report names its time and candles, and says its doubts in words', async () => {
    const out = join(world.folder, 'report.html')
    await text('report', name, '--out', out)
    const html = readFileSync(out, 'utf8')
    expect(html).toContain(`candles <code>${examined.candlesHash.slice(0, 12)}</code>`)
    expect(html).toMatch(new RegExp(`Examined ${examined.examinedAt.slice(0, 10)}`))
    for (const { message } of examined.doubts) expect(visibleText(html)).toContain(message.replace(/[\s\u00a0]+/g, ' '))
  })

  it('none of them examined anything', async () => {
    expect(await json('sql', 'select count(*) as n, min(finished_at) as at from examinations')).toEqual([
      { n: 1, at: examined.examinedAt },
    ])
  })
})
