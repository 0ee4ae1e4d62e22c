/** `dcalab study list`, `show`, `rename`, `archive`, `rm`: studies as the store has them. No file is read or changed. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import type { Revision } from '../../../workbench/store/revisions.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { type CommonOptions, type Context, withExamples, withStore } from '../../context.ts'
import { countOf, formatTime, printAnswer, printJson, printLines, say, verbatim } from '../../output.ts'
import { type TimeWords, timesShown } from '../../reader-time.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf, withKnownStore, withStoreToRead } from '../../workbench.ts'

export function addStored(study: Command, context: Context): void {
  addList(study, context)
  addShow(study, context)
  addRename(study, context)
  addArchive(study, context)
  addRemove(study, context)
}

function addList(study: Command, context: Context): void {
  const command = study
    .command('list')
    .description('list stored studies, or the revisions of one')
    .argument('[study]', 'a study: what changed between its revisions')
    .option('--all', 'archived ones too')
  withExamples(withStore(command), ['dcalab study list --all', 'dcalab study list btc-may-2021 --json']).action(
    (name: string | undefined, options: CommonOptions & { readonly all?: boolean }) =>
      withStoreToRead(context, pathsOf(context, options).store, async (store) => {
        if (name !== undefined) return listRevisions(context, store, name, options)
        const { listStudies } = await import('../../../workbench/store/study-records.ts')
        const known = listStudies(store)
        const records = known.filter(({ archivedAt }) => archivedAt === null || options.all)
        const { terminal } = context.system
        if (options.json) {
          return printJson(
            terminal,
            records.map(({ source, isRerun, ...shown }) => shown),
          )
        }
        const archived = known.length - records.length
        if (archived > 0) say(terminal, `${archived} archived, not listed (--all)`)
        if (records.length === 0) return archived > 0 ? undefined : say(terminal, 'no study has been run yet')
        const when = timesShown(terminal)
        return printAnswer(
          terminal,
          fittingTable(records, [
            { title: 'study', role: 'id', value: (record) => record.name },
            { title: 'revision', value: (record) => record.revision },
            { title: 'fingerprint', role: 'detail', value: (record) => record.fingerprint.slice(0, 12) },
            { title: 'saved', value: (record) => when(record.savedAt) },
            {
              title: 'archived',
              role: 'alarm',
              value: ({ archivedAt }) => (archivedAt === null ? null : when(archivedAt)),
            },
            { title: 'services', value: (record) => record.identities.join(' ') },
          ]),
        )
      }),
  )
}

async function listRevisions(context: Context, store: Store, name: string, { json }: CommonOptions): Promise<void> {
  const [{ readRevisions }, { unknownStudy }] = await Promise.all([
    import('../../../workbench/store/revisions.ts'),
    import('../../../workbench/store/study-records.ts'),
  ])
  const revisions = readRevisions(store, name)
  if (revisions.length === 0) throw unknownStudy(store, name)
  const { terminal } = context.system
  return json
    ? printJson(terminal, revisions)
    : printAnswer(terminal, revisions.map(describeRevision(name, timesShown(terminal))))
}

function addShow(study: Command, context: Context): void {
  const command = study
    .command('show')
    .description('print the definition of a stored study')
    .argument('<study>', 'name of a study in the store, or of a revision: my-ladder@2')
  withExamples(withStore(command), [
    'dcalab study show btc-may-2021',
    'dcalab study show btc-may-2021@2 --json',
  ]).action((name: string, options: CommonOptions) =>
    withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const [{ findStudy }, { unknownStudy }] = await Promise.all([
        import('../../../workbench/store/study-records.ts'),
        import('../../../workbench/store/study-records.ts'),
      ])
      const record = findStudy(store, name)
      if (record === undefined) throw unknownStudy(store, name)
      const { terminal } = context.system
      return options.json ? printJson(terminal, record) : printAnswer(terminal, verbatim(record.source.trimEnd()))
    }),
  )
}

function describeRevision(name: string, when: TimeWords): (revision: Revision) => string {
  return ({ number, savedAt, isCurrent, trials, results, changed, rerun }) => {
    const changes = changed.map((change) => `${change.key} ${change.old ?? '-'} → ${change.new ?? '-'}`)
    const what =
      rerun !== null
        ? `a rerun: ${describeReplaced(rerun)}`
        : number === 1
          ? 'the first'
          : changes.length === 0
            ? 'nothing that is kept here'
            : changes.join('; ')
    return `${name}@${number}${isCurrent ? ' (current)' : ''}  ${when(savedAt)}  ${results} of ${countOf(trials, 'result')}: ${what}`
  }
}

function describeReplaced({ period, markets }: NonNullable<Revision['rerun']>): string {
  return [
    ...(period === undefined
      ? []
      : [`period ${formatTime(Date.parse(period.from))} to ${formatTime(Date.parse(period.to))}`]),
    ...(markets === undefined ? [] : [`on ${markets.join(', ')}`]),
  ].join(', ')
}

function addRename(study: Command, context: Context): void {
  const command = study
    .command('rename')
    .description('rename a stored study that is not running')
    .argument('<old>', 'name of a study in the store')
    .argument('<new>', 'a new name')
  withExamples(withStore(command), [
    'dcalab study rename btc-may-2021 crash-ladder',
    'dcalab study rename btc-may-2021 crash-ladder --json',
  ]).action((from: string, to: string, options: CommonOptions) =>
    withKnownStore(context, pathsOf(context, options).store, async (store) => {
      const [{ renameStudy }, { isStudyName }] = await Promise.all([
        import('../../../workbench/store/study-upkeep.ts'),
        import('../../../workbench/study/parse.ts'),
      ])
      if (!isStudyName(to)) {
        throw new Failure('usage', `a study's name is a-z, 0-9 and dashes, at most 64 of them; found "${to}"`)
      }
      await renameStudy(store, { from, to, ...locksOf(context) })
      const { terminal } = context.system
      if (options.json) return printJson(terminal, { from, to })
      await printLines(terminal, [`${from} is now ${to}`])
      say(terminal, `write \`name: ${to}\` into its file: a run with \`name: ${from}\` would start a new study`)
    }),
  )
}

function addArchive(study: Command, context: Context): void {
  const command = study
    .command('archive')
    .description('hide a study from lists')
    .argument('<study>', 'name of a study in the store')
    .option('--undo', 'list it again')
  withExamples(withStore(command), [
    'dcalab study archive btc-may-2021',
    'dcalab study archive btc-may-2021 --undo --json',
  ]).action((name: string, options: CommonOptions & { readonly undo?: boolean }) =>
    withKnownStore(context, pathsOf(context, options).store, async (store) => {
      const { archiveStudy, unarchiveStudy } = await import('../../../workbench/store/study-upkeep.ts')
      await (options.undo ? unarchiveStudy(store, name) : archiveStudy(store, name))
      const { terminal } = context.system
      if (options.json) return printJson(terminal, { study: name, archived: options.undo !== true })
      return printLines(terminal, [options.undo ? `${name} is listed again` : `${name} is archived; --all lists it`])
    }),
  )
}

function addRemove(study: Command, context: Context): void {
  const command = study
    .command('rm')
    .description('delete a study; results and ledger stay')
    .argument('<study>', 'name of a study in the store')
  withExamples(withStore(command), ['dcalab study rm btc-may-2021', 'dcalab study rm btc-may-2021 --json']).action(
    (name: string, options: CommonOptions) =>
      withKnownStore(context, pathsOf(context, options).store, async (store) => {
        const { removeStudy } = await import('../../../workbench/store/study-upkeep.ts')
        const { revisions, kept } = await removeStudy(store, name, locksOf(context))
        const { terminal } = context.system
        if (options.json) return printJson(terminal, { study: name, revisions, kept })
        return printLines(terminal, [
          `${name} is removed, ${countOf(revisions, 'revision')} of it`,
          `kept: ${countOf(kept.results, 'result')} of its trials, ${countOf(kept.attempts, 'submission')} in the ledger, ` +
            `${countOf(kept.runs, 'run')}, ${countOf(kept.screens, 'screen')}, and every count of its market`,
        ])
      }),
  )
}

function locksOf(context: Context): { readonly lockFolder?: string } {
  const { stateFolder } = context.settings()
  return stateFolder === undefined ? {} : { lockFolder: stateFolder }
}
