/** The endpoints of limits, jobs and symbols. */
import { findSymbolRules, listCandles } from '../../candles/folder/folder.ts'
import type { JobRequestBody, SymbolBody, SymbolListBody } from '../../contract/bodies.ts'
import { findMarket, marketName } from '../../contract/market.ts'
import { Failure } from '../../errors.ts'
import type { JobTerms } from '../job-terms.ts'
import { periodOf } from '../jobs/job-runner.ts'
import { createJob, deleteJob, findJob, listJobs, readSpending, toLimitsBody } from '../jobs/jobs.ts'
import { type JobOrder, readJobOrder } from '../payload.ts'
import { invalidPayload, Refusal, tooMany } from '../refusal.ts'
import { readParameters } from './parameters.ts'
import { type Answer, type Call, knownMarkets, ok, type Service } from './service.ts'

export function answerLimits({ db, system, allowance, discloses }: Service, { caller }: Call): Answer {
  const limits = toLimitsBody(allowance, readSpending(db, allowance, caller.accountId, system.clock.wall()))
  return ok(discloses ? { ...limits, scopes: caller.scopes } : limits)
}

export function answerJobs({ db, jobs, discloses }: Service, { caller, query }: Call): Answer {
  jobs.check()
  const page = readParameters('listJobs', query)
  return { status: 200, json: listJobs(db, { accountId: caller.accountId, discloses, ...page }) }
}

export function answerJob({ db, jobs, discloses }: Service, { caller, parameter }: Call): Answer {
  jobs.check()
  const json = findJob(db, { accountId: caller.accountId, discloses }, parameter)
  if (json === undefined) throw noSuchJob()
  return { status: 200, json }
}

/** Checks everything about a job before the allowance is used. */
export function answerCreateJob(service: Service, { caller, body }: Call): Answer {
  const { db, system, allowance, discloses } = service
  const decoded = readJobOrder(body, { markets: knownMarkets(service), readsSettings: discloses })
  if ('problems' in decoded) throw invalidPayload(decoded.problems)
  const { request } = decoded.value
  requireCandles(service, request)
  const terms = termsOf(service, decoded.value)
  const { accountId } = caller
  const created = createJob(db, system, { accountId, discloses, request, terms, allowance })
  if ('nextAt' in created) {
    const nextAt = new Date(created.nextAt).toISOString()
    const message = `the allowance of ${allowance.allowance} backtests in 24 hours is used up until ${nextAt}`
    throw tooMany('ApiKeyBacktestLimit', message, created.nextAt - system.clock.wall())
  }
  service.jobs.check()
  return { status: 201, json: created.body }
}

export function answerDeleteJob({ db, system, jobs }: Service, { caller, parameter }: Call): Answer {
  if (!deleteJob(db, system, caller.accountId, parameter)) throw noSuchJob()
  jobs.abandon(parameter)
  return { status: 204, json: null }
}

/** Fixed now: what the service is set to later, and symbol rules imported later, are for later jobs. */
function termsOf({ terms, candlesFolder }: Service, { request, asked }: JobOrder): JobTerms {
  return {
    conventions: asked.conventions ?? terms.conventions,
    costs: asked.costs ?? terms.costs,
    symbol: asked.symbol ?? findSymbolRules(candlesFolder, marketName(request)),
  }
}

function requireCandles({ candleCache }: Service, request: JobRequestBody): void {
  try {
    candleCache.take(periodOf(request))
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    const stored = error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw invalidPayload([{ field: 'from', message: [error.message, ...stored].join('; ') }])
  }
}

function noSuchJob(): Refusal {
  return new Refusal('NotFound', 'no such job in this account')
}

// Endpoint of an exchange's symbols: those with stored candles.

export function answerSymbols({ candlesFolder }: Service, { parameter: exchange, query }: Call): Answer {
  const { type, quote } = readParameters('listSymbols', query)
  const symbols = listSymbols(candlesFolder, exchange).filter((symbol) => symbol.type === type)
  if (symbols.length === 0) throw new Refusal('NotFound', 'no candles of this exchange here')
  const body: SymbolListBody = {
    symbols: symbols.filter(({ quoteAsset }) => quote === undefined || quoteAsset === quote),
  }
  return ok(body)
}

function listSymbols(candlesFolder: string, exchange: string): SymbolBody[] {
  const stored = listCandles(candlesFolder)
  const names = new Set(stored.map(({ market }) => market))
  return [...names].flatMap((name) => {
    const market = findMarket(name)
    if (market?.exchange !== exchange) return []
    const { tick, lot, minNotional } = findSymbolRules(candlesFolder, name)
    return {
      exchange,
      type: 'spot' as const,
      symbol: `${market.baseAsset}-${market.quoteAsset}`,
      baseAsset: market.baseAsset,
      quoteAsset: market.quoteAsset,
      tickSize: tick,
      lotSize: lot,
      minNotional,
      candles: stored
        .filter((candles) => candles.market === name)
        .map(({ interval, from, to }) => ({ interval, from: toTime(from), to: toTime(to) })),
    }
  })
}

function toTime(ms: number): string {
  return new Date(ms).toISOString()
}
