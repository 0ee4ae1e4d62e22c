/** `dcalab store …`: the result store as a file: a copy of it, another one taken over, old replies dropped, replies read once more, its health. */
import { statSync } from 'node:fs'
import type { Command } from 'commander'
import { Failure, shellWord } from '../../errors.ts'
import type { Dialect } from '../../workbench/api/reading/dialect.ts'
import { checkBaseUrl } from '../../workbench/api/wire/keys.ts'
import type { StoreCheck } from '../../workbench/store/merge/check-other.ts'
import type { MergeReport } from '../../workbench/store/merge/report.ts'
import type { PruneReport } from '../../workbench/store/prune.ts'
import type { KeptReply, ReparseReport, Reread } from '../../workbench/store/reparse.ts'
import type { ServiceRecord } from '../../workbench/store/services.ts'
import { type CommonOptions, type Context, type Register, withExamples, withStore } from '../context.ts'
import { withProgress } from '../long-work.ts'
import { option } from '../option.ts'
import { countOf, formatBytes, formatTime, type Line, printJson, printLines, say } from '../output.ts'
import { fittingTable } from '../table.ts'
import { pathsOf, withKnownStore, withOpenStore, withStoreToRead } from '../workbench.ts'

export const storeCommand: Register = (program, context) => {
  const store = program.command('store').description('back up, merge, clean, reread and check the result store')
  withExamples(store, ['dcalab store backup backup/2026-01.sqlite', 'dcalab store check'])
  addBackup(store, context)
  addMerge(store, context)
  addClean(store, context)
  addReread(store, context)
  addCheck(store, context)
}

function addBackup(store: Command, context: Context): void {
  const command = store
    .command('backup')
    .description('copy the store into one file, also during a run')
    .argument('<file>', 'new file to write')
  withExamples(withStore(command), [
    'dcalab store backup backup/workbench-2026-01.sqlite',
    'dcalab store backup /mnt/team/mine.sqlite --json',
  ]).action(async (file: string, options: CommonOptions) => {
    const [{ requireStore }, { takeSnapshot }] = await Promise.all([
      import('../../workbench/store/store.ts'),
      import('../../workbench/store/whole-file.ts'),
    ])
    const path = pathsOf(context, options).store
    requireStore(path)
    const { terminal } = context.system
    const taken = await withStoreToRead(context, path, (opened) => takeSnapshot(opened, { path: file }))
    if (options.json) return printJson(terminal, { store: path, ...taken })
    return printLines(terminal, [
      `${taken.path} is the store as it was (${formatBytes(taken.bytes)})`,
      `to restore it, copy it to ${path}, or name it: dcalab status --store ${shellWord(taken.path)}`,
    ])
  })
}

function addMerge(store: Command, context: Context): void {
  const command = store
    .command('merge')
    .description('import everything from another store')
    .argument('<file>', 'the other store, of this or an older layout; not changed')
  withExamples(withStore(command), [
    'dcalab store merge backup/laptop.sqlite',
    'dcalab store merge team/anna.sqlite --store data/workbench.sqlite --json',
  ]).action((file: string, options: CommonOptions) =>
    withOpenStore(context, pathsOf(context, options).store, async (ours) => {
      const [{ mergeStore, notesOf }, { keepAllPlaces }] = await Promise.all([
        import('../../workbench/store/merge/merge.ts'),
        import('../../workbench/store/study-counts.ts'),
      ])
      const { stateFolder } = context.settings()
      const { terminal } = context.system
      const rules = await rulesOf(context)
      const report = await withProgress(context, (showProgress) =>
        mergeStore(ours, {
          path: file,
          rules,
          lockFolder: stateFolder,
          showProgress,
          signal: context.signal,
        }),
      )
      keepAllPlaces(ours)
      for (const note of notesOf(report)) say(terminal, `note: ${note}`)
      return options.json ? printJson(terminal, report) : printLines(terminal, describeMerge(report))
    }),
  )
}

function describeMerge({ other, layout, added, advanced }: MergeReport): string[] {
  const fresh = Object.entries(added).filter(([, count]) => count > 0)
  const forward = Object.entries(advanced).filter(([, count]) => count > 0)
  if (fresh.length === 0 && forward.length === 0) return [`${other} (layout ${layout}) has nothing new`]
  return [
    `merged ${other} (layout ${layout})`,
    ...fresh.map(([what, count]) => `  ${count} new ${inWords(what, count)}`),
    ...forward.map(([what, count]) => `  ${count} ${inWords(what, count)} of ours brought forward`),
  ]
}

/** foreignJobs → foreign jobs; of one: foreign job. */
function inWords(name: string, count: number): string {
  const words = name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return count === 1 && words !== 'settings' ? words.replace(/ies$/, 'y').replace(/s$/, '') : words
}

interface CleanOptions extends CommonOptions {
  readonly olderThan: string
  readonly dryRun?: boolean
}

function addClean(store: Command, context: Context): void {
  const command = store
    .command('clean')
    .description('delete replies, deals and daily equity of old results')
    .addOption(option('--older-than <age>', 'only results older than this: 1y, 12w, 90d').makeOptionMandatory())
    .option('--dry-run', 'show what would be deleted, delete nothing')
  withExamples(withStore(command), [
    'dcalab store clean --older-than 1y --dry-run',
    'dcalab store clean --older-than 90d --json',
  ]).action((options: CleanOptions) =>
    withKnownStore(context, pathsOf(context, options).store, async (known) => {
      const before = context.system.clock.wall() - ageOf(options.olderThan)
      const { pruneStore } = await import('../../workbench/store/prune.ts')
      const { terminal, clock } = context.system
      const dryRun = options.dryRun ?? false
      const report = await pruneStore(known, { before, dryRun, pause: () => clock.sleep(0, context.signal) })
      if (options.json) return printJson(terminal, report)
      await printLines(terminal, describeCleaning(report))
      if (report.file.after === null && !dryRun && !isNothing(report)) {
        say(terminal, 'the file did not shrink (another program has it open, or little was freed); the space is reused')
      }
    }),
  )
}

const DAY_MS = 86_400_000
const UNIT_DAYS = { d: 1, w: 7, y: 365 } as const

/** In ms. @throws Failure usage */
function ageOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([dwy])$/.exec(text) ?? []
  if (unit === 'd' || unit === 'w' || unit === 'y') return Number(count) * UNIT_DAYS[unit] * DAY_MS
  throw new Failure('usage', `--older-than expects a number of days, weeks or years (90d, 12w, 1y), found "${text}"`)
}

function isNothing({ replies, series, endpointReplies }: PruneReport): boolean {
  return replies.rows + series.results + endpointReplies.rows === 0
}

function describeCleaning(report: PruneReport): string[] {
  const { before, dryRun, replies, series, endpointReplies, file } = report
  const drops = dryRun ? 'would drop' : 'dropped'
  const cut = formatTime(Date.parse(before))
  if (isNothing(report)) return [`nothing to delete from before ${cut}`]
  return [
    `${drops} what is from before ${cut}:`,
    `  ${repliesOf(replies.rows)} of jobs, ${megabytes(replies.bytes)}`,
    `  deals and daily equity of ${countOf(series.results, 'result')}: ${countOf(series.deals, 'deal')}, about ${megabytes(series.bytes)}`,
    `  ${repliesOf(endpointReplies.rows)} of other endpoints, ${megabytes(endpointReplies.bytes)}`,
    'metrics, jobs, attempts and counts stay',
    ...(file.after === null ? [] : [`the file is ${megabytes(file.after)} now, it was ${megabytes(file.before)}`]),
  ]
}

function megabytes(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

function repliesOf(count: number): string {
  return count === 1 ? '1 reply' : `${count} replies`
}

interface RereadOptions extends CommonOptions {
  readonly dryRun?: boolean
  readonly revised?: boolean
}

function addReread(store: Command, context: Context): void {
  const command = store
    .command('reread')
    .description('read stored replies again with the current dialect')
    .argument('[study]', 'only trials of this study or revision (my-ladder@2)')
    .option('--revised', 'take the service’s new numbers for changed results')
    .option('--dry-run', 'show what would change, change nothing')
  withExamples(withStore(command), [
    'dcalab store reread --dry-run',
    'dcalab store reread btc-may-2021 --revised --json',
  ]).action(async (study: string | undefined, options: RereadOptions) => {
    const report = await reread(context, study, options)
    const shown = {
      study: study ?? null,
      dryRun: options.dryRun ?? false,
      revised: options.revised ?? false,
      ...report,
    }
    const { terminal } = context.system
    if (report.unreadable.length > 0) context.endWith(5)
    if (options.json) return printJson(terminal, shown)
    await printLines(terminal, describeRereading(report, options))
    if (report.unreadable.length > 0) {
      say(
        terminal,
        'unreadable replies keep their old columns; a dialect can read them: dcalab service draft my-service.mjs',
      )
    }
  })
}

async function reread(context: Context, study: string | undefined, options: RereadOptions): Promise<ReparseReport> {
  const [{ reparseReplies }, { findStudy, unknownStudy }] = await Promise.all([
    import('../../workbench/store/reparse.ts'),
    import('../../workbench/store/study-records.ts'),
  ])
  const rules = await rulesOf(context)
  return withKnownStore(context, pathsOf(context, options).store, (store) => {
    if (study !== undefined && findStudy(store, study) === undefined) throw unknownStudy(store, study)
    return reparseReplies(store, {
      ...rules,
      ...(study === undefined ? {} : { study }),
      revised: options.revised ?? false,
      dryRun: options.dryRun ?? false,
      signal: context.signal,
    })
  })
}

/**
 * The embedded service uses the built-in dialect. A dialect module belongs to the configured service; replies of other services
 * are left as they are.
 */
async function rulesOf(context: Context): Promise<{ accepts: (service: ServiceRecord) => boolean; reread: Reread }> {
  const [{ builtInDialect, loadDialect }, { rereadJob }, { toObservation }] = await Promise.all([
    import('../../workbench/api/reading/dialect.ts'),
    import('../../workbench/api/reading/read-job.ts'),
    import('../../workbench/run/outcome-table.ts'),
  ])
  const { baseUrl, dialect: module } = context.settings()
  const dialect = module === undefined ? builtInDialect : await loadDialect(module)
  const origin = baseUrl === undefined ? undefined : checkBaseUrl(baseUrl, context).origin
  const isMeant = (service: ServiceRecord) => module === undefined || origin === undefined || service.origin === origin
  const dialectOf = ({ simulated }: ServiceRecord): Dialect => (simulated ? builtInDialect : dialect)
  return {
    accepts: (service) => service.simulated || isMeant(service),
    reread: ({ service, body, receivedAt }: KeptReply) => {
      const found = rereadJob(body, dialectOf(service))
      return 'problem' in found ? found : toObservation(found.reading, receivedAt)
    },
  }
}

function describeRereading(
  { jobs, changed, unchanged, unreadable, pruned, columns }: ReparseReport,
  { dryRun }: RereadOptions,
): Line[] {
  const days = pruned.map(({ prunedAt }) => prunedAt.slice(0, 10)).sort()
  const lastDay = days.at(-1)
  const would = dryRun ? 'would change' : 'changed'
  return [
    `${jobs} jobs read again: ${changed} ${would}, ${unchanged} unchanged, ${unreadable.length} unreadable`,
    ...(lastDay === undefined
      ? []
      : [
          `  ${pruned.length} not read: their replies were deleted on ${lastDay}${days[0] === lastDay ? '' : ' and before'}; their columns stay`,
        ]),
    ...Object.entries(columns).map(([column, count]) => `  ${column}: ${would} in ${count}`),
    ...(unreadable.length === 0
      ? []
      : [
          fittingTable(unreadable, [
            { title: 'trial', role: 'id', value: (row) => row.trial.slice(0, 12) },
            { title: 'job', role: 'id', value: (row) => row.jobId },
            { title: 'why it is unreadable', value: (row) => row.reason },
          ]),
        ]),
  ]
}

function addCheck(store: Command, context: Context): void {
  const command = store.command('check').description('check the store: its pages, replies and size')
  withExamples(withStore(command), ['dcalab store check', 'dcalab store check --json']).action(
    async (options: CommonOptions) => {
      const health = await checkHealth(context, pathsOf(context, options).store)
      const { terminal } = context.system
      if (health.state === 'unusable') context.endWith(6)
      return options.json ? printJson(terminal, health) : printLines(terminal, describeHealth(health))
    },
  )
}

function describeHealth(health: StoreHealth): string[] {
  if (health.state === 'unusable') return [`${health.path}: ${health.problem}`, health.hint]
  const { pages, replies, deletedReplies } = health
  return [
    `${health.path}: ${health.state}, ${formatBytes(health.bytes)}, write-ahead log ${formatBytes(health.walBytes)}`,
    `checked: all ${pages} pages and indexes, references, names of trials, the hash of ${repliesOf(replies)}${deletedReplies > 0 ? ` (${deletedReplies} deleted before)` : ''}`,
    `${health.studies === 1 ? '1 study' : `${health.studies} studies`}, ${countOf(health.jobs, 'job')}, ${countOf(health.unresolved, 'unresolved attempt')}`,
    ...health.warnings.map((warning) => `warning: ${warning}`),
  ]
}

type StoreHealth =
  | (Omit<StoreCheck, 'damage'> & {
      readonly path: string
      readonly state: 'healthy'
      readonly bytes: number
      readonly walBytes: number
      readonly studies: number
      readonly jobs: number
      /** Submissions of which it is not known whether they arrived. */
      readonly unresolved: number
      readonly warnings: readonly string[]
    })
  | { readonly path: string; readonly state: 'unusable'; readonly problem: string; readonly hint: string }

/** A log this large means that a program keeps a read transaction open. */
const largeWalBytes = 64 * 1024 * 1024

async function checkHealth(context: Context, path: string): Promise<StoreHealth> {
  try {
    const { requireStore } = await import('../../workbench/store/store.ts')
    requireStore(path)
    return await withStoreToRead(context, path, async (store) => {
      const [{ countHeld }, { checkStore }, { findFalseRankings }, { DAMAGED_HINT }] = await Promise.all([
        import('../../workbench/store/standing.ts'),
        import('../../workbench/store/merge/check-other.ts'),
        import('../../workbench/store/stored-ranking.ts'),
        import('../../workbench/store/file-check.ts'),
      ])
      const { damage: found, ...checked } = await checkStore(store.db, () => store.clock.sleep(0, context.signal))
      const damage = found.length > 0 ? found : findFalseRankings(store)
      if (damage.length > 0) {
        throw new Failure('storeUnusable', `${path} is damaged: ${damage[0]}`, { hint: DAMAGED_HINT })
      }
      const walBytes = sizeOf(`${path}-wal`)
      const isLarge = walBytes > largeWalBytes
      return {
        path,
        state: 'healthy',
        bytes: sizeOf(path),
        walBytes,
        ...checked,
        ...countHeld(store),
        warnings: isLarge ? ['a program that keeps the store open prevents its log from shrinking'] : [],
      }
    })
  } catch (error) {
    if (error instanceof Failure && error.code === 'storeUnusable')
      return { path, state: 'unusable', problem: error.message, hint: error.hint }
    throw error
  }
}

/** Without opening the file: closing a SQLite file that was opened outside SQLite would drop its locks (H12). */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
