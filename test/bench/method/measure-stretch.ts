/** Everything that is measured on one stretch; `summarize.ts` makes figures of many. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { type Conventions, NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import type { SweepColumns } from '../../../src/engine/jump/columns.ts'
import type { PreparedCandles } from '../../../src/engine/jump/prepared.ts'
import { createSweep, type SweepOptions } from '../../../src/engine/jump/sweep.ts'
import type { Random } from '../../../src/engine/random.ts'
import { mean } from '../../../src/workbench/analysis/quantiles.ts'
import { createGrid } from '../../../src/workbench/study/grid.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { rowsOf } from '../configs.ts'
import { type EarlyStop, stopEarly } from './early-stop.ts'
import { DEFAULT_TERMS, drawTerms, randomFor, type Terms } from './hidden-settings.ts'
import { RANDOM_CONFIGS, shareMatched, winnersOf } from './hundreds.ts'
import { screenLocally } from './local-screen.ts'
import { forEachName, type MeasureName, type RuleName, SCREENS, type ScreenName, type SpendingName } from './names.ts'
import { type Persistence, persistenceOf, type SpanResults } from './persistence.ts'
import { percentileAmong, rowOfMost } from './ranks.ts'
import { BASE, GRID_AXES, randomConfigs } from './space.ts'
import type { Spans } from './spans.ts'
import type { Stretch } from './stretches.ts'

/** Paid for from the top of a screen: of 40, eight are samples. */
const LIST = 32
/** The same where six jobs went to calibration. */
const LIST_AFTER_PROBES = 26
const SAMPLES = 8
const GRID_POINTS = 100

/** What a configuration, or the mean of several, did on test. */
export interface NextResult {
  /** Of its net profit among the random configurations. */
  readonly percentile: number
  /** Net profit in quote. */
  readonly profit: number
}

export interface StretchRecord {
  readonly stretch: Stretch
  /** What the hidden settings say of the inside of a candle. */
  readonly intrabar: Conventions['intrabar']
  /** Whether the market's last close is above its first open. */
  readonly rises: { readonly train: boolean; readonly test: boolean }
  /** (a): share of the hundreds that were matched. */
  readonly matched: Readonly<Record<SpendingName, number>>
  /** (b) */
  readonly next: Readonly<Record<RuleName, NextResult>>
  readonly persistence: Readonly<Record<MeasureName, Persistence>>
  /** (c) */
  readonly stops: Readonly<Record<ScreenName, EarlyStop>>
}

/** The configurations that were drawn or chosen, before anything is known of test. */
interface Candidates {
  readonly random: readonly DcaSpotConfig[]
  readonly gridPoints: readonly DcaSpotConfig[]
  readonly lists: Readonly<Record<ScreenName, readonly DcaSpotConfig[]>>
}

/** The same stretch and seed give the same record on every machine. */
export async function measureStretch(stretch: Stretch, { train, test }: Spans, seed: string): Promise<StretchRecord> {
  const random = randomFor(seed, nameOf(stretch))
  const terms = drawTerms(random)
  const candidates: Candidates = {
    random: randomConfigs(random, RANDOM_CONFIGS),
    gridPoints: randomGridPoints(random, GRID_POINTS),
    lists: await screenAll(train, terms),
  }
  const before = runSpan(train, terms, candidates.random)
  const after = runSpan(test, terms, candidates.random)
  const confirmed = forEachName(SCREENS, (name) => profitsOf(train, terms, candidates.lists[name]))
  const { netProfit } = before.own
  return {
    stretch,
    intrabar: terms.conventions.intrabar,
    rises: { train: isRise(train), test: isRise(test) },
    matched: {
      ...forEachName(SCREENS, (name) => shareMatched(confirmed[name], netProfit)),
      point26: shareMatched(confirmed.point.slice(0, LIST_AFTER_PROBES), netProfit),
      pointFirst: shareMatched(confirmed.point.slice(0, 1), netProfit),
    },
    next: lookNext(candidates, { confirmed, before, after, run: (configs) => profitsOf(test, terms, configs) }),
    persistence: persistenceOf(before, after),
    stops: forEachName(SCREENS, (name) => stopEarly(confirmed[name], [...netProfit.subarray(0, SAMPLES)])),
  }
}

function nameOf({ file, interval, train, test }: Stretch): string {
  return [file, interval, train.from, test.from, test.to].join(' ')
}

async function screenAll(train: PreparedCandles, terms: Terms): Promise<Candidates['lists']> {
  const of = { prepared: train, top: LIST }
  return {
    point: await screenLocally({ ...of, terms }),
    uncalibrated: await screenLocally({ ...of, terms: DEFAULT_TERMS }),
  }
}

interface Looked {
  readonly confirmed: Readonly<Record<ScreenName, readonly number[]>>
  readonly before: SpanResults
  readonly after: SpanResults
  /** Net profits on test. */
  readonly run: (configs: readonly DcaSpotConfig[]) => readonly number[]
}

/** What became on test of what each rule had chosen on train. */
function lookNext({ lists, gridPoints }: Candidates, { confirmed, before, after, run }: Looked) {
  const population = after.own.netProfit
  const resultOf = (profits: readonly number[]): NextResult => ({
    percentile: mean(profits.map((profit) => percentileAmong(population, profit))) ?? Number.NaN,
    profit: mean(profits) ?? Number.NaN,
  })
  const ofConfirmed = (name: ScreenName) => resultOf(run([lists[name][rowOfMost(confirmed[name])]]))
  return {
    ...forEachName(SCREENS, ofConfirmed),
    gridPoint: resultOf(run(gridPoints)),
    random: resultOf(winnersOf(before.own.netProfit).map((row) => population[row])),
  }
}

function randomGridPoints(random: Random, count: number): DcaSpotConfig[] {
  const grid = createGrid(plainStudy({ base: BASE, axes: GRID_AXES }))
  return Array.from({ length: count }, () => grid.configAt(Math.floor(grid.points * random.uniform())))
}

function runSpan(prepared: PreparedCandles, terms: Terms, configs: readonly DcaSpotConfig[]): SpanResults {
  return {
    own: sweep(prepared, terms, configs, 'full'),
    stressed: sweep(prepared, stressedTerms(terms), configs, 'profit'),
  }
}

/** Never milder than the terms themselves. */
function stressedTerms({ conventions, costs: { feePercent, slippagePercent } }: Terms): Terms {
  return {
    conventions: { ...conventions, intrabar: 'pessimistic' },
    costs: { feePercent: Math.max(feePercent, 0.2), slippagePercent: Math.max(slippagePercent, 0.05) },
  }
}

function profitsOf(prepared: PreparedCandles, terms: Terms, configs: readonly DcaSpotConfig[]): readonly number[] {
  return [...sweep(prepared, terms, configs, 'profit').netProfit]
}

function sweep(
  prepared: PreparedCandles,
  terms: Terms,
  configs: readonly DcaSpotConfig[],
  want: SweepOptions['want'],
): SweepColumns {
  return createSweep(prepared, { ...terms, symbol: NO_SYMBOL_RULES, want }).run(rowsOf(configs))
}

function isRise({ open, close, count }: PreparedCandles): boolean {
  return close[count - 1] > open[0]
}
