/** The search of a study, put together for a run: what it keeps in mind, and the local engine that stands in for the service. */
import { availableParallelism } from 'node:os'
import { marketName } from '../contract/market.ts'
import { ENGINE_VERSION } from '../engine/backtest.ts'
import { Failure } from '../errors.ts'
import { type StudySurvey, surveyDrawn, surveyStudy } from '../workbench/analysis/warnings/find-in-study.ts'
import type { MarketOnCandles } from '../workbench/screen/screen-markets.ts'
import { type Calibrator, createCalibrator } from '../workbench/search/calibration/calibrator.ts'
import type { Explanation } from '../workbench/search/calibration/explain.ts'
import { drawConfigs } from '../workbench/search/draw-configs.ts'
import { type ScreenedConfig, screenLocally } from '../workbench/search/local-engine.ts'
import type { Calibration, LocalEngine, LocalTerms } from '../workbench/search/screen-search.ts'
import type { LocalConfig } from '../workbench/search/screened.ts'
import { answersOf, createSearch, SEARCHES } from '../workbench/search/searches.ts'
import { recordCalibration } from '../workbench/store/calibrations.ts'
import { memoryOf, readProposals, type SearchInput, type Searching } from '../workbench/store/kept-proposals.ts'
import type { ServiceAccount } from '../workbench/store/services.ts'
import type { Store } from '../workbench/store/store.ts'
import { recordTriedLocally } from '../workbench/store/tried-count.ts'
import { gridFingerprint } from '../workbench/study/fingerprint.ts'
import { trialsOfConfig } from '../workbench/study/grid.ts'
import { planTrials } from '../workbench/study/parse.ts'
import type { TestedProposal } from '../workbench/study/proposals.ts'
import { mostConfigs, type Study, type Trial } from '../workbench/study/study.ts'
import type { Context } from './context.ts'
import { findKnownTerms } from './known-terms.ts'
import { describeFailure, loadMarkets } from './local-candles.ts'
import { showScreenProgress } from './long-work.ts'
import { say } from './output.ts'

interface SearchOptions {
  readonly candlesFolder: string
  /** Threads of the local engine; default one per core. */
  readonly workers?: number | undefined
  /** Go on although the agreement test failed. */
  readonly anyway: boolean
}

/** undefined where a study searches nothing: then its plan is all there is to run. */
export function searchingOf(context: Context, study: Study, options: SearchOptions): Searching | undefined {
  if (SEARCHES[study.search.method] === null) return undefined
  return { period: study.period, roles: ['test', 'sample', 'chosen', 'point'], start }

  function start(input: SearchInput) {
    const { candlesFolder, anyway, workers = availableParallelism() } = options
    const localEngine = createLocalEngine(context, input, { candlesFolder, workers })
    const search = createSearch({ study, memory: memoryOf(input.store, input.searcher), localEngine, anyway })
    if (search === null) throw new Error(`the method ${study.search.method} searches nothing`)
    return search
  }
}

interface LocalEngineOptions {
  readonly candlesFolder: string
  readonly workers: number
}

function createLocalEngine(
  context: Context,
  input: SearchInput,
  { candlesFolder, workers }: LocalEngineOptions,
): LocalEngine {
  const { study, store, identity, isOwn } = input
  const own: LocalTerms = { conventions: study.conventions, costs: study.costs }
  let loaded: readonly MarketOnCandles[] | undefined
  const byTests = calibrateByTests(context, input, () => markets()[0])
  return { calibrate, screen }

  async function calibrate(
    ...[tests, left]: Parameters<LocalEngine['calibrate']>
  ): ReturnType<LocalEngine['calibrate']> {
    if (study.search.method !== 'screen' || study.search.calibrate === 'off') return { kind: 'own', terms: own }
    if (isOwn) return { kind: 'known', terms: own, isPoorMatch: false } // it computes under what it is asked
    const known = tests.length === 0 ? findKnownTerms(store, identity) : undefined
    if (known === undefined) return byTests(tests, left)
    const { isPoor, ...terms } = known
    return { kind: 'known', terms, isPoorMatch: isPoor }
  }

  function markets(): readonly MarketOnCandles[] {
    loaded ??= loadAllMarkets(candlesFolder, study)
    return loaded
  }

  async function screen({ terms, samples, wanted }: Parameters<LocalEngine['screen']>[0]) {
    const progress = showScreenProgress(context)
    const screening = await screenLocally({
      workerFile: new URL('screen-worker.js', context.workerFile), // it is built beside the engine worker
      study,
      ...terms,
      markets: markets(),
      workers,
      wanted,
      samples,
      signal: context.signal,
      onProgress: progress.show,
    }).finally(progress.clear)
    context.signal.throwIfAborted()
    const triedHere = { period: study.period, source: 'screen', key: gridFingerprint(study) } as const
    for (const [at, configs] of screening.simulated.entries()) {
      await recordTriedLocally(store, { ...triedHere, market: marketName(study.markets[at]), configs })
    }
    return { best: screening.best.map(toKept), samples: screening.samples.map(toKept) }
  }
}

/** All of them: what is to be confirmed on a market has to be screened on it. @throws Failure candlesMissing, candlesInvalid */
function loadAllMarkets(folder: string, study: Study): readonly MarketOnCandles[] {
  const { markets, leftOut } = loadMarkets(folder, study)
  if (leftOut.length === 0) return markets
  throw new Failure(
    'candlesMissing',
    `${study.name} cannot be screened on all of its ${study.markets.length} markets`,
    {
      problems: leftOut.map(({ market, failure }) => ({ place: market, message: describeFailure(failure) })),
      hint: 'import or fetch candles of the period for each, or remove them from the study',
    },
  )
}

/** What a search keeps of a configuration. */
function toKept({ config, configFingerprint: fingerprint, markets }: ScreenedConfig): LocalConfig {
  const values = markets.map(({ market, netProfit, value, isInside }) => ({ market, netProfit, value, isInside }))
  return { config, fingerprint, values }
}

/** Asks for test backtests until they show enough, and keeps what they showed. `loadMarket`: the first market of the study. */
function calibrateByTests(
  context: Context,
  input: SearchInput,
  loadMarket: () => MarketOnCandles,
): LocalEngine['calibrate'] {
  let calibrator: Calibrator | undefined
  return async (tests: readonly TestedProposal[], left: number): Promise<Calibration> => {
    calibrator ??= await openCalibrator(context, input.study, loadMarket())
    const answers = answersOf(tests)
    const config = left > 0 ? await calibrator.nextTest(answers) : null
    if (config !== null) return { kind: 'test', config }
    const explanation = await calibrator.conclude(answers)
    const { conventions, costs } = input.study
    if (explanation === null) return { kind: 'found', terms: { conventions, costs }, isPoorMatch: true }
    await keepExplanation(input, loadMarket(), explanation)
    return { kind: 'found', terms: explanation.best, isPoorMatch: explanation.isPoor }
  }
}

/** What a service was found to compute by, as a row of the store. */
export async function keepExplanation(
  { study, store, identity }: Pick<SearchInput, 'study' | 'store' | 'identity'>,
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

/** Calibration over the candles of one market of a study. */
export async function openCalibrator(
  { system, signal }: Context,
  study: Study,
  { prepared, symbol }: MarketOnCandles,
): Promise<Calibrator> {
  const { conventions, costs, search } = study
  say(system.terminal, 'the service does not state its fees and fill rules: choosing test backtests')
  return createCalibrator({
    space: study,
    prepared,
    symbol,
    seed: 'seed' in search ? search.seed : 1,
    pause: () => system.clock.sleep(0, signal), // the event loop turns, so that an interrupt is heard
    own: { conventions, costs },
  })
}

export interface ExpectedJobs {
  readonly survey: StudySurvey
  /** Configurations at most; 0 where there are too many to run. */
  readonly configs: number
  /** Their jobs: one on every market. */
  readonly jobs: number
  /** Of a screen, those that it has proposed before on this service. */
  trials(store?: Store, serviceAccount?: ServiceAccount): readonly Trial[]
}

/** @param onPoints gets now and then how many points of a grid have been counted */
export function expectJobs(study: Study, onPoints?: (done: number) => void): ExpectedJobs {
  const { search, markets } = study
  if (search.method === 'random' || search.method === 'sobol') {
    const drawn = drawConfigs(study, { by: search.method, count: search.configs, seed: search.seed })
    const configs = drawn.configs.map(({ config }) => config)
    const trials = configs.flatMap((config) => trialsOfConfig(study, config))
    return { survey: surveyDrawn(study, configs), configs: configs.length, jobs: trials.length, trials: () => trials }
  }
  const survey = surveyStudy(study, onPoints)
  if (search.method === 'grid') {
    const trials = survey.tooManyToRun ? [] : planTrials(study).trials
    const configs = survey.tooManyToRun ? 0 : survey.distinct
    return { survey, configs, jobs: trials.length, trials: () => trials }
  }
  // What the others propose depends on what comes of it.
  const configs = Math.min(mostConfigs(search) ?? survey.distinct, survey.distinct)
  return { survey, configs, jobs: configs * markets.length, trials: proposedBefore }

  function proposedBefore(store?: Store, serviceAccount?: ServiceAccount): readonly Trial[] {
    if (store === undefined || serviceAccount === undefined) return []
    const proposed = readProposals(store, { study, ...serviceAccount }).flatMap(({ trials }) => trials)
    return [...new Map(proposed.map((trial) => [trial.fingerprint, trial])).values()]
  }
}
