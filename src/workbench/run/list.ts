/** Reading the service's job list, page after page, and single jobs where the list is not enough. */
import { doubt } from '../analysis/doubts/doubts.ts'
import type { Purpose } from '../api/calls.ts'
import type { ReadOutcome } from '../api/outcome.ts'
import type { JobPage, JobReading } from '../api/reading/readings.ts'
import { isAnswered, noteAnswer, noteFailure, noteRefusedRead } from './notes.ts'
import type { OpenRun } from './open-run.ts'

/** A job with the time its reply was read (ms UTC of our clock). */
export interface SeenJob {
  readonly job: JobReading
  readonly receivedAt: number
}

export interface SeenList {
  readonly jobs: readonly SeenJob[]
  /** Every page was read and every item understood. */
  readonly complete: boolean
}

/** A list that does not end is no list. */
const mostPages = 200
const pageSize = 1000

/**
 * All pages since `since` (ms, service time; absent = everything); undefined when it could not be read, which the run then has
 * taken note of. `enough` ends the reading early, when completeness does not matter.
 */
export async function readList(
  run: OpenRun,
  options: {
    readonly since?: number
    readonly enough?: (seen: readonly SeenJob[]) => boolean
    readonly purpose?: Purpose
  } = {},
): Promise<SeenList | undefined> {
  const jobs = new Map<string, SeenJob>()
  const asked = new Set<string>()
  let next: string | undefined
  let complete = true
  // The whole list is the answer: a service whose second page keeps failing is failing.
  const answer = (isWhole: boolean): SeenList => {
    noteAnswer(run)
    return { jobs: [...jobs.values()], complete: isWhole && complete }
  }
  for (let page = 0; page < mostPages; page++) {
    const read = await readPage(run, options, next)
    if (read === undefined) return undefined
    for (const job of read.page.jobs) jobs.set(job.id, { job, receivedAt: read.receivedAt })
    complete &&= read.page.unreadable === 0
    noteUnusable(run, read.page)
    if (read.page.next === null) return answer(true)
    if (options.enough?.([...jobs.values()])) return answer(false)
    next = read.page.next
    if (asked.has(next)) {
      run.talk.warnOnce('repeatedPage', doubt('repeatedPage', { pages: page + 1 }))
      return answer(false)
    }
    asked.add(next)
  }
  return answer(false)
}

function noteUnusable(run: OpenRun, { unreadable: count, firstUnreadable: first }: JobPage): void {
  if (first !== null) run.talk.warnOnce(`unusableItems ${first}`, doubt('unusableItems', { count, first }))
}

async function readPage(
  run: OpenRun,
  { since, purpose }: { readonly since?: number; readonly purpose?: Purpose },
  next: string | undefined,
): Promise<{ page: JobPage; receivedAt: number } | undefined> {
  run.tally.countRequest()
  const outcome = await run.client.listJobs({
    limit: pageSize,
    ...(since === undefined ? {} : { since }),
    ...(next === undefined ? {} : { next }),
    ...(purpose === undefined ? {} : { purpose }),
    ...run.call,
  })
  if (outcome.kind === 'ok') {
    run.clock.learn(outcome.raw)
    return { page: outcome.value, receivedAt: outcome.raw.receivedAt }
  }
  noteBadRead(run, outcome, 'the job list')
  return undefined
}

function noteBadRead(run: OpenRun, outcome: Exclude<ReadOutcome<unknown>, { kind: 'ok' }>, what: string): void {
  if (outcome.kind === 'refused') noteRefusedRead(run, outcome)
  else {
    const why = outcome.kind === 'missing' ? 'not found' : outcome.reason
    noteFailure(run, `${what} cannot be read: ${why}`, isAnswered(outcome))
  }
}

/** Single jobs, as many at once as the gate lets go: `missing` for a 404. Those that could not be read are left out. */
export async function readJobs(
  run: OpenRun,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SeenJob | 'missing'>> {
  const seen = new Map<string, SeenJob | 'missing'>()
  const mayLeave = () => {
    if (run.brake.mayRead) run.tally.countRequest()
    return run.brake.mayRead
  }
  const readOne = async (id: string) => {
    const outcome = await run.client.readJob(id, { ...run.call, mayLeave })
    if (outcome.kind === 'ok') seen.set(id, { job: outcome.value, receivedAt: outcome.raw.receivedAt })
    else if (outcome.kind === 'missing') seen.set(id, 'missing')
    else if (run.brake.mayRead) noteBadRead(run, outcome, `job ${id}`)
  }
  await Promise.all(ids.map(readOne))
  return seen
}
