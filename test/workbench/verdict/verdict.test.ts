/** `dcalab verdict` on stored candles: every number of it computed a second way, and nothing of a hold-out used. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadCandles } from '../../../src/candles/folder/folder.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { runReference } from '../../../src/engine/reference.ts'
import { completeResults } from '../../../src/workbench/evidence/examine/complete-results.ts'
import { openStore } from '../../../src/workbench/store/store.ts'
import { storedStudy } from '../../../src/workbench/store/studies.ts'
import { findStudy } from '../../../src/workbench/store/study-records.ts'
import { connectAgent } from '../../support/agent.ts'
import { projectRoot } from '../../support/dcalab.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { type Program, program } from '../../support/program.ts'
import { STUDY_BASE } from '../../support/study-base.ts'
import { testSystem } from '../../support/system.ts'
import { visibleText } from '../report/document.ts'
import { expectRecomputed, ladderOf, type VerdictJson, worst } from './recomputed.ts'

const DAY = 86_400_000
const market = 'synthetic/T-USDT'

let folder: string
let dcalab: Program
let candles: Candles

const { takeProfit: _, ...base } = STUDY_BASE
const study = {
  name: 'judged',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-12-01', to: '2025-01-05' },
  validate: { holdout: '5d' },
  base,
  grid: { dcaPriceScalePercent: [0.5, 1], takeProfit: [0.6, 1, 1.4] },
}

beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, { XDG_STATE_HOME: folder })
  const made = ['--market', market, '--interval', '15m', '--from', '2024-01-01', '--days', '400', '--volatility', '60']
  expect((await dcalab(['candles', 'generate', ...made])).code).toBe(0)
  candles = loadCandles(join(folder, 'candles'), { market, interval: '15m' }).candles
  writeFileSync(join(folder, 'study.json'), JSON.stringify(study))
  expect((await dcalab(['run', join(folder, 'study.json')])).code).toBe(0)
})

const ladder = ladderOf(base.investment)

const judged = async (...more: readonly string[]): Promise<VerdictJson> => {
  const { out, code, err } = await dcalab(['verdict', study.name, '--stretches', '--json', ...more])
  expect([code, err]).toEqual([0, err])
  return JSON.parse(out)
}

it('compares a hold-out by worst-case fills, however the service filled it', async () => {
  const own = program(folder, { XDG_STATE_HOME: folder, DCALAB_STORE: join(folder, 'hopeful.sqlite') })
  const grid = { dcaPriceScalePercent: [0.2, 0.3], takeProfit: [0.2, 0.3] } // several levels in one candle
  const terms = { conventions: { intrabar: 'optimistic' } }
  const hopeful = { ...study, ...terms, name: 'hopeful', validate: { holdout: '10d' }, grid }
  writeFileSync(join(folder, 'hopeful.json'), JSON.stringify(hopeful))
  expect((await own(['run', join(folder, 'hopeful.json')])).code).toBe(0)
  expect(await own(['holdout', 'hopeful', '--test', '--reason', 'it is a test', '--yes'])).toMatchObject({ code: 0 })
  const { holdout, trial } = JSON.parse((await own(['verdict', 'hopeful', '--json'])).out)
  const { config } = JSON.parse((await own(['show', trial, '--study', 'hopeful', '--json'])).out)
  const [from, to] = [Date.parse('2024-12-26'), Date.parse('2025-01-05')]
  const held = sliceCandles(loadCandles(join(folder, 'candles'), { market, from, to }).candles, from, to)
  const perUsed = (intrabar: 'pessimistic' | 'optimistic', one = config) => {
    const conventions = { ...worst.conventions, intrabar }
    const { netProfit, usedCapital } = runReference({ ...worst, conventions, candles: held, config: one }).metrics
    return (100 * netProfit) / usedCapital.average
  }
  expect(holdout.perUsedPercent).toBeCloseTo(perUsed('pessimistic'), 8)
  expect(holdout.plainPerUsedPercent).toBeCloseTo(perUsed('pessimistic', ladder), 8)
  expect(perUsed('optimistic')).toBeGreaterThan(perUsed('pessimistic'))
})

it('a result without a stress test gets it from the candles here, to the bit; without candles it says what is missing', async () => {
  const copy = join(folder, 'without-stress.sqlite')
  copyFileSync(join(folder, 'workbench.sqlite'), copy)
  const store = openStore(copy, { system: testSystem() })
  const columns = 'select job_id, stressed_per_used_percent, time_in_deal_percent from result order by job_id'
  const reported = store.db.prepare(columns).all()
  expect(reported).toHaveLength(6)
  store.db.exec('update result set stressed_per_used_percent = null, time_in_deal_percent = null')
  const record = findStudy(store, study.name)
  if (record === undefined) throw new Error('the study was not run')
  const of = { study: storedStudy(record), knownOf: () => undefined }
  expect(await completeResults(store, { ...of, candlesFolder: join(folder, 'nowhere') })).toMatch(/synthetic\/T-USDT/)
  expect(await completeResults(store, { ...of, candlesFolder: join(folder, 'candles') })).toBe(null)
  expect(store.db.prepare(columns).all()).toEqual(reported)
  store.close()
})

/** Of the study itself: the check of its file, its verdict with all that was noted, and its report. */
async function saysOfTheStudy(name: string, ...others: readonly RegExp[]): Promise<void> {
  const { warnings } = JSON.parse((await dcalab(['study', 'check', join(folder, `${name}.json`), '--json'])).out)
  const said = warnings.map(({ message }: { message: string }) => message)
  expect(said).toEqual([expect.stringMatching(/take profit/), ...others.map((other) => expect.stringMatching(other))])
  const { out } = await dcalab(['verdict', name, '--all'])
  const lines = out.replaceAll(/\n {4}/g, ' ').split('\n')
  expect(lines.filter((line) => line.includes('about this study'))).toEqual([`  about this study: ${said[0]}`])
  const page = join(folder, `${name}.html`)
  await dcalab(['report', name, '--out', page])
  expect(visibleText(readFileSync(page, 'utf8')).split('About this study')).toEqual([
    expect.anything(),
    expect.stringContaining(said[0]),
  ])
}

describe('a study whose market has a year of candles', () => {
  it('has one grade, one headline and one count of configurations on every surface', async () => {
    const json = async (...args: readonly string[]) => JSON.parse((await dcalab([...args, '--json'])).out)
    const ran = (await json('run', join(folder, 'study.json'))).best
    const { grade, headline, tried, trial } = await judged()
    const [best, ...others] = await json('leaderboard', study.name)
    const report = join(folder, 'report.json')
    await dcalab(['report', study.name, '--format', 'json', '--out', report])
    const [section] = JSON.parse(readFileSync(report, 'utf8')).sections
    const found = {
      run: ran.verdict,
      leaderboard: best.verdict,
      show: (await json('show', trial)).verdict,
      promote: (await json('promote', study.name, '--dry-run')).verdict,
      holdout: (await json('holdout', study.name)).verdict,
      report: section.verdict,
    }
    for (const [surface, verdict] of Object.entries(found)) {
      expect([surface, verdict.grade, verdict.headline, verdict.tried]).toEqual([surface, grade, headline, tried])
    }
    const examined = await json('examine', study.name)
    expect(examined.verdict).toMatchObject({ grade, headline })
    expect(examined.checks.noise.lead).toBeLessThan(0) // ranked by another metric
    expect((await dcalab(['examine', study.name, '--all'])).out).toContain('net profit less that of the best other: −')
    expect([best.tried, (await json('show', trial)).tried, section.tried]).toEqual([tried, tried, tried])
    expect(others.every((row: { verdict: unknown }) => row.verdict === null)).toBe(true)
    const sql =
      'select l.grade, v.headline, v.tried_shown, v.tried_scanned from answers l join verdicts v using (fingerprint) limit 1'
    const [row] = await json('sql', sql)
    expect(row).toEqual({ grade, headline, tried_shown: tried.shown, tried_scanned: tried.scanned })
    const agent = await connectAgent(folder, [], { XDG_STATE_HOME: folder })
    const ofAgent = async (name: string, given: object) => (await agent.tool(name, { ...given })).body
    const ranked = await ofAgent('leaderboard', { study: study.name })
    const shown = await ofAgent('show_configuration', { id: trial })
    const toAgents = [
      { ...ranked.verdict, tried: ranked.tried },
      { ...shown.verdict, tried: shown.tried },
      await ofAgent('verdict', { target: study.name }),
    ]
    for (const verdict of toAgents) expect(verdict).toMatchObject({ grade, headline, tried })
    await agent.leave()
    const refused = await dcalab(['promote', study.name])
    for (const out of [
      (await dcalab(['leaderboard', study.name])).out,
      (await dcalab(['examine', study.name])).out,
      (await dcalab(['holdout', study.name])).out,
      refused.out,
    ])
      expect(out.replaceAll(/\s+/g, ' ')).toContain(headline.toUpperCase())
    expect(refused.code).toBe(2)
  })

  it('runs its stretches on all of them but what is held out, and says so again by the reference engine', async () => {
    const found = await judged()
    const { stretches, excess } = found
    const [{ out }] = await Promise.all([dcalab(['show', found.trial, '--json'])])
    const { config } = JSON.parse(out)
    expect(stretches.length).toBe(60)
    expect(stretches[0].from).toBe('2024-01-01T00:00:00.000Z')
    expect(stretches.at(-1)?.to).toBe('2024-12-31T00:00:00.000Z') // where the hold-out begins
    expect(stretches.every(({ from, to }) => Date.parse(to) - Date.parse(from) === 30 * DAY)).toBe(true)
    expect(stretches.every(({ from }) => Date.parse(from) % 900_000 === 0)).toBe(true) // they start on candles
    expect(excess?.disjoint).toBeLessThanOrEqual(12) // 366 days less 30 hold so many that do not overlap
    expect(excess?.disjoint).toBeGreaterThanOrEqual(10)
    expectRecomputed(found, { candles, config })
  })

  it('has the plain ladder below its ranking, without a rank: the days of the study by the reference engine', async () => {
    const [best, ...others] = JSON.parse((await dcalab(['leaderboard', study.name, '--json'])).out)
    const part = sliceCandles(candles, Date.parse('2024-12-01'), Date.parse('2024-12-31'))
    const { metrics } = runReference({ ...worst, candles: part, config: ladder })
    const { config, objective, metrics: shown, markets } = best.plainLadder
    expect([config, markets.length]).toEqual([ladder, 1])
    expect(objective).toBe(shown.stressedPerUsed)
    for (const name of ['netProfit', 'netProfitPerUsedPercent', 'stressedPerUsed', 'maxDrawdownPercent'] as const) {
      expect(shown[name]).toBeCloseTo(metrics[name] ?? Number.NaN, 8)
    }
    expect(others.map(({ plainLadder }: { plainLadder: unknown }) => plainLadder)).toEqual(others.map(() => null))
    const { out } = await dcalab(['leaderboard', study.name])
    expect(out).toMatch(/\n *\d+ +[0-9a-f]{8,}.*\n *[-–] +plain ladder +/)
    const elsewhere = program(folder, { XDG_STATE_HOME: folder, DCALAB_CANDLES: join(folder, 'nowhere') })
    expect((await elsewhere(['leaderboard', study.name])).out).not.toContain('plain ladder')
  })

  it('is kept: SQL shows the same, and each stretch', async () => {
    const found = await judged()
    const { out } = await dcalab([
      ...[
        'sql',
        '--json',
        'select grade, headline, excess_quote, is_stale from verdicts order by judged_at desc limit 1',
      ],
    ])
    expect(JSON.parse(out)).toEqual([
      { grade: found.grade, headline: found.headline, excess_quote: found.excess?.mean, is_stale: 0 },
    ])
    const summed = await dcalab([
      ...[
        'sql',
        '--json',
        "select avg(s.value ->> 'netProfit') as mean, count(*) as n from verdicts v, json_each(v.stretches_json) s where v.is_current group by v.trial limit 1",
      ],
    ])
    const mean = found.stretches.reduce((sum, { netProfit }) => sum + netProfit, 0) / found.stretches.length
    expect(JSON.parse(summed.out)[0].mean).toBeCloseTo(mean, 8)
  })

  it('fits a terminal, and says the same there', async () => {
    const { out } = await dcalab(['verdict', study.name])
    const [{ verdict }] = JSON.parse((await dcalab(['leaderboard', study.name, '--json'])).out)
    const lines = out.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(24)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80)
    expect(out).toContain(verdict.headline.toUpperCase())
    expect(out).toContain('not known: hold-out (the hold-out has not been opened)')
  })

  it('is of the study that was asked for, by whichever of its names, though another shares its results', async () => {
    const copy = join(folder, 'twins.sqlite')
    copyFileSync(join(folder, 'workbench.sqlite'), copy)
    const own = program(folder, { XDG_STATE_HOME: folder, DCALAB_STORE: copy })
    const json = async (...args: readonly string[]) => JSON.parse((await own([...args, '--json'])).out)
    writeFileSync(join(folder, 'twin.json'), JSON.stringify({ ...study, name: 'twin' }))
    expect((await json('run', join(folder, 'twin.json'))).trials).toMatchObject({ done: 6, reused: 6 })
    const { trial } = await json('verdict', study.name)
    for (const name of ['twin', study.name]) {
      expect(await json('verdict', trial, '--study', name)).toMatchObject({ study: name })
      const { judgedAt } = (await json('show', trial, '--study', name)).verdict
      const report = join(folder, `${name}-revision.json`)
      await own(['report', `${name}@1`, '--format', 'json', '--out', report])
      expect(JSON.parse(readFileSync(report, 'utf8')).sections[0].verdict).toMatchObject({ judgedAt })
      expect((await json('leaderboard', name))[0].verdict).toMatchObject({ judgedAt })
      expect((await json('promote', trial, '--study', name, '--dry-run')).study).toBe(name)
    }
  })

  it('does not use days that another study holds out', async () => {
    const other = {
      ...study,
      name: 'other',
      period: { from: '2024-03-01', to: '2024-05-01' },
      validate: { holdout: '30d' },
      grid: { dcaPriceScalePercent: [0.5, 1], takeProfit: [0.15, 1] },
    }
    writeFileSync(join(folder, 'other.json'), JSON.stringify(other))
    expect((await dcalab(['run', join(folder, 'other.json')])).code).toBe(0)
    await saysOfTheStudy('other', /up to 1 configuration/) // the verdict of the study before ran over them
    const { stretches } = await judged()
    const held = { from: Date.parse('2024-04-01'), to: Date.parse('2024-05-01') }
    expect(stretches.length).toBeGreaterThan(30)
    expect(stretches.filter(({ from, to }) => Date.parse(from) < held.to && Date.parse(to) > held.from)).toEqual([])
  })

  it('takes a third of the study’s period where ten of the horizon do not fit', async () => {
    const { excess, expect: expected } = await judged('--horizon', '60')
    expect([excess?.days ?? expected?.days]).toEqual([10])
  })

  it('computes its fills on the finest candles of the study’s days, though the result is of coarser ones', async () => {
    const made = ['--market', market, '--interval', '1m', '--from', '2024-12-01', '--days', '30', '--volatility', '60']
    expect((await dcalab(['candles', 'generate', ...made])).code).toBe(0)
    const { honest, trial } = await judged()
    const { config } = JSON.parse((await dcalab(['show', trial, '--json'])).out)
    const minutes = loadCandles(join(folder, 'candles'), { market, interval: '1m' }).candles
    const { netProfit } = runReference({ ...worst, candles: minutes, config }).metrics
    expect(honest).toMatchObject({ interval: '1m', worstCase: expect.closeTo(netProfit, 8) })
  })
})

it('no file of the program advises but those of the verdict', () => {
  const src = join(projectRoot, 'src')
  const advises =
    /`Run \$|Run \d+ safety orders|as a demo only|Run none of|must be answered first|speaks against believing it/
  const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.startsWith(join('workbench', 'verdict')))
    .filter((name) => advises.test(readFileSync(join(src, name), 'utf8')))
  expect(found).toEqual([])
})
