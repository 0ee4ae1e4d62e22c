/**
 * `dcalab status`, which is also `dcalab` alone: studies, what runs, the allowance, demo bots, and what to type next; of one study what is done,
 * running, waiting and failed, and since when. It reads only the store, unless it is to watch.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type { Command } from 'commander'
import type { StoredCandles } from '../../candles/folder/folder.ts'
import { Failure, shellWord } from '../../errors.ts'
import { type AllowanceOutlook, waitsForAllowance } from '../../workbench/run/allowance.ts'
import type { AllowanceReport } from '../../workbench/run/progress.ts'
import type { ServiceAccount } from '../../workbench/store/services.ts'
import type { StandingBot, WorkState } from '../../workbench/store/standing.ts'
import type { Store } from '../../workbench/store/store.ts'
import type { StudyCount } from '../../workbench/store/study-counts.ts'
import { type CommonOptions, type Context, type Register, withCandles, withExamples, withStore } from '../context.ts'
import { whole } from '../option.ts'
import { formatTime, type Line, printAnswer, printJson, type TimeWords, timesShown, toneOfFailures } from '../output.ts'
import { describeAllowance, describeProgress } from '../run-study-file.ts'
import { findServiceAccount } from '../service-link.ts'
import {
  headingOf,
  lastVerdictOn,
  noteService,
  type ServiceOptions,
  serviceQuestion,
  shownService,
  withServiceOption,
} from '../shown-service.ts'
import { describeStudies, summariseStudy } from '../studies-table.ts'
import { pathsOf, withStoreToRead } from '../workbench.ts'
import { REPORTS_FOLDER } from './report.ts'
import { examples } from './study/init.ts'

interface StatusOptions extends CommonOptions, ServiceOptions {
  readonly all?: boolean
  readonly watch?: boolean
  readonly every?: number
  readonly times?: number
}

export const statusCommand: Register = (program, context) => {
  const command = program
    .command('status')
    .description('show studies, runs, limits, bots, and what to type next')
    .argument('[study]', 'one study, or one revision of it: my-ladder@2')
    .option('--all', 'archived studies too')
    .option('--watch', 'refresh runs, limits and demo bots; asks the service')
    .addOption(
      whole('--every <seconds>', 'of --watch: time between refreshes', {
        ...{ minimum: 5, maximum: 86_400, otherwise: '60' },
      }),
    )
    .addOption(
      whole('--times <n>', 'of --watch: stop after so many refreshes', { minimum: 1, otherwise: 'until Ctrl-C' }),
    )
  withExamples(withServiceOption(withCandles(withStore(command))), [
    'dcalab status btc-may-2021 --json',
    'dcalab status --watch',
  ]).action((name: string | undefined, options: StatusOptions) => showStatus(context, name, options))
}

async function showStatus(context: Context, name: string | undefined, options: StatusOptions): Promise<void> {
  if (options.watch) {
    const { watchStatus } = await import('./watch-status.ts')
    return watchStatus(context, { ...options, ...(name === undefined ? {} : { study: name }) })
  }
  const [flag] = Object.entries({ '--every': options.every, '--times': options.times }).find(([, one]) => one) ?? []
  if (flag !== undefined) throw new Failure('usage', `${flag} goes with --watch`)
  const { store } = pathsOf(context, options)
  await withStoreToRead(context, store, (opened) =>
    name === undefined ? showAll(context, opened, options) : showStudy(context, opened, { name, options }),
  )
}

async function showStudy(
  context: Context,
  store: Store,
  { name, options }: { readonly name: string; readonly options: StatusOptions },
): Promise<void> {
  const [{ countStudies }, { foreseeRest }, { unknownStudy }] = await Promise.all([
    import('../../workbench/store/study-counts.ts'),
    import('../../workbench/run/progress.ts'),
    import('../../workbench/store/study-records.ts'),
  ])
  const question = await serviceQuestion(context, store, options)
  const counts = countStudies(store, { study: name, all: options.all ?? false, ...question })
  const rows = counts.map(summariseStudy)
  if (rows.length === 0) throw unknownStudy(store, name)
  const shown = shownService(counts[0], question)
  const { allowance, now, serviceAccount } = await readAllowance(context, store)
  const { terminal } = context.system
  if (options.json) {
    noteService(terminal, shown)
    return printJson(terminal, { studies: rows, allowance })
  }
  const when = timesShown(terminal)
  return printAnswer(terminal, [
    ...describeStudies(rows, {
      heading: headingOf(shown),
      more: [
        { title: 'unresolved', role: 'alarm', value: (row) => row.unresolved, tone: toneOfFailures },
        { title: 'last finished', role: 'detail', value: (row) => when(row.lastFinishedAt) },
      ],
    }),
    describeAllowance(allowance, when),
    ...describeRest(rows, (todo) => foreseeRest(store, { todo, now, serviceAccount }), when),
  ])
}

async function readAllowance(
  context: Context,
  store: Store,
): Promise<{
  readonly allowance: AllowanceReport
  readonly now: number
  readonly serviceAccount: ServiceAccount | undefined
}> {
  const { estimateRun } = await import('../../workbench/run/progress.ts')
  const now = context.system.clock.wall()
  const serviceAccount = await findServiceAccount(context, store)
  const { allowance } = estimateRun(store, [], now, serviceAccount === undefined ? {} : { serviceAccount })
  return { allowance, now, serviceAccount }
}

/** What `--json` shows. */
interface Standing {
  /** Latest first. */
  readonly studies: readonly ReturnType<typeof summariseStudy>[]
  /** Study files of this folder that the store does not know, the shipped examples aside. */
  readonly newFiles: readonly string[]
  readonly allowance: AllowanceReport
  /** Demo bots that trials became, latest first, as far as this store knows. */
  readonly bots: readonly StandingBot[]
  readonly candles: readonly {
    readonly market: string
    readonly interval: string
    readonly from: string
    readonly to: string
  }[]
}

async function showAll(context: Context, store: Store, options: StatusOptions): Promise<void> {
  const [{ standing, more, state }, { nextCommand }] = await Promise.all([
    readWork(context, store, options),
    import('../../workbench/store/standing.ts'),
  ])
  const { terminal } = context.system
  if (options.json) return printJson(terminal, { ...standing, next: nextCommand(state, 'dcalab status') })
  await printAnswer(terminal, describeStanding({ ...standing, more }, timesShown(terminal)))
}

const MOST_SHOWN = 5

/** @param options `study`: the state is that of this one, else of the latest. `more`: studies that are not shown */
async function readWork(
  context: Context,
  store: Store,
  { study, ...options }: StatusOptions & { readonly study?: string | undefined },
): Promise<{ readonly standing: Standing; readonly more: number; readonly state: WorkState }> {
  const [{ listCandles }, { countStudies }, { listStudies }, { findStandingBot, listStandingBots }, { findOpening }] =
    await Promise.all([
      import('../../candles/folder/folder.ts'),
      import('../../workbench/store/study-counts.ts'),
      import('../../workbench/store/study-records.ts'),
      import('../../workbench/store/standing.ts'),
      import('../../workbench/store/holdouts.ts'),
    ])
  const question = await serviceQuestion(context, store, options)
  const { all = false } = options
  const studies = listStudies(store)
  // Counting a study of ten thousand trials for the first time takes a while: only what is shown is counted.
  const isCounted = options.json || options.service !== undefined
  const counts = countStudies(store, { all, ...question, ...(isCounted ? {} : { most: MOST_SHOWN }) })
  const [asked] = study === undefined ? counts : countStudies(store, { all: true, study, ...question })
  const listed = isCounted ? counts : studies.filter(({ archivedAt }) => all || archivedAt === null)
  const known = new Set(studies.map(({ name }) => name))
  const standing: Standing = {
    studies: counts.map(summariseStudy),
    newFiles: ownStudyFiles().filter((file) => !known.has(nameIn(file))),
    allowance: (await readAllowance(context, store)).allowance,
    bots: listStandingBots(store),
    candles: listCandles(pathsOf(context, options).candlesFolder).map(shownCandles),
  }
  // An agent reads no file.
  const [newFile] = study === undefined && context.agent === undefined ? standing.newFiles : []
  const more = listed.length - MOST_SHOWN
  return { standing, more, state: { ...around(), study: asked === undefined ? null : await stateOf(asked) } }

  function around() {
    return {
      newFile: newFile === undefined ? null : shellWord(newFile),
      isAllowanceLeft: standing.allowance.available > 0,
      hasCandles: standing.candles.length > 0,
    }
  }

  async function stateOf(count: StudyCount): Promise<WorkState['study']> {
    const { study: name, waiting, running, done, unresolved } = summariseStudy(count)
    return {
      // Of one whose hold-out was opened nothing more is sent.
      ...{ name, open: findOpening(store, name) === undefined ? waiting + running : 0, unresolved, done },
      isReported: existsSync(join(REPORTS_FOLDER, `${name}.html`)),
      verdict: done === 0 ? null : await bestVerdict(store, count),
      bot: findStandingBot(store, name),
    }
  }
}

/** What the verdict on the best of a study says to do; null = it was not judged. Only the best is read, of however many results. */
async function bestVerdict(store: Store, { study, service }: StudyCount) {
  const [{ rankStored }, { findDefinition, findStudy }, { readStoredDefinition }] = await Promise.all([
    import('../../workbench/store/stored-ranking.ts'),
    import('../../workbench/store/study-records.ts'),
    import('../../workbench/study/definition.ts'),
  ])
  const record = findStudy(store, study)
  if (record === undefined || service === null) return null
  try {
    // The whole reading of a study file takes longer than all the rest: it is for studies that an older program stored.
    const { objective } =
      readStoredDefinition(findDefinition(store, record)) ??
      (await import('../../workbench/store/studies.ts')).storedStudy(record)
    const { top } = rankStored(store, { study, identity: service.identity, objective, top: 1, isTopAlone: true })
    const found = top.length === 0 ? undefined : await lastVerdictOn(store, record.name, top[0].trials)
    if (found === undefined) return null
    const { next }: { readonly next?: { readonly command?: unknown } | null } = Object(found.verdict)
    return { grade: found.grade, isStale: found.isStale, next: typeof next?.command === 'string' ? next.command : null }
  } catch (error) {
    if (error instanceof Failure) return null // its definition cannot be read
    throw error
  }
}

/** The name that a study file states, without reading the rest of it; its own where it states none. */
function nameIn(file: string): string {
  return /^name: *["']?([a-z0-9-]+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? basename(file, extname(file))
}

/**
 * After which command it follows from where the work stands: that of the study in its first argument, or of the folder. All others are listings, run
 * until they are stopped, or name the next command themselves (`context.suggestNext`).
 */
const FOLLOWS: Readonly<Record<string, 'study' | 'folder'>> = {
  status: 'study',
  run: 'study',
  leaderboard: 'study',
  holdout: 'study',
  report: 'study',
  'candles resample': 'folder',
}

/** @param path of the command, without `dcalab` */
export async function findNext(context: Context, path: string, command: Command): Promise<string | null> {
  const [given] = command.processedArgs.flat()
  const follows = FOLLOWS[path]
  if (follows === undefined) return null
  const { nextCommand } = await import('../../workbench/store/standing.ts')
  const options = command.opts<CommonOptions & ServiceOptions>()
  const study = follows === 'study' && typeof given === 'string' ? studyNamed(given) : undefined
  const just = ['dcalab', path, ...(study === undefined ? [] : [study])].join(' ')
  try {
    return await withStoreToRead(context, pathsOf(context, options).store, async (store) => {
      const { state } = await readWork(context, store, { ...options, study })
      return nextCommand(state, just)
    })
  } catch (error) {
    if (error instanceof Failure) return null // the command itself has said what there is to say
    throw error
  }
}

/** Of a study, or of its file. */
function studyNamed(given: string): string {
  return isFile(given) ? nameIn(given) : given
}

/** A link to nowhere is none. */
function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

function shownCandles({ market, interval, from, to }: StoredCandles) {
  return { market, interval, from: formatTime(from), to: formatTime(to) }
}

function ownStudyFiles(): readonly string[] {
  if (!existsSync('studies')) return []
  return readdirSync('studies')
    .filter((name) => /^[^.].*\.yaml$/.test(name) && !examples().includes(basename(name, '.yaml')))
    .map((name) => `studies/${name}`)
    .filter(isFile)
    .sort()
}

function describeStanding(
  { studies, more, newFiles, allowance, bots, candles }: Standing & { readonly more: number },
  when: TimeWords,
): Line[] {
  return [
    ...(studies.length === 0 ? ['no study has been run yet'] : describeStudies(studies.slice(0, MOST_SHOWN))),
    ...(more > 0 ? [`… ${more} more: dcalab study list`] : []),
    ...(newFiles.length === 0 ? [] : [`not run yet: ${newFiles.join(', ')}`]),
    describeAllowance(allowance, when),
    ...bots.slice(0, MOST_SHOWN).map((bot) => describeStandingBot(bot, when)),
    candles.length === 0
      ? 'no candles yet; dcalab demo tries everything without your own'
      : `candles: ${candles.slice(0, MOST_SHOWN).map(describeSeries).join('; ')}${candles.length > MOST_SHOWN ? '; more: dcalab candles list' : ''}`,
  ]
}

function describeStandingBot({ name, market, startedAt }: StandingBot, when: TimeWords): string {
  return `demo bot: ${name} on ${market}, ${startedAt === null ? 'not started' : `started ${when(startedAt)}`}`
}

function describeSeries({ market, interval, from, to }: Standing['candles'][number]): string {
  return `${market} ${interval} ${from.slice(0, 10)} to ${to.slice(0, 10)}`
}

/** Describes what is left to do, in the same words as a run that stops. */
function describeRest(
  rows: readonly ReturnType<typeof summariseStudy>[],
  foresee: (todo: number) => AllowanceOutlook,
  when: TimeWords,
): string[] {
  const sum = (count: 'total' | 'done' | 'failed' | 'running' | 'waiting') =>
    rows.reduce((all, row) => all + row[count], 0)
  const todo = sum('waiting')
  if (todo === 0) return []
  const { submittedInMs, ...outlook } = foresee(todo)
  const leftMs = waitsForAllowance(outlook) ? submittedInMs : null // only a run knows its speed
  const counts = { total: sum('total'), done: sum('done'), failed: sum('failed'), running: sum('running') }
  return [describeProgress({ ...counts, perSecond: null, ...outlook, leftMs }, 0, when)]
}
