/** A whole ranking by plateaus, by whole backtests and the plain mean. */
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import { type BruteConfig, type BruteTrial, behaviourOf, bruteForce, jumpOn } from './brute-force.ts'
import type { ScreenCase } from './cases.ts'
import { plainPlateau } from './plain-plateau.ts'

/** `best`: inside the bounds, of each behaviour one, best first. `scoreOf`: NaN for a config that is not ranked. */
export function plainPlateaus(screened: ScreenCase) {
  const { objective } = screened.study
  const { configs, ranked } = bruteForce(screened, jumpOn(screened))
  const known = new Map(configs.map((one) => [configFingerprint(one.config), one]))
  const world = {
    study: screened.study,
    resultOf: (config: DcaSpotConfig) => known.get(configFingerprint(config)) ?? null,
    areAlike,
  }
  const scores = new Map(ranked.map(({ fingerprint, config }) => [fingerprint, plainPlateau(world, config)]))
  const scoreOf = (fingerprint: string) => scores.get(fingerprint) ?? Number.NaN
  const sign = objective.direction === 'maximize' ? 1 : -1
  const seen = new Set<string>()
  const best = ranked
    .toSorted((a, b) => sign * (scoreOf(b.fingerprint) - scoreOf(a.fingerprint)))
    .filter((one) => {
      const isFirst = !seen.has(behaviourOf(one))
      seen.add(behaviourOf(one))
      return isFirst
    })
  return { configs, best, scoreOf }
}

/** By decision 0007: on every market the same deals as far as they are counted; within 1e-9 the same profits and the same value. */
function areAlike(one: BruteConfig, other: BruteConfig): boolean {
  const counts = ({ markets }: BruteConfig) => `${markets.map(countsOf)}`
  const profits = ({ markets }: BruteConfig) =>
    markets.reduce((sum, { metrics }) => sum + Math.abs(metrics.netProfit), 0)
  const isSame = (of: (config: BruteConfig) => number) =>
    Math.abs(of(one) - of(other)) <= 1e-9 * Math.max(1, Math.abs(of(one)))
  return (
    one.config.investment === other.config.investment &&
    counts(one) === counts(other) &&
    isSame(profits) &&
    isSame(({ value }) => value ?? Number.NaN)
  )
}

function countsOf({ metrics }: BruteTrial): readonly unknown[] {
  return [
    metrics.closedDeals,
    metrics.winRatePercent,
    metrics.stopLosses,
    metrics.openDeal,
    metrics.safetyOrdersFilled.average,
    metrics.timeInDealPercent,
    metrics.dealDuration.max,
  ]
}

/** Up to the last bits of sums, which a sweep adds in another order. */
export function near(one: number, other: number): boolean {
  return Math.abs(one - other) <= 2e-9 * Math.max(1, Math.abs(one))
}
