/** `dcalab jobs resolve`: lets a person decide about a submission whose outcome the program cannot find out. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import { type CommonOptions, type Context, withCandles, withExamples, withStore } from '../../context.ts'
import { formatTable, printJson, printLines, say } from '../../output.ts'
import { withService } from '../../service-link.ts'
import { pathsOf, withOpenStore } from '../../workbench.ts'

interface ResolveOptions extends CommonOptions {
  readonly job?: string
  readonly absent?: boolean
}

export function addResolve(jobs: Command, context: Context): void {
  const command = jobs
    .command('resolve')
    .description('settles a submission that only a person can: it became a job of the list, or it never arrived')
    .argument('[submission]', 'its name, dcalab-…; without it, those that wait are listed')
    .option('--job <id>', 'the job it became')
    .option('--absent', 'it never arrived: its trial is planned again (and paid for again if that is wrong)')
  withExamples(withCandles(withStore(command)), [
    'dcalab jobs resolve',
    'dcalab jobs resolve dcalab-ladder-0123456789ab-1 --job job_81d0',
  ]).action((name: string | undefined, options: ResolveOptions) => resolve(context, name, options))
}

async function resolve(context: Context, name: string | undefined, options: ResolveOptions): Promise<void> {
  if (name !== undefined && (options.job === undefined) === (options.absent !== true)) {
    throw new Failure('usage', 'say what became of it: either --job <id> or --absent')
  }
  const [{ listOpenQuestions, resolveAttempt }, { failureOf }] = await Promise.all([
    import('../../../workbench/run/resolve.ts'),
    import('../../../workbench/api/failure.ts'),
  ])
  const { store: path, candlesFolder } = pathsOf(context, options)
  const { stateFolder } = context.settings()
  const open = await withOpenStore(context, path, (store) =>
    withService(context, { store, candlesFolder }, async ({ client, userEmail }) => {
      const met = await client.identify({ signal: context.signal })
      if (met.kind !== 'ok') throw failureOf(met, 'Asking the service who it is')
      const service = met.value
      const spender = { identity: service.identity, account: service.simulated ? userEmail : '' }
      if (name !== undefined) {
        await resolveAttempt({
          store,
          client,
          service,
          spender,
          name,
          jobId: options.job ?? null,
          signal: context.signal,
          ...(stateFolder === undefined ? {} : { lockFolder: stateFolder }),
        })
      }
      return listOpenQuestions(store, spender)
    }),
  )
  const { terminal } = context.system
  if (options.json) return printJson(terminal, open)
  if (name !== undefined) say(terminal, `${name} is settled`)
  if (open.length === 0) return say(terminal, 'no submission waits to be settled')
  return printLines(
    terminal,
    formatTable(open, [
      { title: 'submission', value: (row) => row.name },
      { title: 'study', value: (row) => row.study },
      { title: 'state', value: (row) => row.state },
      { title: 'sent', value: (row) => row.openedAt },
      { title: 'why it is open', value: (row) => row.reason },
    ]),
  )
}
