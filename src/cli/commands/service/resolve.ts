/** `dcalab service jobs resolve`: lets a person decide about a submission whose outcome the program cannot find out, with what speaks for each answer. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import type { OpenQuestion, Sighting } from '../../../workbench/run/resolve.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type CommonOptions, type Context, withCandles, withExamples, withStore } from '../../context.ts'
import { ADVANCED, decimal } from '../../option.ts'
import { inOneLine, printJson, printLines, say } from '../../output.ts'
import { collectPages } from '../../pages.ts'
import { type TimeWords, timesShown } from '../../reader-time.ts'
import { findSpender, type ServiceLink, withService } from '../../service-link.ts'
import { pathsOf, withOpenStore } from '../../workbench.ts'

interface ResolveOptions extends CommonOptions {
  readonly job?: string
  readonly absent?: boolean
  readonly settle?: number
}

export function addResolve(jobs: Command, context: Context): void {
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
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { stateFolder } = context.settings()
  let study: string | undefined
  const open = await withOpenStore(context, path, (store) =>
    withService(context, { store, candlesFolder }, async (link) => {
      const sighting = await lookAtService(context, { store, link, options })
      const { listUndecided } = await import('../../../workbench/store/attempts.ts')
      const { listOpenJobs } = await import('../../../workbench/store/jobs.ts')
      const who = sighting.spender
      const asked = listUndecided(store, who).find((attempt) => attempt.name === name)
      study = (asked ?? listOpenJobs(store, who).at(0))?.study
      if (name !== undefined) {
        await resolveAttempt({
          store,
          client: link.client,
          sighting,
          name,
          jobId: options.job ?? null,
          signal: context.signal,
          ...(stateFolder === undefined ? {} : { lockFolder: stateFolder }),
        })
      }
      return listOpenQuestions(store, sighting)
    }),
  )
  const { terminal } = context.system
  if (open.length > 0) context.suggestNext('dcalab service jobs resolve')
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
async function lookAtService(context: Context, { store, link, options }: Around): Promise<Sighting> {
  const [{ failureOf }, { createServiceClock }, { usualArrivalMs }] = await Promise.all([
    import('../../../workbench/api/failure.ts'),
    import('../../../workbench/run/service-clock.ts'),
    import('../../../workbench/run/open-run.ts'),
  ])
  const { client, loopback, userEmail } = link
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
    const { identity, simulated } = met.value
    const spender = { identity, account: simulated ? userEmail : '' }
    return { ...around, spender, ...(await readStrangers(context, { store, link, spender })) }
  }
  const failure = failureOf(met, 'Asking the service who it is')
  const spender = met.kind === 'failed' && met.unreachable ? await findSpender(context, store) : undefined
  if (spender === undefined || options.job !== undefined) throw failure
  say(terminal, `note: ${failure.message}; so possible jobs cannot be listed`)
  return { ...around, spender, jobs: null, unreadable: 0 }
}

const DRAFTING = '`dcalab service draft my-service.mjs` drafts a dialect (dcalab guide service)'
/** More of a list is not read for people. */
const mostJobs = 1_000
/** Creation times may be written without their zone. */
const beforeMs = 26 * 3_600_000

async function readStrangers(
  context: Context,
  { store, link, spender }: Pick<Around, 'store' | 'link'> & Pick<Sighting, 'spender'>,
): Promise<Pick<Sighting, 'jobs' | 'unreadable'>> {
  const { listUndecided } = await import('../../../workbench/store/attempts.ts')
  const unsettled = listUndecided(store, spender)
  if (unsettled.length === 0) return { jobs: [], unreadable: 0 }
  const since = Math.min(...unsettled.map(({ openedAt }) => openedAt)) - beforeMs
  try {
    const { items, unreadable } = await collectPages(mostJobs, 'Listing the jobs', async (next) => {
      const outcome = await link.client.listJobs({ limit: mostJobs, since, ...(next === undefined ? {} : { next }) })
      return outcome.kind === 'ok' ? { ...outcome, value: { ...outcome.value, items: outcome.value.jobs } } : outcome
    })
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
        command: commandOf(name, `--job ${rest.job}`),
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
      `    ${commandOf(name, `--job ${job}`)}`,
    ]),
    ...(possible?.length === 0
      ? [unreadable > 0 ? '  no readable job of the list fits' : '  no job of the list fits']
      : []),
    `  it never arrived (possible until ${when(arrivesUntil)}): its trial is sent again`,
    `    ${commandOf(name, '--absent')}`,
  ]
}
