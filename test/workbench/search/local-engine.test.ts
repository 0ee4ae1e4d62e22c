/** The twin with real threads, under a service's terms instead of the study's, held against whole backtests one by one. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { marketName } from '../../../src/contract/market.ts'
import { metricValue } from '../../../src/contract/metrics.ts'
import { prepareCandles } from '../../../src/engine/jump/prepared.ts'
import {
  type LocalScreenRequest,
  type ScreenedConfig,
  screenLocally,
} from '../../../src/workbench/search/local-engine.ts'
import { configFingerprint } from '../../../src/workbench/study/fingerprint.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { createDice, seedsFrom, someConventionsOf } from '../../engine/jump/cases.ts'
import { projectRoot } from '../../support/dcalab.ts'
import { share } from '../../support/share.ts'
import { type BruteConfig, bruteForce, jumpOn } from '../screen/brute-force.ts'
import { type ScreenCase, someScreenCase } from '../screen/cases.ts'

const objective: Objective = {
  direction: 'maximize',
  metric: 'roiPercent',
  where: [{ metric: 'maxDrawdownPercent', bounds: { max: 20 } }],
  across: 'mean',
}

/** A study, a service that computes under other terms, and some samples of which the last is no point of the grid. */
function someTwin(seed: number) {
  const dice = createDice(seed)
  const screened = someScreenCase(dice, objective, 'small', dice.whole(1, 3))
  const study = { ...screened.study, where: [] } // so that no seed leaves a grid without a config
  const { inputs } = screened
  const terms = { conventions: someConventionsOf(dice), costs: { feePercent: 0.3, slippagePercent: 0.1 } }
  const ofService: ScreenCase = { ...screened, study: { ...study, ...terms } }
  const points = bruteForce(ofService, jumpOn(ofService))
  const [{ config }] = points.configs
  const samples = [...points.configs.slice(3, 6).map((one) => one.config), { ...config, dcaInitialOrderSize: 17 }]
  const request = {
    workerFile: pathToFileURL(join(projectRoot, 'dist/screen-worker.js')),
    study,
    ...terms,
    markets: study.markets.map((market, at) => ({
      market,
      info: infoOf(inputs[at].candles, marketName(market)),
      prepared: prepareCandles(inputs[at].candles),
      symbol: inputs[at].symbol,
    })),
    workers: 2,
    wanted: 8,
    samples,
  }
  return { request, points }
}

function infoOf(candles: ScreenCase['inputs'][number]['candles'], market: string) {
  return {
    market,
    interval: '1m',
    from: '',
    to: '',
    count: candles.close.length,
    missing: 0,
    hash: '',
    synthetic: true,
  }
}

function expectedOf({ config, markets, value }: BruteConfig): ScreenedConfig {
  const isInside = ({ metrics }: BruteConfig['markets'][number]) => metrics.maxDrawdownPercent <= 20
  return {
    config,
    configFingerprint: configFingerprint(config),
    value,
    isInside: markets.every(isInside),
    markets: markets.map((trial) => ({
      market: trial.market,
      trial: trial.fingerprint,
      netProfit: trial.metrics.netProfit,
      value: metricValue(trial.metrics, objective.metric),
      isInside: isInside(trial),
    })),
  }
}

it('ranks a grid as whole backtests under the terms of the service do, and measures samples beside', async () => {
  for (const seed of seedsFrom(1, share({ usual: 2, long: 6 }))) {
    const { request, points } = someTwin(seed)
    const { best, samples, ...tested } = await screenLocally(request)
    expect({ seed, best }).toEqual({ seed, best: points.distinct.slice(0, 8).map(expectedOf) })
    expect(samples.slice(0, -1)).toEqual(points.configs.slice(3, 6).map(expectedOf))
    expect(samples.map(({ config }) => config)).toEqual(request.samples)
    expect(tested).toEqual({ simulated: tested.simulated, partial: false })
    expect(tested.simulated).toHaveLength(request.markets.length)
    for (const count of tested.simulated) expect(count).toBeLessThanOrEqual(points.configs.length)
  }
})

it('answers the same for 1, 2 and 5 threads, in values that JSON holds', async () => {
  const { request } = someTwin(3)
  const [alone, ...others] = await inTurn([1, 2, 5].map((workers) => ({ ...request, workers })))
  for (const other of others) expect(other).toEqual(alone)
  expect(alone.best.length).toBeGreaterThan(0)
  expect(JSON.parse(JSON.stringify(alone))).toEqual(alone)
})

it('says that it is partial without a market of the study, and when it was interrupted', async () => {
  const { request } = someTwin(2)
  expect(request.markets.length).toBeGreaterThan(1)
  const [fewer, interrupted] = await inTurn([
    { ...request, markets: request.markets.slice(1) },
    { ...request, signal: AbortSignal.abort() },
  ])
  expect(fewer.partial).toBe(true)
  expect(fewer.best[0].markets.map(({ market }) => market)).toEqual(
    request.study.markets.slice(1).map((market) => marketName(market)),
  )
  expect(interrupted).toMatchObject({ partial: true, best: [], simulated: request.markets.map(() => 0) })
})

async function inTurn(requests: readonly LocalScreenRequest[]) {
  const screenings: Awaited<ReturnType<typeof screenLocally>>[] = []
  for (const request of requests) screenings.push(await screenLocally(request))
  return screenings
}
