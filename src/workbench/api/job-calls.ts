/** The calls for backtest jobs. */
import type { JobRequestBody } from '../../contract/bodies.ts'
import { Failure } from '../../errors.ts'
import type { JobOperations } from './calls.ts'
import { queryTime, readPage, readQuery, type ServiceLine } from './line.ts'
import type { Dialect } from './reading/dialect.ts'
import { readJobBody, rereadJob, whyUnusableId } from './reading/read-job.ts'
import type { JobReading } from './reading/readings.ts'
import { fieldsOf } from './reading/single-values.ts'
import { saysItFailed } from './reading/spoken-refusal.ts'
import type { Understand } from './wire/to-outcome.ts'

export function makeJobCalls(line: ServiceLine): Omit<JobOperations, 'identify' | 'limits'> {
  const { dialect, read, write } = line
  const understandJob: Understand<JobReading> = (body, reply) => {
    const job = dialect.job(body)
    const reading = readJobBody(job, reply.raw.text, dialect.jobState)
    const problem = reading === null ? whyUnusableId(job) : null
    if (problem !== null) throw new Error(problem) // becomes the reason why the reply cannot be read
    return reading
  }
  return {
    listJobs: ({ limit, since, next, ...call } = {}) => {
      const query = next === undefined ? dialect.jobListQuery({ limit, since: queryTime(since) }) : readQuery(next)
      const readItem = (item: unknown, text: string) => readJobBody(item, text, dialect.jobState)
      const rules = { listOf: dialect.jobList, translate: dialect.job, readItem }
      return readPage(line, { endpoint: 'listJobs', query, next }, rules, call)
    },
    readJob: (id, call) => read({ endpoint: 'readJob', parameter: id }, understandJob, call),
    rereadJob: (text) => {
      const found = rereadJob(text, dialect)
      return 'reading' in found ? found.reading : null
    },
    createJob: async (request, call) =>
      write({ endpoint: 'createJob', body: jobBody(dialect, request) }, understandJob, call),
    deleteJob: (id, call) =>
      write({ endpoint: 'deleteJob', parameter: id }, (body) => (saysItFailed(body) ? null : { id }), call),
  }
}

/** @throws Failure settingInvalid when a dialect module does not return an object */
function jobBody(dialect: Dialect, request: JobRequestBody): string {
  const body = fieldsOf(dialect.jobRequest(request))
  if (body === null) throw new Failure('settingInvalid', 'DCALAB_DIALECT: jobRequest did not return an object')
  return JSON.stringify(body)
}
