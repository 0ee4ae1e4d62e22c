/** The plain way that a screen must agree with: every config on every market by a whole backtest, reduced, ranked, of each behaviour the first. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { marketName } from '../../../src/contract/market.ts'
import { type Metrics, metricValue } from '../../../src/contract/metrics.ts'
import type { BacktestInput, BacktestResult } from '../../../src/engine/deal.ts'
import { runJump } from '../../../src/engine/jump/jump.ts'
import { behaviourHash } from '../../../src/workbench/study/behaviour.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { planTrials } from '../../../src/workbench/study/parse.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import type { ScreenCase } from './cases.ts'

export interface BruteTrial {
  readonly market: string
  readonly fingerprint: string
  readonly metrics: Metrics
  readonly behaviourHash: string
}

export interface BruteConfig {
  readonly fingerprint: string
  readonly config: DcaSpotConfig
  readonly markets: readonly BruteTrial[]
  readonly value: number | null
}

/** Runs a backtest on the market of that number. */
type Run = (input: BacktestInput, market: number) => BacktestResult

/** The engine of the screen, one config at a time. */
export function jumpOn({ setting }: ScreenCase): Run {
  return (input, market) => runJump(input, setting.markets[market].prepared)
}

export function bruteForce({ study, inputs }: ScreenCase, run: Run) {
  const plan = planTrials(study, { limit: 100_000 })
  const { conventions, costs, objective } = study
  const count = study.markets.length
  const configs = Array.from({ length: plan.trials.length / count }, (_, number): BruteConfig => {
    const trials = plan.trials.slice(number * count, (number + 1) * count)
    const [{ config, fingerprint }] = trials
    const markets = trials.map((trial, market): BruteTrial => {
      const input = { ...inputs[market], config, conventions, costs }
      const { metrics, deals, openDeal } = run(input, market)
      const name = behaviourHash({ deals, openDeal, dailyEquity: metrics.dailyEquity })
      return { market: marketName(trial.market), fingerprint: trial.fingerprint, metrics, behaviourHash: name }
    })
    const values = markets.map(({ metrics }) => metricValue(metrics, objective.metric))
    return {
      fingerprint: count === 1 ? fingerprint : configFingerprint(config),
      config,
      markets,
      value: plainReduce(values, objective),
    }
  })
  const ranked = plainRank(configs, objective)
  const isFirst = (one: BruteConfig, at: number) =>
    ranked.findIndex((other) => behaviourOf(other) === behaviourOf(one)) === at
  return { plan, configs, ranked, distinct: ranked.filter(isFirst) }
}

/** What it did on every market, as one text. */
export function behaviourOf({ markets }: { readonly markets: readonly { readonly behaviourHash: string }[] }): string {
  return markets.map(({ behaviourHash: name }) => name).join()
}

/** By the page of the method: one value from one on each market. A mean adds the lowest first. */
export function plainReduce(values: readonly (number | null)[], { across, direction }: Objective): number | null {
  const sorted: number[] = []
  for (const value of values) {
    if (value === null) return null
    sorted.push(value)
  }
  sorted.sort((a, b) => a - b)
  if (across === 'worst') return direction === 'maximize' ? Math.min(...sorted) : Math.max(...sorted)
  if (across === 'mean') {
    // What a plain sum loses is added up and given back (Kahan, Babuška).
    let [sum, lost] = [0, 0]
    for (const value of sorted) {
      const next = sum + value
      const [large, small] = Math.abs(sum) > Math.abs(value) ? [sum, value] : [value, sum]
      lost += large - next + small
      sum = next
    }
    return (sum + lost) / sorted.length
  }
  const [low, high] = [Math.ceil(sorted.length / 2) - 1, Math.floor(sorted.length / 2)]
  return low === high ? sorted[low] : (sorted[low] + sorted[high]) / 2
}

/** Inside the bounds on every market, best first, ties by the lower fingerprint. */
export function plainRank<T extends Pick<BruteConfig, 'fingerprint' | 'markets' | 'value'>>(
  configs: readonly T[],
  { direction, where }: Objective,
): readonly T[] {
  const sign = direction === 'maximize' ? 1 : -1
  const isInside = ({ metrics }: BruteTrial) =>
    where.every(({ metric, bounds }) => {
      const value = metricValue(metrics, metric)
      return value !== null && value >= (bounds.min ?? value) && value <= (bounds.max ?? value)
    })
  return configs
    .filter(({ value, markets }) => value !== null && markets.every(isInside))
    .toSorted((a, b) => sign * ((b.value ?? 0) - (a.value ?? 0)) || (a.fingerprint < b.fingerprint ? -1 : 1))
}
