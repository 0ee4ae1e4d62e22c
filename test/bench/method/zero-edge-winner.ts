/** (e): a market without an edge, and the winner of a hundred configurations on it, as a study and a result that know of nothing unusual. */
import { hashCandles } from '../../../src/candles/hash.ts'
import type { CandlesBody } from '../../../src/contract/bodies.ts'
import { INTERVALS, type Interval, type Market, marketName } from '../../../src/contract/market.ts'
import { backtest } from '../../../src/engine/backtest.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { power } from '../../../src/engine/power.ts'
import { toJobResult } from '../../../src/service/jobs/job-result.ts'
import { readJobBody } from '../../../src/workbench/api/reading/read-job.ts'
import type { DoneTrial } from '../../../src/workbench/evidence/examine/evaluation.ts'
import { type LongWork, measureField } from '../../../src/workbench/evidence/examine/field.ts'
import { drawConfigs } from '../../../src/workbench/search/draw-configs.ts'
import type { Period, Study } from '../../../src/workbench/study/study.ts'
import { trialsOfConfig } from '../../../src/workbench/study/trials.ts'
import { plainStudy } from '../../support/plain-study.ts'
import { DEFAULT_TERMS, randomFor } from './hidden-settings.ts'
import { martingaleCandles } from './martingale.ts'
import { BASE, GRID_AXES } from './space.ts'

/** Jobs of the study. */
export const TRIED = 100
const DAY_MS = 86_400_000
const FROM = Date.UTC(2024, 0, 1)
const MARKET: Market = { exchange: 'binance', baseAsset: 'ZERO', quoteAsset: 'USDT' }
const FEWEST_DAYS = 30
const MOST_DAYS = 91
const VOLATILITIES = { from: 0.4, to: 1.2 }
/** One market in so many is of minutes, the others are of five minutes. */
const MINUTES_EVERY = 2

export const TERMS = { ...DEFAULT_TERMS, symbol: NO_SYMBOL_RULES }

export interface ZeroEdgeMarket {
  readonly interval: Interval
  readonly days: number
  readonly annualVolatility: number
  /** A day before the period and one after it too. */
  readonly candles: Candles
  readonly study: Study
}

/** @param number which of them; each is drawn by itself */
export function drawMarket(seed: string, number: number): ZeroEdgeMarket {
  const random = randomFor(seed, `zero edge ${number}`)
  const days = FEWEST_DAYS + Math.floor((MOST_DAYS - FEWEST_DAYS + 1) * random.uniform())
  const annualVolatility = VOLATILITIES.from * power(VOLATILITIES.to / VOLATILITIES.from, random.uniform())
  const interval = number % MINUTES_EVERY === 0 ? '1m' : '5m'
  const spans = { from: FROM - DAY_MS, days: days + 2, intervalMs: INTERVALS[interval], annualVolatility }
  const period: Period = { from: FROM, to: FROM + days * DAY_MS }
  return {
    interval,
    days,
    annualVolatility,
    candles: martingaleCandles(spans, random),
    study: studyOn(period, interval, number),
  }
}

function studyOn(period: Period, interval: Interval, number: number): Study {
  const { conventions, costs } = DEFAULT_TERMS
  return plainStudy({
    name: 'zero-edge',
    markets: [MARKET],
    period,
    interval,
    costs,
    conventions,
    base: BASE,
    axes: GRID_AXES,
    walkForward: { trainMs: 14 * DAY_MS, testMs: 7 * DAY_MS, embargoMs: 0, anchored: false },
    search: { method: 'random', configs: TRIED, seed: number },
  })
}

export interface Winner {
  readonly trial: DoneTrial
  /** The second best. */
  readonly rival: DoneTrial
}

/** Of the configurations that the study draws, by net profit; ties by lower fingerprint. */
export async function findWinner({ study, candles }: ZeroEdgeMarket, pace: LongWork): Promise<Winner> {
  const { configs } = drawConfigs(study, {
    by: 'random',
    count: TRIED,
    seed: 'seed' in study.search ? study.search.seed : 1,
  })
  const own = sliceCandles(candles, study.period.from, study.period.to)
  const { objective } = await measureField({ study, configs, own: 0, isWhole: false }, { ...TERMS, candles: own }, pace)
  const ranked = configs
    .map(({ config, fingerprint }, at) => ({ config, fingerprint, profit: objective[at] ?? Number.NEGATIVE_INFINITY }))
    .toSorted((a, b) => b.profit - a.profit || (a.fingerprint < b.fingerprint ? -1 : 1))
  const [trial, rival] = ranked.slice(0, 2).map(({ config }) => resultOf(study, own, config))
  return { trial, rival }
}

/** As a service tells it that states its conventions and costs, and as the workbench reads what it tells. */
function resultOf(study: Study, candles: Candles, config: DoneTrial['config']): DoneTrial {
  const body = toJobResult(backtest({ ...TERMS, candles, config }), infoOf(study, candles), TERMS)
  const text = JSON.stringify({ id: 'job-1', state: 'completed', result: body })
  const result = readJobBody(JSON.parse(text), text, () => 'done')?.result
  if (result === undefined || result === null) throw new Error('our own result cannot be read')
  const { flags, ...told } = result
  const [{ fingerprint, market, period }] = trialsOfConfig(study, config)
  return {
    ...told,
    fingerprint,
    market,
    period,
    config,
    metricFlags: flags,
    identity: 'service:zero-edge',
    simulated: false,
    settings: null,
    state: 'done',
    jobId: 'job-1',
    submittedAt: null,
    finishedAt: null,
    failure: null,
    prunedAt: null,
    revised: [],
  }
}

/** The market is not said to be made up: that would be a doubt for every winner. */
export function infoOf({ period, interval }: Pick<Study, 'period' | 'interval'>, candles: Candles): CandlesBody {
  return {
    market: marketName(MARKET),
    interval: interval ?? '',
    from: new Date(period.from).toISOString(),
    to: new Date(period.to).toISOString(),
    count: candles.openTime.length,
    missing: 0,
    hash: hashCandles(candles),
    synthetic: false,
  }
}
