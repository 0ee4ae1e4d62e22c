/** Finding out by probes what a service computes with: the detective over the candles of a study's first market, and what is kept of it. */
import { marketName } from '../contract/market.ts'
import { ENGINE_VERSION } from '../engine/backtest.ts'
import type { SearchGround } from '../workbench/run/options.ts'
import type { MarketOnCandles } from '../workbench/screen/screen-markets.ts'
import { answersOf } from '../workbench/search/calibration-search.ts'
import { createDetective, type Detective } from '../workbench/search/detective/detective.ts'
import type { Explanation } from '../workbench/search/detective/explain.ts'
import type { Calibration, Twin } from '../workbench/search/screen-search.ts'
import { recordCalibration } from '../workbench/store/calibrations.ts'
import type { Told } from '../workbench/study/proposals.ts'
import type { Study } from '../workbench/study/study.ts'
import type { Context } from './context.ts'
import { say } from './output.ts'

/** Asks for probes until they tell enough, and keeps what they told. `loadMarket`: the first market of the study. */
export function calibrateByProbes(
  context: Context,
  ground: SearchGround,
  loadMarket: () => MarketOnCandles,
): Twin['calibrate'] {
  let detective: Detective | undefined
  return async (probes: readonly Told[], left: number): Promise<Calibration> => {
    detective ??= await openDetective(context, ground.study, loadMarket())
    const answers = answersOf(probes)
    const config = left > 0 ? await detective.nextProbe(answers) : null
    if (config !== null) return { kind: 'probe', config }
    const explanation = await detective.conclude(answers)
    const { conventions, costs } = ground.study
    if (explanation === null) return { kind: 'found', terms: { conventions, costs }, isPoorMatch: true }
    await keepExplanation(ground, loadMarket(), explanation)
    return { kind: 'found', terms: explanation.best, isPoorMatch: explanation.isPoor }
  }
}

/** What a service was found to compute by, as a row of the store. */
export async function keepExplanation(
  { study, store, identity }: Pick<SearchGround, 'study' | 'store' | 'identity'>,
  { market, info }: Pick<MarketOnCandles, 'market' | 'info'>,
  { best, ties, jobs, residual, isPoor, sets }: Explanation,
): Promise<void> {
  await recordCalibration(store, {
    identity,
    study: study.name,
    market: marketName(market),
    period: study.period,
    candles: info,
    engineVersion: ENGINE_VERSION,
    jobs: jobs.length,
    candidates: sets,
    conventions: { ...best.conventions },
    costs: best.costs,
    ties,
    evidence: jobs,
    residualPercent: residual,
    isPoor,
  })
}

/** The detective over the candles of one market of a study. */
export async function openDetective(
  { system, signal }: Context,
  study: Study,
  { prepared, symbol }: MarketOnCandles,
): Promise<Detective> {
  const { conventions, costs, search } = study
  say(system.terminal, 'the service does not state its fees and fill rules: choosing test backtests')
  return createDetective({
    space: study,
    prepared,
    symbol,
    seed: 'seed' in search ? search.seed : 1,
    pause: () => system.clock.sleep(0, signal), // the event loop turns, so that an interrupt is heard
    own: { conventions, costs },
  })
}
