/** `dcalab study …`: checks a study file, starts a new one, prints the JSON Schema; lists, renames, archives and removes those of the store. */
import type { Command } from 'commander'
import { Failure } from '../../../errors.ts'
import type { Revision } from '../../../workbench/store/revisions.ts'
import type { Store } from '../../../workbench/store/store.ts'
import {
  type CommonOptions,
  type Context,
  type Register,
  withCandles,
  withExamples,
  withJson,
  withStore,
} from '../../context.ts'
import { withGivenStudy } from '../../given-study.ts'
import { ADVANCED, option, whole } from '../../option.ts'
import {
  countOf,
  formatTime,
  printAnswer,
  printJson,
  printLines,
  say,
  type TimeWords,
  timesShown,
  verbatim,
} from '../../output.ts'
import { withServiceOption } from '../../shown-service.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf, withKnownStore, withStoreToRead } from '../../workbench.ts'
import type { CheckOptions } from './check.ts'
import { addInit } from './init.ts'
import type { RefineOptions } from './refine.ts'

export const studyCommand: Register = (program, context) => {
  const study = program.command('study').description('start, check, refine, list and rename studies')
  withExamples(study, ['dcalab study init my-ladder', 'dcalab study check studies/btc-may-2021.yaml'])
  addCheck(study, context)
  addInit(study, context)
  addSchema(study, context)
  addRefine(study, context)
  addStored(study, context)
}

function addCheck(study: Command, context: Context): void {
  const command = withGivenStudy(study.command('check')).description(
    'check a study file; show backtests and time needed',
  )
  command.addOption(whole('--reserve <n>', 'backtests to keep for other uses', { minimum: 0 }).helpGroup(ADVANCED))
  withExamples(withCandles(withStore(command)), [
    'dcalab study check studies/btc-may-2021.yaml',
    'dcalab study check studies/demo.yaml --json',
  ]).action(async (given: string, options: CheckOptions) => {
    const { checkGiven } = await import('./check.ts')
    return checkGiven(context, given, options)
  })
}

function addSchema(study: Command, context: Context): void {
  const command = study
    .command('schema', { hidden: true })
    .description('print the JSON Schema of study files, for editors')
  withExamples(withJson(command), [
    'dcalab study schema > studies/study.schema.json',
    'dcalab study schema --json',
  ]).action(async () => {
    const { studyJsonSchema } = await import('../../../workbench/study/schema.ts')
    return printJson(context.system.terminal, studyJsonSchema())
  })
}

function addStored(study: Command, context: Context): void {
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
      const { findStudy, unknownStudy } = await import('../../../workbench/store/study-records.ts')
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

function addRefine(study: Command, context: Context): void {
  const command = study
    .command('refine')
    .description('write a finer study around the best result of one')
    .argument('<study>', 'name of a study in the store, or of a revision: my-ladder@2')
    .addOption(option('--out <file>', 'where to; - is stdout', { otherwise: 'studies/<study>-refined.yaml' }))
    .option('--force', 'replace an existing file')
    .option('--costs-of <bot>', 'take fee and slippage that a demo bot showed')
    .option('--fit-budget', 'set the base order so that a ladder costs the capital')
  withExamples(withServiceOption(withCandles(withStore(command))), [
    'dcalab study refine btc-may-2021 --out studies/finer.yaml',
    'dcalab study refine btc-may-2021@2 --costs-of bot_4f1c --fit-budget',
  ]).action(async (text: string, options: RefineOptions) => {
    const { refineGiven } = await import('./refine.ts')
    return refineGiven(context, text, options)
  })
}
