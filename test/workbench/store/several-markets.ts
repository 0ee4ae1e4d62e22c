/** A stored study on several markets, as `run` leaves it: what every configuration made on each market is given. */
import { recordObservations } from '../../../src/workbench/store/jobs.ts'
import { recordProposals } from '../../../src/workbench/store/kept-proposals.ts'
import { startStudyRun } from '../../../src/workbench/store/studies.ts'
import { parseStudy, planTrials } from '../../../src/workbench/study/parse.ts'
import type { Trial } from '../../../src/workbench/study/study.ts'
import { metricsWith } from '../../support/metrics.ts'
import { STUDY_BASE } from '../../support/study-base.ts'
import { identity, observation, openTemporary, spender, submit } from './setup.ts'

interface SeveralMarkets {
  /** Base assets, each against USDT; by configuration the ROI in percent, a thousand invested; null = the job failed. */
  readonly made: Readonly<Record<string, readonly (number | null)[]>>
  /** More of the study file. */
  readonly more?: object
  /** By configuration the role in which a screen proposed it. */
  readonly roles?: readonly ('sample' | 'chosen')[]
}

/** @returns `trials`: in their order, all markets of the first configuration first */
export async function storeSeveralMarkets({ made, more = {}, roles }: SeveralMarkets) {
  const { store, system } = openTemporary()
  const assets = Object.keys(made)
  const { length } = made[assets[0]]
  const file = {
    name: 'several',
    markets: assets.map((baseAsset) => ({ exchange: 'binance', baseAsset, quoteAsset: 'USDT' })),
    period: { from: '2021-04-21', to: '2021-05-19' },
    base: STUDY_BASE,
    grid: { dcaPriceScalePercent: Array.from({ length }, (_, n) => n + 1) },
    objective: { maximize: 'roiPercent' },
    ...(roles === undefined ? {} : { search: { method: 'screen', configs: length, samples: 1, calibrate: 'off' } }),
    ...more,
  }
  const study = parseStudy(JSON.stringify(file), { file: 'several.json' })
  const { trials } = planTrials(study)
  const service = { identity, simulated: false, origin: 'https://bots.example' }
  await startStudyRun(store, { study, trials: roles === undefined ? trials : [], service, settingsOn: null })
  const proposals = (roles ?? []).map((role, n) => {
    const { config } = trials[n * assets.length]
    return { config, role, reason: `${role} ${n + 1}`, markets: study.markets }
  })
  await recordProposals(store, { study, ...spender }, { proposals, period: study.period })
  for (const [n, { fingerprint }] of trials.entries()) await submit(store, fingerprint, `job-${n}`)
  await recordObservations(store, { identity, observations: trials.map(ended) })
  return { store, system, study, trials }

  function ended({ market, config }: Trial, n: number) {
    const roi = made[market.baseAsset][config.dcaPriceScalePercent - 1]
    if (roi === null) return observation(`job-${n}`, { state: 'failed', failure: 'no candles', body: '{}' })
    const numbers = { roiPercent: roi, netProfit: 10 * roi, buyAndHoldPercent: 100 + assets.indexOf(market.baseAsset) }
    const metrics = { ...metricsWith(() => 0), ...numbers }
    const part = { deals: null, openDeal: null, symbol: null, engineVersion: null, flags: {} }
    const candles = { interval: '1h', count: 672, missing: 0, hash: market.baseAsset, synthetic: false }
    const result = { ...part, metrics, candles, costs: null, conventions: null }
    return observation(`job-${n}`, { state: 'done', result, body: `{"n":${n}}` })
  }
}
