/** What a run tells people while it goes on: one line on a terminal, a line a minute elsewhere, and never two things on one line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { withProgressLine } from '../../src/cli/long-work.ts'
import { formatDuration, say } from '../../src/cli/output.ts'
import { describeAllowance, describeProgress, watchProgress } from '../../src/cli/run-study-file.ts'
import type { Progress } from '../../src/workbench/run/progress.ts'
import { runStudy } from '../../src/workbench/run/run.ts'
import { openStore } from '../../src/workbench/store/store.ts'
import { folderInMemory, temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'
import { seenOn } from '../support/screen.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { testSystem } from '../support/system.ts'
import { scriptedService } from '../workbench/run/scripted-service.ts'
import { makeStudy, makeTrials, minute } from '../workbench/run/setup.ts'

const brisk: Progress = {
  total: 250,
  done: 37,
  failed: 0,
  running: 4,
  perSecond: 4.1,
  leftMs: 3_000,
  windows: 1,
  reopensAt: null,
  source: null,
}
const closed: Progress = {
  ...brisk,
  done: 100,
  running: 0,
  leftMs: 183_600_000,
  windows: 3,
  reopensAt: Date.parse('2026-01-02T00:01:00.250Z'),
  source: 'ledger',
}

const slow = { runsForMs: 20 * minute, longestMs: 1_900, stallsAt: Date.parse('2026-01-02T00:01:00.250Z') }

describe('the words', () => {
  it.each<[words: string, progress: Progress, sinceMs: number]>([
    ['37 of 250 done, 4 running · 4.1 a second · 3 s left', brisk, 0],
    ['37 of 250 done, 4 running · 4.1 a second · 1 s left', brisk, 2_500],
    ['37 of 250 done, 4 running, 2 failed · 3.0 a minute · 0 s left', { ...brisk, failed: 2, perSecond: 0.05 }, 9_000],
    ['37 of 250 done, 4 running · 3.6 an hour', { ...brisk, perSecond: 0.001, leftMs: null }, 0],
    ['37 of 250 done', { ...brisk, perSecond: null, leftMs: null, running: 0 }, 0],
    [
      '37 of 250 done, 4 running · 4.1 a second · done after about 3 daily limits (2 d)',
      { ...brisk, windows: 3, leftMs: 172_800_000 },
      0,
    ],
    [
      '248 of 250 done, 2 running · 4.1 a second · 1 s left · oldest job: 21 min so far, skipped at 2026-01-02T00:01:01Z (usual: up to 2 s)',
      { ...brisk, done: 248, running: 2, leftMs: 61_000, slowest: slow },
      60_000,
    ],
    [
      '249 of 250 done, 1 running · oldest job: 20 min so far, skipped at 2026-01-02T00:01:01Z (none has ended yet)',
      { ...brisk, done: 249, running: 1, slowest: { ...slow, longestMs: null } },
      0,
    ],
    [
      '100 of 250 done · next backtest, counted here, at 2026-01-02T00:01:01Z · done after about 3 daily limits (2 d 3 h)',
      closed,
      0,
    ],
    [
      '100 of 250 done · reopens at 2026-01-02T00:01:01Z · done after about 3 daily limits (2 d 3 h)',
      { ...closed, source: 'reported' },
      0,
    ],
    [
      '100 of 250 done · the service is full and gives no time; asked again at 2026-01-02T00:01:01Z',
      { ...closed, source: 'recheck', windows: null, leftMs: null },
      0,
    ],
  ])('a run says “%s”', (words, progress, sinceMs) => {
    expect(describeProgress(progress, sinceMs)).toBe(words)
  })

  it.each([
    [0, '0 s'],
    [1, '1 s'],
    [59_999, '1 min'],
    [65_000, '1 min 5 s'],
    [3_600_000, '1 h'],
    [86_400_000 + 59_000, '1 d'],
  ])('%i ms are %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words)
  })
})

/** A test's system whose stderr is a terminal, or is not, as a command is given it. */
function surroundings(errIsTerminal: boolean, sleep: 'held' | 'jump' = 'held') {
  const system = testSystem({ sleep })
  const { terminal, line } = withProgressLine({ ...system.terminal, errIsTerminal })
  return { ...system, printed: system.printed, system: { ...system, terminal }, line }
}

function shownOn(columns: number): readonly string[] {
  const system = testSystem()
  withProgressLine({ ...system.terminal, errIsTerminal: true, columns }).line.show('x'.repeat(50))
  return seenOn(system.printed().err).foot
}

describe('the daily limit', () => {
  const allowance = { limit: 500, used: 24, nextAt: null, source: null }

  it('says what is left as the rest, and as what can be sent where the service counts more or some are kept back', () => {
    const said = (available: number) => describeAllowance({ ...allowance, available }, String)
    expect(said(476)).toBe('daily limit: 24 of 500 used, 476 left')
    expect(said(76)).toBe('daily limit: 24 of 500 used, 76 can be sent now')
  })
})

describe('on a terminal', () => {
  it('there is one line, whose time left runs down between events, and nothing of it remains', async () => {
    const { system, line, advance, printed } = surroundings(true)
    const watch = watchProgress({ system, line })
    watch.emit({ kind: 'progress', ...brisk })
    await advance(1_000)
    await advance(1_000)
    watch.end()
    await advance(minute)
    const { lines, foot } = seenOn(printed().err)
    expect(foot).toEqual([3, 2, 1].map((s) => `37 of 250 done, 4 running · 4.1 a second · ${s} s left`))
    expect(lines).toEqual([])
  })

  it('whatever else is said stands on a line of its own above it', async () => {
    const { system, line, printed } = surroundings(true)
    const watch = watchProgress({ system, line })
    watch.emit({ kind: 'progress', ...brisk })
    say(system.terminal, 'waiting 5 s: the request rate is used up')
    system.terminal.err('service: something of its own\n')
    watch.emit({ kind: 'refused', message: 'no; pausing 60 s' })
    const words = '37 of 250 done, 4 running · 4.1 a second · 3 s left'
    const said = ['waiting 5 s: the request rate is used up', 'service: something of its own', 'no; pausing 60 s']
    expect(seenOn(printed().err).lines).toEqual([...said, words])
    await system.terminal.out('data\n')
    expect(seenOn(printed().err).lines).toEqual(said)
    watch.end()
  })

  it('a line that is longer than the terminal is cut, not wrapped', () => {
    expect(shownOn(20)).toEqual(['x'.repeat(19)])
  })

  it('a terminal that does not tell its width is trusted to be wide enough', () => {
    expect(shownOn(0)).toEqual(['x'.repeat(50)])
  })
})

describe('elsewhere', () => {
  it('there is a line a minute, and none at the end', async () => {
    const { system, line, advance, printed } = surroundings(false)
    const watch = watchProgress({ system, line })
    await advance(minute)
    watch.emit({ kind: 'progress', ...closed })
    await advance(59_999)
    expect(printed().err).toBe('waiting for the service to answer\n')
    await advance(1)
    watch.end()
    await advance(10 * minute)
    expect(printed().err.split('\n').slice(1)).toEqual([
      '100 of 250 done · next backtest, counted here, at 2026-01-02T00:01:01Z · done after about 3 daily limits (2 d 2 h)',
      '',
    ])
  })

  it('a run over three windows is never silent for more than a minute', async () => {
    const path = join(folderInMemory(), 'workbench.sqlite')
    const { system, line, clock } = surroundings(false, 'jump')
    const saidAt = [clock.monotonic()]
    const err = () => void saidAt.push(clock.monotonic())
    const watch = watchProgress({ system: { ...system, terminal: { ...system.terminal, err } }, line })
    const store = openStore(path, { system })
    const summary = await runStudy({
      system,
      store,
      client: scriptedService({ system }),
      study: makeStudy(),
      trials: makeTrials(250),
      options: { wait: true, onProgress: watch.emit },
    })
    watch.end()
    store.close()
    expect(summary).toMatchObject({ stoppedBy: null, trials: { done: 250 } })
    const silences = saidAt.slice(1).map((at, n) => at - saidAt[n])
    expect(silences.length).toBeGreaterThan(2 * 24 * 60)
    expect(Math.max(...silences)).toBeLessThanOrEqual(minute)
  })
})

describe('dcalab run', () => {
  let folder: string
  let file: string
  beforeAll(async () => {
    folder = temporaryFolder()
    file = join(folder, 'study.json')
    const market = { exchange: 'synthetic', baseAsset: 'MY', quoteAsset: 'USDT' }
    const grid = { dcaPriceScalePercent: { from: 0.1, to: 10.2, step: 0.1 } }
    const period = { from: '2024-01-01', to: '2024-01-03' }
    writeFileSync(file, JSON.stringify({ name: 'study', market, period, base: STUDY_BASE, grid }))
    await program(folder)([
      'candles',
      'generate',
      '--market',
      'synthetic/MY-USDT',
      '--from',
      '2024-01-01',
      '--days',
      '2',
    ])
  })

  it('says on a terminal that the request rate is used up, on a line of its own, and goes on', async () => {
    const { code, err } = await program(
      folder,
      {},
      { talkOnTerminal: true },
    )(['run', file, '--max', '5', '--rate', '4'])
    expect(code).toBe(0)
    const { lines, foot } = seenOn(err)
    expect(foot.some((line) => /^\d of 102 done/.test(line))).toBe(true)
    expect(lines.some((line) => line.startsWith('waiting '))).toBe(true)
    for (const line of lines)
      expect(line).toMatch(/^(still waiting, \d+ s more|waiting \d+ s): the request rate is used up$/)
  })

  it('leaves it to status to say in the same words when the allowance reopens and how long the rest takes', async () => {
    const dcalab = program(folder)
    expect((await dcalab(['run', file])).code).toBe(3)
    const { out } = await dcalab(['status', 'study'])
    expect(out).toMatch(
      /^100 of 102 done · next backtest, counted here, at \S+Z · done after about 1 daily limit \((1 d|\d+ h \d+ min|\d+ h)\)$/m,
    )
  })
})
