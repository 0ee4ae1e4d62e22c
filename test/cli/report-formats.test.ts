/** `dcalab report` in other formats than a page: its facts, and one chart by itself. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile, type TopLevelSpec } from 'vega-lite'
import { beforeAll, describe, expect, it } from 'vitest'
import { CHARTS } from '../../src/workbench/report/charts/charts.ts'
import { temporaryFolder } from '../support/folder.ts'
import { program } from '../support/program.ts'

const STUDY = `name: formats
market: { exchange: synthetic, baseAsset: BTC, quoteAsset: USDT }
period: { from: 2025-01-01, to: 2025-01-21 }
base: { investment: 1000, dcaTotalBudget: 1000, dcaInitialOrderSize: 25, stopLoss: 0, dcaVolumeScale: 1.2, dcaPriceStepMultiplier: 1 }
objective: { maximize: netProfit }
grid: { dcaMaxSafetyOrders: [1, 2, 4], dcaPriceScalePercent: [0.5, 1], takeProfit: [1, 2, 3] }
`

describe('a study of 18 trials', () => {
  const folder = temporaryFolder()
  const dcalab = program(folder, { XDG_STATE_HOME: folder })

  beforeAll(async () => {
    const file = join(folder, 'formats.yaml')
    writeFileSync(file, STUDY)
    const market = [
      '--market',
      'synthetic/BTC-USDT',
      '--interval',
      '5m',
      '--from',
      '2025-01-01',
      '--days',
      '20',
      '--seed',
      '3',
    ]
    expect((await dcalab(['candles', 'generate', ...market])).code).toBe(0)
    expect((await dcalab(['run', file])).code).toBe(0)
  })

  async function written(...args: readonly string[]): Promise<string> {
    const path = join(folder, 'written')
    expect((await dcalab(['report', 'formats', ...args, '--out', path])).code).toBe(0)
    return readFileSync(path, 'utf8')
  }

  it('--out - writes to stdout what a file would hold, and nothing else', async () => {
    const piped = async (...args: readonly string[]) => {
      const { code, out, err } = await dcalab([...args, '--out', '-'])
      expect([code, err]).toEqual([0, ''])
      return out
    }
    const chart = ['--format', 'json', '--chart', 'scatter']
    expect(await piped('report', 'formats', ...chart)).toBe(await written(...chart))
    for (const format of ['csv', 'ndjson']) {
      const path = join(folder, `rows.${format}`)
      expect((await dcalab(['export', 'formats', '--out', path])).code).toBe(0)
      expect(await piped('export', 'formats', '--format', format)).toBe(readFileSync(path, 'utf8'))
    }
    expect((await dcalab(['export', 'formats', '--out', '-', '--format', 'parquet'])).err).toContain('not to stdout')
    expect((await dcalab(['export', 'formats', '--out', '-', '--json'])).err).toContain('both write to stdout')
    const onTerminal = program(folder, { XDG_STATE_HOME: folder }, { onTerminal: true })
    expect((await onTerminal(['report', 'formats', '--out', '-'])).code).toBe(2)
    expect((await onTerminal(['export', 'formats', '--out', '-'])).out).not.toContain('\r')
  })

  it('as json is what its page shows: the same best, the same ranks, every metric of every trial', async () => {
    const { sections } = JSON.parse(await written('--format', 'json'))
    const ranked: readonly { fingerprint: string; rank: number; metrics: { netProfit: number } }[] = JSON.parse(
      (await dcalab(['leaderboard', 'formats', '--top', '50', '--json'])).out,
    )
    expect(sections).toHaveLength(1)
    expect(sections[0].best).toBe(ranked[0].fingerprint)
    expect(
      sections[0].trials.map((each: { trial: string; rank: number; metrics: { netProfit: number } }) => [
        each.trial,
        each.rank,
        each.metrics.netProfit,
      ]),
    ).toEqual(ranked.map(({ fingerprint, rank, metrics }) => [fingerprint, rank, metrics.netProfit]))
  })

  it('draws each of its charts as SVG in colours of its own, without a script or an address', async () => {
    for (const name of Object.keys(CHARTS)) {
      const path = join(folder, `${name}.svg`)
      const { code, err } = await dcalab(['report', 'formats', '--format', 'svg', '--chart', name, '--out', path])
      if (code !== 0) {
        expect(err).toContain(`this report has no chart "${name}"`)
        continue
      }
      const svg = readFileSync(path, 'utf8')
      expect(svg).toMatch(/^<svg /)
      expect(svg).not.toMatch(/var\(|<script|javascript:|href="http/)
      expect(svg.match(/<path/g)?.length).toBeGreaterThan(2)
    }
  })

  it('gives a chart as a Vega-Lite spec with its data, which Vega-Lite compiles', async () => {
    const spec: TopLevelSpec = JSON.parse(await written('--format', 'json', '--chart', 'scatter'))
    expect(() => compile(spec)).not.toThrow()
    expect(JSON.stringify(spec).match(/[0-9a-f]{12}\b/g)?.length).toBeGreaterThanOrEqual(18)
  })

  it.each([
    [['--format', 'svg'], 'expected --chart with the name of a chart'],
    [['--chart', 'scatter'], 'is drawn by itself, not as html'],
    [['--format', 'svg', '--chart', '../x'], 'this report has no chart "../x"'],
    [['--format', 'pdf'], 'Allowed choices are html, json, svg'],
    [['--candles', 'some'], 'Allowed choices are auto, full, none'],
  ])('%j is refused, and nothing is written', async (args, why) => {
    const { code, err } = await dcalab(['report', 'formats', ...args])
    expect(code).toBe(2)
    expect(err).toContain(why)
  })
})
