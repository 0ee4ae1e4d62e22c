/**
 * Fee and slippage as numbers. Under a set of conventions the profits of some jobs are smooth functions of both, except where a fill moves to
 * another candle; so both are solved for by Newton's method, from many starts.
 *
 *     test backtest A   one order, never sold: its profit gives the fee that goes with each slippage
 *     test backtest B   one order, sold by a stop a few times: along the line of A its profit leaves few pairs, mostly one
 *
 * Neither meets a safety order or a take profit, so few conventions matter to them: sets that predict the same of both are solved once.
 */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { CONVENTION_PRESETS, type Conventions, type Costs, type SymbolRules } from '../../../engine/conventions.ts'
import type { PreparedCandles } from '../../../engine/jump/prepared.ts'
import { CONFIG_ROW, createSweep, writeConfigRow } from '../../../engine/jump/sweep.ts'
import type { AssumedTerms } from './hypotheses.ts'

/** A profit that a service states, in quote. */
export interface StatedProfit {
  readonly config: DcaSpotConfig
  readonly profit: number
  /** How far a predicted one may be from it to be the same, above 0. */
  readonly tolerance: number
}

export interface CostFit {
  /** The pairs that explain the profits of the two test backtests: few, mostly one, or none. Those of few decimals are first. */
  solve(conventions: Conventions): readonly Costs[]
  /**
   * Of the pairs near a solved one those that explain the other profits as well, itself first: one, more where profits are rounded so much that
   * they leave a range, or none.
   */
  refine(settings: AssumedTerms, others: readonly StatedProfit[]): readonly Costs[]
}

interface FitTerms {
  readonly prepared: PreparedCandles
  readonly symbol: SymbolRules
}

/** Percent: what is dearer explains nothing. */
const MOST: Costs = { feePercent: 1, slippagePercent: 0.5 }
/** Percent of slippage between two starts. */
const STEP = 0.005
/** Fees as services set them are multiples of so many percent: such a pair is tried as it is. */
const ROUND = 0.0025
/** Percent, of a derivative: less than moves a fill to another candle, more than the last bits of a profit hide. */
const NEAR = 1e-5
const MOST_STEPS = 8
/** Percent of slippage that a fit may go from its start: others start beyond. */
const REACH = 10 * STEP
/** Percent between two pairs that are two. */
const APART = 1e-6
/** A fee of 0.1500000000003 is one of 0.15 where that explains the profits as well. */
const MOST_DECIMALS = 6

/** Sets that predict the same profits under all of these are solved together. */
const SAMPLES: readonly Costs[] = [
  { feePercent: 0.1, slippagePercent: 0.05 },
  { feePercent: 0.37, slippagePercent: 0.13 },
  { feePercent: 0.02, slippagePercent: 0.2 },
  { feePercent: 0.6, slippagePercent: 0.01 },
]

/** Of the range that pairs around a fit predict, how far a profit may lie beyond it. */
const BEYOND = 0.5
/** Of all that rounding leaves of the profits of the two test backtests. */
const WIDE_SHARES = [-0.9, -0.45, 0, 0.45, 0.9]
/** Pairs from which a further fit starts. */
const MOST_FITS = 12
/** Percent: fills move within a wider range. */
const WIDE = 1e-4

/** @param tests what the service states of the two jobs of `chooseCostTests` */
export function createCostFit(tests: readonly [StatedProfit, StatedProfit], terms: FitTerms): CostFit {
  const solved = new Map<string, readonly Costs[]>()
  return { solve, refine }

  function solve(conventions: Conventions): readonly Costs[] {
    const key = SAMPLES.map((costs) => profitsOf(tests, { conventions, costs }, terms).join()).join()
    const pairs = solved.get(key) ?? solveAnew(conventions)
    solved.set(key, pairs)
    return pairs
  }

  function solveAnew(conventions: Conventions): readonly Costs[] {
    const found: Costs[] = []
    for (let place = 0; place * STEP <= MOST.slippagePercent; place++) {
      const slippagePercent = roundTo(place * STEP, 3)
      const feePercent = feeAt({ conventions, slippagePercent })
      if (!(feePercent > -STEP && feePercent < MOST.feePercent)) continue
      const start = { conventions, costs: { feePercent, slippagePercent } }
      const rounded = { feePercent: roundTo(Math.round(feePercent / ROUND) * ROUND, 4), slippagePercent }
      if (explains({ conventions, costs: rounded }, tests, terms)) found.push(rounded)
      const fitted = fitFrom(start, tests, terms)
      if (fitted !== null) found.push(withFewDecimals({ conventions, costs: fitted }, tests, terms))
    }
    return found
      .filter((costs, at) => !found.slice(0, at).some((other) => distance(costs, other) < APART))
      .sort((one, other) => decimalsOf(one) - decimalsOf(other))
  }

  /** As long as no fill moves, a profit is a linear function of the fee. */
  function feeAt({ conventions, slippagePercent }: { conventions: Conventions; slippagePercent: number }): number {
    const [{ profit }] = tests
    const [free, dear] = [0, MOST.feePercent].map((feePercent) => {
      return profitsOf(tests.slice(0, 1), { conventions, costs: { feePercent, slippagePercent } }, terms)[0]
    })
    return (MOST.feePercent * (profit - free)) / (dear - free)
  }

  function refine({ conventions, costs }: AssumedTerms, others: readonly StatedProfit[]): readonly Costs[] {
    const stated = [...tests, ...others]
    const around = [costs, ...pairsAround({ conventions, costs })].map((each) => {
      return { costs: each, misses: missesOf({ conventions, costs: each }, stated, terms) }
    })
    const explaining = around.filter(({ misses }) => worstOf(misses) <= 1)
    if (explaining.length > 0) return explaining.map((each) => each.costs)
    const isWithin = others.every((_, at) => {
      const misses = around.map((each) => each.misses[tests.length + at])
      const [least, most] = [Math.min(...misses), Math.max(...misses)]
      const beyond = BEYOND * (most - least) + 1
      return least <= beyond && most >= -beyond
    })
    if (!isWithin) return []
    const nearest = around.toSorted((one, other) => worstOf(one.misses) - worstOf(other.misses)).slice(0, MOST_FITS)
    for (const start of nearest) {
      const fitted = fitFrom({ conventions, costs: start.costs }, stated, terms)
      if (fitted !== null) return [fitted]
    }
    return []
  }

  /** Pairs that explain the test backtests, over all that their rounding leaves. */
  function pairsAround({ conventions, costs }: AssumedTerms): readonly Costs[] {
    const misses = missesOf({ conventions, costs }, tests, terms)
    const [[a, b], [c, d]] = slopesAt({ conventions, costs }, tests, terms, misses)
    const determinant = a * d - b * c
    const missingBy = (wanted: number, other: number) => {
      const [one, two] = [wanted - misses[0], other - misses[1]]
      return clamp({
        feePercent: costs.feePercent + (d * one - b * two) / determinant,
        slippagePercent: costs.slippagePercent + (a * two - c * one) / determinant,
      })
    }
    const isWide = distance(missingBy(1, 1), missingBy(-1, -1)) + distance(missingBy(1, -1), missingBy(-1, 1)) > WIDE
    const shares = isWide ? WIDE_SHARES : [-0.9, 0.9]
    return shares.flatMap((one) => shares.map((other) => missingBy(one, other)))
  }
}

function withFewDecimals({ conventions, costs }: AssumedTerms, tests: readonly StatedProfit[], terms: FitTerms): Costs {
  for (let decimals = 2; decimals <= MOST_DECIMALS; decimals++) {
    const rounded = {
      feePercent: roundTo(costs.feePercent, decimals),
      slippagePercent: roundTo(costs.slippagePercent, decimals),
    }
    if (explains({ conventions, costs: rounded }, tests, terms)) return rounded
  }
  return costs
}

function roundTo(value: number, decimals: number): number {
  return Number(value.toFixed(decimals))
}

function decimalsOf({ feePercent, slippagePercent }: Costs): number {
  return String(feePercent).length + String(slippagePercent).length
}

function distance(one: Costs, other: Costs): number {
  return Math.max(Math.abs(one.feePercent - other.feePercent), Math.abs(one.slippagePercent - other.slippagePercent))
}

function explains(settings: AssumedTerms, stated: readonly StatedProfit[], terms: FitTerms): boolean {
  return worstOf(missesOf(settings, stated, terms)) <= 1
}

/** The pair near `costs` that explains all profits best, by Gauss–Newton steps; null where these end at none that explains them. */
function fitFrom(
  { conventions, costs: start }: AssumedTerms,
  stated: readonly StatedProfit[],
  terms: FitTerms,
): Costs | null {
  let costs = clamp(start)
  let best: Costs | null = null
  let least = 1
  for (let step = 0; step < MOST_STEPS; step++) {
    const misses = missesOf({ conventions, costs }, stated, terms)
    const miss = worstOf(misses)
    if (miss > least && best !== null) break
    if (miss <= least) [best, least] = [costs, miss]
    const next = stepFrom({ conventions, costs }, misses, slopesAt({ conventions, costs }, stated, terms, misses))
    if (next === null || Math.abs(next.slippagePercent - start.slippagePercent) > REACH) break
    costs = next
  }
  return best
}

function worstOf(misses: readonly number[]): number {
  return Math.max(...misses.map(Math.abs))
}

/** In tolerances. */
function missesOf(settings: AssumedTerms, stated: readonly StatedProfit[], terms: FitTerms): readonly number[] {
  const profits = profitsOf(stated, settings, terms)
  return stated.map(({ profit, tolerance }, at) => (profits[at] - profit) / tolerance)
}

/**
 * By how many tolerances each profit changes with a percent of fee, and with one of slippage.
 * @param here of `missesOf`
 */
function slopesAt(
  { conventions, costs }: AssumedTerms,
  stated: readonly StatedProfit[],
  terms: FitTerms,
  here = missesOf({ conventions, costs }, stated, terms),
) {
  const { feePercent, slippagePercent } = costs
  const dearer = missesOf({ conventions, costs: { slippagePercent, feePercent: feePercent + NEAR } }, stated, terms)
  const worse = missesOf({ conventions, costs: { feePercent, slippagePercent: slippagePercent + NEAR } }, stated, terms)
  return here.map((miss, at) => [(dearer[at] - miss) / NEAR, (worse[at] - miss) / NEAR] as const)
}

type Slopes = ReturnType<typeof slopesAt>

/** Null where the profits do not tell fee and slippage apart. */
function stepFrom({ costs }: AssumedTerms, misses: readonly number[], slopes: Slopes): Costs | null {
  let [ff, fs, ss, f, s] = [0, 0, 0, 0, 0]
  slopes.forEach(([byFee, bySlippage], at) => {
    ff += byFee * byFee
    fs += byFee * bySlippage
    ss += bySlippage * bySlippage
    f += byFee * misses[at]
    s += bySlippage * misses[at]
  })
  const determinant = ff * ss - fs * fs
  if (!(determinant > 1e-14 * ff * ss)) return null
  return clamp({
    feePercent: costs.feePercent - (ss * f - fs * s) / determinant,
    slippagePercent: costs.slippagePercent - (ff * s - fs * f) / determinant,
  })
}

function clamp({ feePercent, slippagePercent }: Costs): Costs {
  return {
    feePercent: Math.min(MOST.feePercent, Math.max(0, feePercent)),
    slippagePercent: Math.min(MOST.slippagePercent, Math.max(0, slippagePercent)),
  }
}

function profitsOf(
  jobs: readonly Pick<StatedProfit, 'config'>[],
  settings: AssumedTerms,
  { prepared, symbol }: FitTerms,
): readonly number[] {
  const rows = new Float64Array(jobs.length * CONFIG_ROW)
  jobs.forEach(({ config }, row) => {
    writeConfigRow(rows, row, config)
  })
  return [...createSweep(prepared, { ...settings, symbol, want: 'profit' }).run(rows).netProfit]
}

/** Percent below the base order, of stops that test backtest B may have. */
const STOPS = [1, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
/** Of a deal's capital, that its one order may take. */
const SHARES = [0.9, 0.45]
/** More stops leave more pairs. */
const MOST_STOPS = 12

/**
 * The two jobs that show costs best on these candles.
 * @param point a configuration of the study: its capital is theirs
 */
export function chooseCostTests(point: DcaSpotConfig, terms: FitTerms): readonly [DcaSpotConfig, DcaSpotConfig] {
  const capital = Math.min(point.investment, point.dcaTotalBudget)
  const plain = (share: number, stopLoss: number): DcaSpotConfig => ({
    ...point,
    dcaInitialOrderSize: Number((share * capital).toPrecision(3)),
    dcaMaxSafetyOrders: 0,
    takeProfit: 1000,
    stopLoss,
  })
  const held = plain(SHARES[0], 0)
  const stopped = STOPS.flatMap((stopLoss) => SHARES.map((share) => plain(share, stopLoss)))
  const errors = stopped.map((config) => worstError([held, config], terms))
  return [held, stopped[errors.indexOf(Math.min(...errors))]]
}

/** Of fee and slippage, in percent, where both profits are known to 1 quote. Infinite where nothing is sold, or too often. */
function worstError(configs: readonly DcaSpotConfig[], terms: FitTerms): number {
  const jobs = configs.map((config) => ({ config, profit: 0, tolerance: 1 }))
  const rows = new Float64Array(CONFIG_ROW)
  writeConfigRow(rows, 0, configs[1])
  const errors = (['restart', 'stop'] as const).flatMap((afterStopLoss) =>
    SAMPLES.slice(0, 2).map((costs) => {
      const settings = { conventions: { ...CONVENTION_PRESETS.default, afterStopLoss }, costs }
      const { prepared, symbol } = terms
      const { stopLosses } = createSweep(prepared, { ...settings, symbol, want: 'profit' }).run(rows)
      if (stopLosses[0] === 0 || stopLosses[0] > MOST_STOPS) return Number.POSITIVE_INFINITY
      const [[a, b], [c, d]] = slopesAt(settings, jobs, terms)
      return Math.hypot(a, b, c, d) / Math.abs(a * d - b * c)
    }),
  )
  return Math.max(...errors)
}
