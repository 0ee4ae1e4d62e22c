/** The league on a few small windows: the same seed plays the same, and scores are computed a second way by the reference engine. */
import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { buyAndHold } from '../../../src/engine/buy-and-hold.ts'
import { sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { DAY_MS } from '../../../src/engine/daily-equity.ts'
import { runReferenceOnce } from '../../../src/engine/reference.ts'
import { plainLadder } from '../../../src/workbench/verdict/plain-ladder.ts'
import { projectRoot } from '../../support/dcalab.ts'
import { DEFAULT_TERMS, randomFor } from '../method/hidden-settings.ts'
import { randomConfigs } from '../method/space.ts'
import { drawWindows, madeUpWindow, SPAN_DAYS, TRAIN_DAYS } from './markets.ts'
import { playWindow } from './play.ts'
import { leagueTables } from './tables.ts'

const sizes = { tried: 6, population: 12 }
const window = madeUpWindow('planted', 'a seed', 0)

it('a window is played the same by the same seed, and its scores are those of the reference engine', () => {
  const record = playWindow(window, 'a seed', sizes)
  expect(playWindow(madeUpWindow('planted', 'a seed', 0), 'a seed', sizes)).toEqual(record)
  const { conventions, costs } = DEFAULT_TERMS
  const terms = { costs, conventions: { ...conventions, intrabar: 'pessimistic' as const }, symbol: NO_SYMBOL_RULES }
  const plain = plainLadder(1000, terms)
  const at = (day: number) => window.from + day * DAY_MS
  const train = sliceCandles(window.candles, at(0), at(TRAIN_DAYS))
  const next = sliceCandles(window.candles, at(TRAIN_DAYS), at(TRAIN_DAYS + SPAN_DAYS))
  const random = randomFor('a seed', `league ${window.market} ${window.from}`)
  const [, others] = [randomConfigs(random, sizes.tried), randomConfigs(random, sizes.population)]
  const perUsed = (config: (typeof others)[number], on = terms) =>
    runReferenceOnce({ ...on, candles: next, config }).metrics.netProfitPerUsedPercent ?? 0
  const own = runReferenceOnce({ ...plain.terms, candles: next, config: plain.config }).metrics
  const usual = runReferenceOnce({ ...plain.terms, candles: train, config: plain.config }).metrics.usedCapital.average
  const worse = others.filter((config) => perUsed(config) < (own.netProfitPerUsedPercent ?? 0)).length
  expect(record?.next.plain.percentile).toBeCloseTo((100 * worse) / sizes.population, 9)
  const held = buyAndHold(next, costs.feePercent / 100).returnPercent / 100
  expect(record?.next.plain.excess).toBeCloseTo(own.netProfit - usual * held, 7)
  expect(record?.graded.map(({ rule }) => rule)).toEqual(['netProfit', 'perUsed', 'stressedPerUsed'])
})

it('windows are different days of what it is given, and none of a recording that is too short', () => {
  const { candles, market, interval } = window
  const short = { market: 'short', interval, candles: sliceCandles(candles, window.from, window.from + 70 * DAY_MS) }
  const drawn = drawWindows([{ market, interval, candles }, short], 'a seed', 50)
  expect(new Set(drawn.map(({ from }) => from)).size).toBe(50)
  expect(new Set(drawn.map((one) => one.market))).toEqual(new Set([market]))
  expect(drawWindows([short], 'a seed', 5)).toEqual([])
})

it('a table has a line for every rule and every grade, with a dash where nothing is known', () => {
  const [rules, , grades] = leagueTables([])
  expect([rules.lines.length, grades.lines.length]).toEqual([7, 7])
  expect(grades.lines[0].slice(1)).toEqual(['0', '–', '–', '–', '–'])
})

it('the program itself draws a window, makes a market of each kind and prints every table', () => {
  execFileSync(process.execPath, ['.ci/build.mjs', 'bench-league'], { cwd: projectRoot })
  const program = ['dist/bench/league.js', '--seed', '1', '--windows', '1', '--markets', '1']
  const printed = execFileSync(process.execPath, program, { cwd: projectRoot, encoding: 'utf8' })
  expect(printed).not.toContain('NaN')
  const uncounted = (text: string) => text.replaceAll(/\d/g, '')
  for (const { title } of leagueTables([])) expect(uncounted(printed)).toContain(uncounted(title))
})
