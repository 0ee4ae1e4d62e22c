/** Limits and jobs. */
import type { JobRequestBody } from '../../contract/bodies.ts'
import { Failure } from '../../errors.ts'
import { toLimitsBody } from '../jobs/allowance.ts'
import { periodOf } from '../jobs/job-runner.ts'
import { createJob, deleteJob, findJob, listJobs, readSpending } from '../jobs/jobs.ts'
import { readJobRequest } from '../payload.ts'
import { invalidPayload, Refusal, tooMany } from '../refusal.ts'
import { readParameters } from './parameters.ts'
import { type Answer, type Call, knownMarkets, ok, type Service } from './service.ts'

export function answerLimits({ db, system, allowance }: Service, { caller }: Call): Answer {
  return ok(toLimitsBody(allowance, readSpending(db, allowance, caller.accountId, system.clock.wall())))
}

export function answerJobs({ db, jobs }: Service, { caller, query }: Call): Answer {
  jobs.look()
  const page = readParameters('listJobs', query)
  return { status: 200, json: listJobs(db, { accountId: caller.accountId, ...page }) }
}

export function answerJob({ db, jobs }: Service, { caller, parameter }: Call): Answer {
  jobs.look()
  const json = findJob(db, caller.accountId, parameter)
  if (json === undefined) throw noSuchJob()
  return { status: 200, json }
}

/** Checks everything about a job before the allowance is used. */
export function answerCreateJob(service: Service, { caller, body }: Call): Answer {
  const { db, system, terms, allowance } = service
  const decoded = readJobRequest(body, { markets: knownMarkets(service) })
  if ('problems' in decoded) throw invalidPayload(decoded.problems)
  requireCandles(service, decoded.value)
  const { accountId } = caller
  const created = createJob(db, system, { accountId, request: decoded.value, terms, allowance })
  if ('nextAt' in created) {
    const nextAt = new Date(created.nextAt).toISOString()
    const message = `the allowance of ${allowance.allowance} backtests in 24 hours is used up until ${nextAt}`
    throw tooMany('ApiKeyBacktestLimit', message, created.nextAt - system.clock.wall())
  }
  service.jobs.look()
  return { status: 201, json: created.body }
}

export function answerDeleteJob({ db, system, jobs }: Service, { caller, parameter }: Call): Answer {
  if (!deleteJob(db, system, caller.accountId, parameter)) throw noSuchJob()
  jobs.abandon(parameter)
  return { status: 204, json: null }
}

function requireCandles({ shelf }: Service, request: JobRequestBody): void {
  try {
    shelf.take(periodOf(request))
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    const stored = error.problems.map(({ place, message }) => `${place}: ${message}`)
    throw invalidPayload([{ field: 'from', message: [error.message, ...stored].join('; ') }])
  }
}

function noSuchJob(): Refusal {
  return new Refusal('NotFound', 'no such job in this account')
}
