/**
 * One window of the league: rules of choosing play on 45 days, and what they chose is scored on the 15 days after them and, by its grade, on
 * the 15 after those. Fills are worst-case on the candles of the recording; the exposure against which holding is measured is fixed on train.
 */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { stressed } from '../../../src/engine/ambiguity-pair.ts'
import { buyAndHold } from '../../../src/engine/buy-and-hold.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { DAY_MS } from '../../../src/engine/daily-equity.ts'
import { runJump, runJumpOnce } from '../../../src/engine/jump/jump.ts'
import { prepareCandles, prepareForOneRun } from '../../../src/engine/jump/prepared.ts'
import { mean } from '../../../src/workbench/analysis/quantiles.ts'
import type { Terms } from '../../../src/workbench/evidence/replay/read-terms.ts'
import { createSimulation } from '../../../src/workbench/screen/simulate.ts'
import { type Evidence, runStretches } from '../../../src/workbench/verdict/evidence.ts'
import { type Grade, judge } from '../../../src/workbench/verdict/judge.ts'
import { plainLadder } from '../../../src/workbench/verdict/plain-ladder.ts'
import { compareStretches, countDisjoint, startsOf } from '../../../src/workbench/verdict/stretches.ts'
import { DEFAULT_TERMS, randomFor } from '../method/hidden-settings.ts'
import { percentileAmong } from '../method/ranks.ts'
import { INVESTMENT, randomConfigs } from '../method/space.ts'
import { type LeagueWindow, SPAN_DAYS, TRAIN_DAYS } from './markets.ts'

export const RULES = {
  netProfit: 'net profit',
  perUsed: 'profit per used capital',
  stressedPerUsed: 'stressed per used, ≥ 95 % in a deal',
  plateau: 'the same, mean with four neighbours',
  random: 'a random ladder',
  plain: 'the plain ladder',
  hold: 'holding',
} as const
export type Rule = keyof typeof RULES

/** Those that a study can have as its objective: what they choose is graded. */
export const GRADED: readonly Rule[] = ['netProfit', 'perUsed', 'stressedPerUsed']

/** On one span. */
interface Score {
  /** By profit per capital used, among the random ladders of the same span. */
  readonly percentile: number
  /** Quote on 1,000: net profit less what the capital it used on train earned when it was held. */
  readonly excess: number
  readonly losesFivePercent: boolean
}

export interface GradedRecord {
  readonly rule: Rule
  readonly grade: Grade
  readonly after: Score
  /** Whether the next span ended where "what to expect" said; null = it said nothing. */
  readonly covered: {
    readonly profit: boolean
    readonly drawdown: boolean
    readonly market: 'rose' | 'stood' | 'fell'
  } | null
}

export interface WindowRecord extends Pick<LeagueWindow, 'kind' | 'market' | 'cluster'> {
  readonly next: Readonly<Record<Rule, Score>>
  readonly graded: readonly GradedRecord[]
}

const TRIED = 100
const POPULATION = 1000
const LEAST_IN_DEAL = 95
const PLATEAU_OF = 20
const NEIGHBOUR = 1.15
const MOVED_PERCENT = 5
const LOSS = -0.05 * INVESTMENT

const terms: Terms = {
  ...DEFAULT_TERMS,
  conventions: { ...DEFAULT_TERMS.conventions, intrabar: 'pessimistic' },
  symbol: NO_SYMBOL_RULES,
}
const plain = plainLadder(INVESTMENT, terms)

/** undefined where candles are missing. @param sizes fewer for a test */
export function playWindow(
  window: LeagueWindow,
  seed: string,
  { tried = TRIED, population = POPULATION } = {},
): WindowRecord | undefined {
  const spans = spansOf(window)
  if (spans === undefined) return undefined
  const random = randomFor(seed, `league ${window.market} ${window.from}`)
  const chosen = choose(spans.train, randomConfigs(random, tried))
  const others = randomConfigs(random, population)
  const onNext = scorer(spans.train, spans.next, others)
  const onAfter = scorer(spans.train, spans.after, others)
  const held = 100 * holdReturn(spans.next)
  const next: Record<Rule, Score> = {
    netProfit: onNext.of(chosen.netProfit),
    perUsed: onNext.of(chosen.perUsed),
    stressedPerUsed: onNext.of(chosen.stressedPerUsed),
    plateau: onNext.of(chosen.plateau),
    random: onNext.of(chosen.random),
    plain: onNext.of(plain.config, plain.terms),
    hold: {
      percentile: percentileAmong(onNext.values, held),
      excess: 0,
      losesFivePercent: (held / 100) * INVESTMENT < LOSS,
    },
  }
  const graded = GRADED.map((rule): GradedRecord => {
    const config = chosen[rule as 'netProfit' | 'perUsed' | 'stressedPerUsed']
    const verdict = judge(evidenceOf(window, spans.train, config), { trial: 'winner', study: 'league' })
    return {
      rule,
      grade: verdict.grade,
      after: onAfter.of(config),
      covered: coverage(verdict.expect, spans.next, config),
    }
  })
  const { kind, market, cluster } = window
  return { kind, market, cluster, next, graded }
}

interface Spans {
  readonly train: Candles
  readonly next: Candles
  readonly after: Candles
}

function spansOf({ candles, from }: LeagueWindow): Spans | undefined {
  const at = (day: number) => from + day * DAY_MS
  const cut = (first: number, days: number) => {
    const part = sliceCandles(candles, at(first), at(first + days))
    return part.openTime.length >= (0.99 * days * DAY_MS) / candles.intervalMs ? part : undefined
  }
  const [train, next, after] = [cut(0, TRAIN_DAYS), cut(TRAIN_DAYS, SPAN_DAYS), cut(TRAIN_DAYS + SPAN_DAYS, SPAN_DAYS)]
  return train === undefined || next === undefined || after === undefined ? undefined : { train, next, after }
}

const READ = ['netProfit', 'netProfitPerUsedPercent', 'stressedPerUsed', 'timeInDealPercent'] as const

function choose(train: Candles, configs: readonly DcaSpotConfig[]) {
  const simulation = createSimulation(
    {
      chunks: { order: [], size: 5 * Math.max(configs.length, PLATEAU_OF) },
      prepared: prepareCandles(train),
      symbol: NO_SYMBOL_RULES,
    },
    terms,
    READ,
  )
  const measured = (of: readonly DcaSpotConfig[]) =>
    simulation.evaluate(of, 'stress', (read, config) => ({
      config,
      netProfit: read('netProfit') ?? 0,
      perUsed: read('netProfitPerUsedPercent') ?? Number.NEGATIVE_INFINITY,
      stressedPerUsed:
        (read('timeInDealPercent') ?? 0) < LEAST_IN_DEAL
          ? Number.NEGATIVE_INFINITY
          : (read('stressedPerUsed') ?? Number.NEGATIVE_INFINITY),
    })).verdicts
  const all = measured(configs)
  const by = (value: (one: (typeof all)[number]) => number) => all.toSorted((a, b) => value(b) - value(a))
  const best = by(({ stressedPerUsed }) => stressedPerUsed)
  const plateau = best.slice(0, PLATEAU_OF).map(({ config, stressedPerUsed }) => {
    const around = measured(neighboursOf(config)).map((one) => one.stressedPerUsed)
    return { config, value: mean([stressedPerUsed, ...around]) ?? 0 }
  })
  return {
    netProfit: by(({ netProfit }) => netProfit)[0].config,
    perUsed: by(({ perUsed }) => perUsed)[0].config,
    stressedPerUsed: best[0].config,
    plateau: plateau.toSorted((a, b) => b.value - a.value)[0].config,
    random: configs[0],
  }
}

function neighboursOf(config: DcaSpotConfig): DcaSpotConfig[] {
  return (['takeProfit', 'dcaPriceScalePercent'] as const).flatMap((field) =>
    [1 / NEIGHBOUR, NEIGHBOUR].map((by) => ({ ...config, [field]: config[field] * by })),
  )
}

/** What ladders come to on a span, among random ones on the same. */
function scorer(train: Candles, span: Candles, others: readonly DcaSpotConfig[]) {
  const prepared = prepareCandles(span)
  const portions = { order: [], size: others.length }
  const simulation = createSimulation({ chunks: portions, prepared, symbol: NO_SYMBOL_RULES }, terms, READ.slice(0, 2))
  const read = simulation.evaluate(others, 'risk', (metric) => metric('netProfitPerUsedPercent'))
  const values = read.verdicts.map((value) => value ?? 0)
  const held = holdReturn(span)
  const of = (config: DcaSpotConfig, on = terms): Score => {
    const { netProfit, netProfitPerUsedPercent } = once(span, config, on)
    return {
      percentile: percentileAmong(values, netProfitPerUsedPercent ?? 0),
      excess: netProfit - once(train, config, on).usedCapital.average * held,
      losesFivePercent: netProfit < LOSS,
    }
  }
  return { of, values }
}

function once(candles: Candles, config: DcaSpotConfig, on = terms) {
  return runJumpOnce({ candles, config, ...on }, prepareForOneRun(candles)).metrics
}

function holdReturn(candles: Candles): number {
  return buyAndHold(candles, terms.costs.feePercent / 100).returnPercent / 100
}

/** What a verdict would be given of the configuration at the end of train: all candles before it, and no hold-out. */
function evidenceOf({ candles, interval, from }: LeagueWindow, train: Candles, config: DcaSpotConfig): Evidence {
  const lengthMs = SPAN_DAYS * DAY_MS
  const period = { from, to: from + TRAIN_DAYS * DAY_MS }
  const history = { interval, from: candles.openTime[0], to: period.to, lengthMs }
  const stretches = runStretches(candles, startsOf(history, []), { config, worst: terms, lengthMs })
  const inside = stretches.filter((one) => one.from >= period.from && one.to <= period.to).length
  const { metrics } = runJump({ candles: train, config, ...terms })
  return {
    trial: {
      ...{ fingerprint: 'league', identity: 'league', simulated: true, settings: null, state: 'done', jobId: null },
      market: { exchange: 'league', baseAsset: 'BASE', quoteAsset: 'QUOTE' },
      ...{ period, config, metrics, metricFlags: {}, candles: null, conventions: null, costs: null, symbol: null },
      ...{ submittedAt: null, finishedAt: null, failure: null, deals: [], openDeal: null, engineVersion: null },
      ...{ prunedAt: null, revised: [] },
    },
    study: null,
    foreignService: null,
    isCalibrated: true,
    stretches: {
      value: {
        ...history,
        stretches,
        disjoint: countDisjoint(stretches),
        inside,
        against: compareStretches(stretches),
      },
    },
    honest: {
      value: {
        interval,
        worstCase: metrics.netProfit,
        bestCase: metrics.netProfitOptimistic,
        service: metrics.netProfit,
        stressed: once(train, config, stressed(terms)).netProfit,
        inDealPercent: metrics.timeInDealPercent,
      },
    },
    heldSameDays: { value: metrics.usedCapital.average * holdReturn(train) },
    market: { missing: 'not used by a grade' },
    localDifference: { value: 0 },
    agreementFailed: false,
    faults: [],
    thirdsPercent: [],
    tie: { missing: 'not compared' },
    tried: { shown: TRIED, scanned: 0 },
    chance: () => ({ missing: 'not asked' }),
    standing: null,
    beyond: null,
    examined: { ambiguity: null, deflated: null, overfit: null },
    holdout: null,
  }
}

function coverage(
  expected: ReturnType<typeof judge>['expect'],
  next: Candles,
  config: DcaSpotConfig,
): GradedRecord['covered'] {
  if (expected === null) return null
  const { netProfit, maxDrawdownPercent } = once(next, config)
  const change = 100 * ((next.close.at(-1) ?? Number.NaN) / next.open[0] - 1)
  return {
    profit: netProfit >= expected.low && netProfit <= expected.high,
    drawdown: maxDrawdownPercent <= expected.drawdownBelowPercent,
    market: change > MOVED_PERCENT ? 'rose' : change < -MOVED_PERCENT ? 'fell' : 'stood',
  }
}
