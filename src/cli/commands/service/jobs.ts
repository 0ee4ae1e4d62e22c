/** `dcalab service jobs …`: the service's own view of the backtest jobs. `dcalab status` has our store's view. */
import type { Command } from 'commander'
import { marketName } from '../../../contract/market.ts'
import { Failure, shellWord } from '../../../errors.ts'
import type { JobReading } from '../../../workbench/api/reading/readings.ts'
import type { OpenQuestion, Sighting } from '../../../workbench/run/resolve.ts'
import type { ClosedJobs } from '../../../workbench/store/holdouts.ts'
import type { ServiceAccount } from '../../../workbench/store/services.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { isoOrNull } from '../../bot-view.ts'
import { type CommonOptions, type Context, withCandles, withExamples, withStore } from '../../context.ts'
import { describeMetrics, scalarMetrics } from '../../metrics-table.ts'
import { ADVANCED, decimal, whole } from '../../option.ts'
import {
  inOneLine,
  printAnswer,
  printJson,
  printLines,
  say,
  type TimeWords,
  timesShown,
  toneOfGain,
} from '../../output.ts'
import {
  accountOn,
  collectPages,
  findServiceAccount,
  type ServiceLink,
  withStoreAndService,
} from '../../service-link.ts'
import { fittingTable } from '../../table.ts'

interface ListOptions extends CommonOptions {
  readonly limit: number
}

interface DeleteOptions extends CommonOptions {
  readonly yes?: boolean
}

/** What `<job>` may be. */
const JOB_WORDS = 'the job’s id, 4 or more of its first characters, or its name'

export function addJobs(service: Command, context: Context): void {
  const jobs = service.command('jobs').description('list, show, delete and resolve backtest jobs')
  withExamples(jobs, ['dcalab service jobs list', 'dcalab service jobs show job_81d0'])
  addList(jobs, context)
  addShow(jobs, context)
  addDelete(jobs, context)
  addResolve(jobs, context)
}

function addList(jobs: Command, context: Context): void {
  const command = jobs
    .command('list')
    .description('list the account’s jobs, newest first')
    .addOption(whole('--limit <n>', 'at most this many', { minimum: 1, default: 100 }))
  withExamples(withCandles(withStore(command)), [
    'dcalab service jobs list',
    'dcalab service jobs list --limit 1000 --json',
  ]).action(async (options: ListOptions) => {
    const { found, closed } = await withStoreAndService(context, options, async ({ client }, store) => ({
      closed: await closedJobs(store),
      found: await collectPages(options.limit, 'Listing the jobs', (next) =>
        client.listJobs({ limit: options.limit, ...next }),
      ),
    }))
    const rows = found.items.map((job) => shownJob(job, closed))
    const { terminal } = context.system
    if (options.json) await printJson(terminal, rows)
    else if (rows.length === 0) say(terminal, 'no jobs in this account')
    else {
      const when = timesShown(terminal)
      const table = fittingTable(rows, [
        { title: 'job', role: 'id', value: (row) => row.id },
        { title: 'state', role: 'varied', value: (row) => row.state },
        { title: 'net profit', value: (row) => row.metrics?.netProfit ?? null, digits: 2, tone: toneOfGain },
        { title: 'market', value: (row) => row.market },
        { title: 'finished', value: (row) => when(row.finishedAt) },
        { title: 'name', role: 'detail', value: (row) => row.name },
        { title: 'created', role: 'detail', value: (row) => when(row.createdAt) },
      ])
      await printAnswer(terminal, [table])
    }
    if (found.more) say(terminal, 'there are more; --limit shows them')
    if (found.unreadable > 0) say(terminal, `${found.unreadable} could not be read: they have no usable id`)
  })
}

function addShow(jobs: Command, context: Context): void {
  const command = jobs
    .command('show')
    .description('show one job: what was asked, its state, every metric')
    .argument('<job>', JOB_WORDS)
  withExamples(withCandles(withStore(command)), [
    'dcalab service jobs show job_81d0',
    'dcalab service jobs show job_81d0 --json',
  ]).action(async (named: string, options: CommonOptions) => {
    const { failureOf } = await import('../../../workbench/api/outcome.ts')
    const { outcome, closed } = await withStoreAndService(context, options, async ({ client }, store) => ({
      closed: await closedJobs(store),
      outcome: await client.readJob(await findJobId(client, named)),
    }))
    if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading job ${named}`)
    const job = shownJob(outcome.value, closed)
    const { terminal } = context.system
    if (options.json) return printJson(terminal, job)
    const result = isClosed(outcome.value, closed) ? null : outcome.value.result
    const when = timesShown(terminal)
    const lines = [
      `job      ${job.id}${job.name === null ? '' : `, ${job.name}`}`,
      `state    ${job.state === '' ? '-' : job.state}${job.understood === 'unknown' ? ' (not known: it keeps being polled)' : ''}`,
      `created  ${when(job.createdAt)}, finished ${when(job.finishedAt)}`,
      `market   ${job.market ?? '-'}, ${job.from ?? '-'} to ${job.to ?? '-'}`,
      ...(job.error === null ? [] : [`error    ${job.error}`]),
      '',
      ...Object.entries(job.config ?? {}).map(([field, value]) => `${field.padEnd(24)} ${value}`),
      '',
      ...(result === null ? ['no result yet'] : describeMetrics(result.metrics, periodOf(job))),
      ...Object.entries(job.flags).map(([field, reason]) => `note: ${field}: ${reason}`),
    ]
    return printAnswer(terminal, lines.map(inOneLine))
  })
}

/** null where the job does not state both ends. */
function periodOf({ from, to }: ShownJob) {
  return from === null || to === null ? null : { from: Date.parse(from), to: Date.parse(to) }
}

function addDelete(jobs: Command, context: Context): void {
  const command = jobs
    .command('delete')
    .description('delete a job at the service; its stored result stays')
    .argument('<job>', JOB_WORDS)
    .option('--yes', 'delete it even if a study still waits for it')
  withExamples(withCandles(withStore(command)), [
    'dcalab service jobs delete job_81d0',
    'dcalab service jobs delete job_81d0 --yes --json',
  ]).action(async (named: string, options: DeleteOptions) => {
    const [{ failureOf }, { deleteJob }] = await Promise.all([
      import('../../../workbench/api/outcome.ts'),
      import('../../../workbench/run/resolve.ts'),
    ])
    const id = await withStoreAndService(context, options, async (link, store) => {
      const { client } = link
      const identified = await client.identify()
      if (identified.kind !== 'ok') throw failureOf(identified, 'Asking the service who it is')
      const service = identified.value
      const serviceAccount = accountOn(service, link)
      const remove = async (jobId: string) => {
        if (!options.yes) await refuseIfAwaited(store, serviceAccount, jobId)
        return deleteJob({ store, client, service, serviceAccount, jobId })
      }
      const isAbsent = (outcome: Awaited<ReturnType<typeof remove>>) =>
        outcome.kind === 'rejected' && outcome.status === 404
      let id = named
      let outcome = await remove(id)
      if (isAbsent(outcome)) {
        id = await findJobId(client, named)
        if (id !== named) outcome = await remove(id)
      }
      if (isAbsent(outcome)) {
        throw new Failure('notFound', `The service has no job ${named}`, { hint: 'see `dcalab service jobs list`' })
      }
      if (outcome.kind !== 'acked') throw failureOf(outcome, `Deleting job ${id}`)
      return id
    })
    const { terminal } = context.system
    return options.json ? printJson(terminal, { deleted: id }) : printLines(terminal, [`job ${id} deleted`])
  })
}

/** Refuses to delete a job that was paid for and not read yet. @throws Failure usage */
async function refuseIfAwaited(store: Store, serviceAccount: ServiceAccount, id: string): Promise<void> {
  const { findKnownJob } = await import('../../../workbench/store/known-jobs.ts')
  const known = findKnownJob(store, serviceAccount, id)
  if (known === undefined || known.ended) return
  throw new Failure('usage', `job ${id} is trial ${known.fingerprint.slice(0, 12)}, whose result is not stored yet`, {
    hint: 'run its study to fetch the result first, or add --yes to lose it',
  })
}

async function closedJobs(store: Store): Promise<ClosedJobs> {
  const { listClosedJobs } = await import('../../../workbench/store/holdouts.ts')
  return listClosedJobs(store)
}

/** It is run on a hold-out of which not all results are in: none is shown. */
function isClosed({ id, name }: JobReading, { ids, names }: ClosedJobs): boolean {
  return ids.has(id) || (name !== null && names.has(name))
}

const CLOSED = { result: 'belongs to a hold-out, shown only when all its results are in' }

function shownJob(job: JobReading, closed: ClosedJobs) {
  const { request } = job
  const hidden = isClosed(job, closed)
  const result = hidden ? null : job.result
  return {
    id: job.id,
    name: job.name,
    /** The service's own word for the state, and how we understand it. */
    state: job.stateText,
    understood: job.state,
    createdAt: isoOrNull(job.createdAt),
    finishedAt: isoOrNull(job.finishedAt),
    market: request === null || request.market === null ? null : marketName(request.market),
    from: isoOrNull(request?.period?.from ?? null),
    to: isoOrNull(request?.period?.to ?? null),
    interval: request?.interval ?? null,
    config: request?.config ?? null,
    metrics: scalarMetrics(result?.metrics ?? null),
    flags: hidden ? CLOSED : (result?.flags ?? {}),
    error: job.error,
  }
}

type ShownJob = ReturnType<typeof shownJob>

/** Of a longer list the newest are looked at. */
const MOST_JOBS = 1_000

/**
 * The id. The account's jobs are listed only where no job has this id; where none of them is meant, what was named comes back.
 * @throws Failure usage where several are meant
 */
async function findJobId(client: Pick<ServiceLink['client'], 'readJob' | 'listJobs'>, named: string): Promise<string> {
  const outcome = await client.readJob(named)
  if (outcome.kind !== 'missing') return named
  const { FEWEST_CHARACTERS, isNamedBy } = await import('../../../workbench/api/id-beginning.ts')
  const { items } = await collectPages(MOST_JOBS, 'Listing the jobs', (next) =>
    client.listJobs({ limit: MOST_JOBS, ...next }),
  )
  const byName = items.filter(({ name }) => name === named)
  const found =
    byName.length > 0 || named.length < FEWEST_CHARACTERS ? byName : items.filter(({ id }) => isNamedBy(id, named))
  const [job, ...others] = found
  if (others.length === 0) return job?.id ?? named
  throw new Failure('usage', `"${named}" may be any of ${found.length} jobs`, {
    problems: found
      .slice(0, 10)
      .map(({ id, name, stateText }) => ({ place: id, message: `${name ?? '-'}, ${stateText}` })),
    hint: 'use its id',
  })
}

interface ResolveOptions extends CommonOptions {
  readonly job?: string
  readonly absent?: boolean
  readonly settle?: number
}

function addResolve(jobs: Command, context: Context): void {
  const command = jobs
    .command('resolve')
    .description('decide about a submission whose answer was lost')
    .argument('[submission]', 'its name, dcalab-…; without it, list open ones')
    .option('--job <id>', 'the job it became')
    .option('--absent', 'it never arrived; send it again (paid twice if wrong)')
    .addOption(
      decimal('--settle <seconds>', 'wait so long for an unanswered submission', {
        minimum: 0,
        otherwise: '15 minutes, 5 s on this machine',
      }).helpGroup(ADVANCED),
    )
  withExamples(withCandles(withStore(command)), [
    'dcalab service jobs resolve',
    'dcalab service jobs resolve dcalab-ladder-0123456789ab-1 --job job_81d0',
  ]).action((name: string | undefined, options: ResolveOptions) => resolve(context, name, options))
}

async function resolve(context: Context, name: string | undefined, options: ResolveOptions): Promise<void> {
  const isSettling = options.job !== undefined || options.absent === true
  if (options.job !== undefined && options.absent) throw new Failure('usage', 'use --job or --absent, not both')
  if ((name === undefined) === isSettling) {
    throw new Failure('usage', 'name the submission and its outcome: --job <id> or --absent')
  }
  const { listOpenQuestions, resolveAttempt } = await import('../../../workbench/run/resolve.ts')
  const { stateFolder } = context.settings()
  let study: string | undefined
  const open = await withStoreAndService(context, options, async (link, store) => {
    const sighting = await surveyService(context, { store, link, options })
    const { listUndecided } = await import('../../../workbench/store/attempts.ts')
    const { listOpenJobs } = await import('../../../workbench/store/jobs.ts')
    const who = sighting.serviceAccount
    const asked = listUndecided(store, who).find((attempt) => attempt.name === name)
    const awaited = asked ?? listOpenJobs(store, who).at(0)
    if (awaited !== undefined) {
      const { currentStudy } = await import('../../../workbench/store/find-trial.ts')
      study = currentStudy(store, awaited)
    }
    if (name !== undefined) {
      await resolveAttempt({
        store,
        client: link.client,
        sighting,
        name,
        jobId: options.job ?? null,
        signal: context.signal,
        lockFolder: stateFolder,
      })
    }
    return listOpenQuestions(store, sighting)
  })
  const { terminal } = context.system
  if (open.length > 0) context.suggestNext(name === undefined ? null : 'dcalab service jobs resolve')
  else if (study !== undefined) context.suggestNext(`dcalab run ${study}`)
  if (options.json) return printJson(terminal, open.map(asJson))
  if (name !== undefined) say(terminal, `${name} is settled`)
  if (open.length === 0) return say(terminal, 'no submission needs a decision')
  const when = timesShown(terminal)
  return printLines(terminal, open.flatMap((question) => describeQuestion(question, when)).map(inOneLine))
}

interface Around {
  readonly store: Store
  readonly link: ServiceLink
  readonly options: ResolveOptions
}

/** A service that is away is no reason to ask nothing of a person: what cannot arrive any more did not arrive. */
async function surveyService(context: Context, { store, link, options }: Around): Promise<Sighting> {
  const [{ failureOf }, { createServiceClock }, { usualArrivalMs }] = await Promise.all([
    import('../../../workbench/api/outcome.ts'),
    import('../../../workbench/run/service-clock.ts'),
    import('../../../workbench/run/open-run.ts'),
  ])
  const { client, loopback } = link
  const { terminal, clock: ours } = context.system
  const met = await client.identify({ signal: context.signal })
  const clock = createServiceClock(ours)
  clock.learn(met.raw)
  const around = {
    settleMs: options.settle === undefined ? usualArrivalMs(loopback) : options.settle * 1000,
    now: clock.now(),
    timesAgree: clock.isAnchored(),
  }
  if (met.kind === 'ok') {
    const serviceAccount = accountOn(met.value, link)
    return { ...around, serviceAccount, ...(await readUnknownJobs(context, { store, link, serviceAccount })) }
  }
  const failure = failureOf(met, 'Asking the service who it is')
  const serviceAccount = met.kind === 'failed' && met.unreachable ? await findServiceAccount(context, store) : undefined
  if (serviceAccount === undefined || options.job !== undefined) throw failure
  say(terminal, `note: ${failure.message}; so possible jobs cannot be listed`)
  return { ...around, serviceAccount, jobs: null, unreadable: 0 }
}

const DRAFTING = '`dcalab service draft my-service.mjs` drafts a dialect (dcalab guide service)'
/** More of a list is not read for people. */
const mostJobs = 1_000
/** Creation times may be written without their zone. */
const beforeMs = 26 * 3_600_000

async function readUnknownJobs(
  context: Context,
  { store, link, serviceAccount }: Pick<Around, 'store' | 'link'> & Pick<Sighting, 'serviceAccount'>,
): Promise<Pick<Sighting, 'jobs' | 'unreadable'>> {
  const { listUndecided } = await import('../../../workbench/store/attempts.ts')
  const unsettled = listUndecided(store, serviceAccount)
  if (unsettled.length === 0) return { jobs: [], unreadable: 0 }
  const since = Math.min(...unsettled.map(({ openedAt }) => openedAt)) - beforeMs
  try {
    const { items, unreadable } = await collectPages(mostJobs, 'Listing the jobs', (next) =>
      link.client.listJobs({ limit: mostJobs, since, ...next }),
    )
    if (unreadable > 0) say(context.system.terminal, `note: ${unreadable} of the list cannot be read; ${DRAFTING}`)
    return { jobs: items, unreadable }
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'interrupted') throw error
    const remedy = error.code === 'serviceUnreadable' ? DRAFTING : error.hint
    say(context.system.terminal, `note: ${error.message}; so possible jobs cannot be listed; ${remedy}`)
    return { jobs: null, unreadable: 0 }
  }
}

const commandOf = (name: string, word: string) => `dcalab service jobs resolve ${name} ${word}`

function asJson({ possible, ...question }: OpenQuestion) {
  const { name } = question
  return {
    ...question,
    possible:
      possible?.map(({ createdAt, ...rest }) => ({
        ...rest,
        createdAt: createdAt === null ? null : new Date(createdAt).toISOString(),
        command: commandOf(name, `--job ${shellWord(rest.job)}`),
      })) ?? null,
    absent: commandOf(name, '--absent'),
  }
}

function describeQuestion(question: OpenQuestion, when: TimeWords): string[] {
  const { name, study, state, openedAt, reason, arrivesUntil, possible, unreadable } = question
  const why = reason === null ? '' : `: ${reason}`
  return [
    `${name}: ${state}, of study ${study}, sent ${when(openedAt)}${why}`,
    ...(possible ?? []).flatMap(({ job, state: word, evidence }) => [
      `  job ${job}${word === '' ? '' : ` (${word})`}: ${evidence.join('; ')}`,
      `    ${commandOf(name, `--job ${shellWord(job)}`)}`,
    ]),
    ...(possible?.length === 0
      ? [unreadable > 0 ? '  no readable job of the list fits' : '  no job of the list fits']
      : []),
    `  it never arrived (possible until ${when(arrivesUntil)}): its trial is sent again`,
    `    ${commandOf(name, '--absent')}`,
  ]
}
