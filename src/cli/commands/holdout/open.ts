/** `dcalab holdout <study> --test`: runs the winner and the finalists on what a study holds out, once. Goes on where it stopped. */
import { userInfo } from 'node:os'
import { Failure } from '../../../errors.ts'
import type { Holdout } from '../../../workbench/evidence/holdout/read-holdout.ts'
import type { RunSummary } from '../../../workbench/run/run.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { askPerson } from '../../ask-person.ts'
import { chooseTrials } from '../../chosen-results.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { judgeChoices, USUAL_HORIZON_DAYS } from '../../judging.ts'
import { countOf, printable, printJson, printLines, say } from '../../output.ts'
import { timesSaid, timesShown } from '../../reader-time.ts'
import { describeReopening, watchProgress } from '../../run-progress.ts'
import { resolveSettings } from '../../run-study-file.ts'
import { accountOf, withService } from '../../service-link.ts'
import { serviceQuestion } from '../../shown-service.ts'
import { pathsOf, withKnownStore } from '../../workbench.ts'
import { exitCodeOf } from '../run.ts'
import { describeHoldout, gatherHoldout } from './shown-holdout.ts'

export interface OpenOptions extends CommonOptions {
  readonly reason?: string
  readonly yes?: boolean
  readonly wait?: boolean
  readonly allowance?: number
  readonly allowanceWindow?: number
  readonly reserve?: number
}

export const LONGEST_REASON = 1000

export async function openHoldout(context: Context, name: string, options: OpenOptions): Promise<void> {
  const reason = reasonOf(options)
  const { store: path, candlesFolder } = pathsOf(context, options)
  const [{ readStoredHoldout }, { refuseOpened, findOpening }] = await Promise.all([
    import('../../../workbench/evidence/holdout/read-holdout.ts'),
    import('../../../workbench/store/holdouts.ts'),
  ])
  await withKnownStore(context, path, async (store) => {
    const holdout = readStoredHoldout(store, name)
    if (holdout.opening?.completedAt) refuseOpened(store, name)
    await announce(context, store, holdout)
    if (holdout.opening === undefined && !options.yes) await askFirst(context, name)
    const summary = await runOn(context, store, { holdout, options, reason, candlesFolder })
    const opening = findOpening(store, name)
    if (opening?.completedAt) {
      await judgeAgain(context, store, { name, candlesFolder })
      const shown = await gatherHoldout(context, store, { name, candlesFolder })
      const { terminal } = context.system
      return options.json
        ? printJson(terminal, shown)
        : printLines(terminal, describeHoldout(shown, timesShown(terminal), context.system.clock.wall()))
    }
    throw unfinished(context, summary, { name, isOpened: opening !== undefined })
  })
}

/** With what was found on the hold-out. */
async function judgeAgain(
  context: Context,
  store: Store,
  { name, candlesFolder }: { readonly name: string; readonly candlesFolder: string },
): Promise<void> {
  const choices = await chooseTrials(store, name, { question: await serviceQuestion(context, store, {}) })
  const work = { candlesFolder, horizonDays: USUAL_HORIZON_DAYS, onProgress: () => {} }
  await judgeChoices(context, store, { choices, ...work })
}

/** @throws Failure usage */
function reasonOf({ reason }: OpenOptions): string {
  const text = reason?.trim() ?? ''
  if (text.length >= 1 && text.length <= LONGEST_REASON) return text
  const found = reason === undefined ? 'none' : `${text.length} characters`
  throw new Failure('usage', `--reason expects 1 to ${LONGEST_REASON} characters, found ${found}`, {
    hint: 'add --reason "…"; the test can be done once, and the reason is stored with it',
  })
}

async function announce(context: Context, store: Store, { study, span, opening }: Holdout): Promise<void> {
  const { terminal } = context.system
  const { findSeenWarnings } = await import('../../../workbench/evidence/holdout/holdout-warnings.ts')
  for (const { message } of findSeenWarnings(store, { ...study, holdout: span })) say(terminal, `note: ${message}`)
  const days = `${new Date(span.from).toISOString()} to ${new Date(span.to).toISOString()}`
  if (opening === undefined)
    say(
      terminal,
      `the winner and up to four others of ${study.name} run on ${days}, on ${countOf(study.markets.length, 'market')}`,
    )
  else say(terminal, `continuing the test begun ${opening.openedAt} by ${opening.openedBy}: ${opening.reason}`)
}

/** @throws Failure terminalNeeded, holdoutRefused on a no */
async function askFirst(context: Context, name: string): Promise<void> {
  const { inIsTerminal, errIsTerminal } = context.system.terminal
  if (!inIsTerminal || !errIsTerminal) {
    throw new Failure('terminalNeeded', `testing the hold-out of ${name} needs a confirmation`, { hint: 'give --yes' })
  }
  const question = `test the hold-out of ${name}? This can be done once, and ends the study. [y/N] `
  if (!/^y(es)?$/i.test(await askPerson(context, printable(question))))
    throw new Failure('holdoutRefused', 'not tested')
}

interface Work {
  readonly holdout: Holdout
  readonly options: OpenOptions
  readonly reason: string
  readonly candlesFolder: string
}

async function runOn(
  context: Context,
  store: Store,
  { holdout: { study, span }, options, reason, candlesFolder }: Work,
): Promise<RunSummary> {
  const [{ runStudy }, { openingSearch }] = await Promise.all([
    import('../../../workbench/run/run.ts'),
    import('../../../workbench/evidence/holdout/opening-search.ts'),
  ])
  // Candles that the embedded service lacks are found before the hold-out is opened, and not by five jobs that fail.
  const settingsOn = await resolveSettings(context, candlesFolder, { ...study, period: span })
  const { stateFolder } = context.settings()
  const { allowance, allowanceWindow, reserve } = options
  return withService(context, { store, candlesFolder, tellsProgress: true }, async (link) => {
    const progress = watchProgress(context)
    const by = accountOf(context) || userInfo().username
    return runStudy({
      system: context.system,
      store,
      client: link.client,
      study,
      trials: [],
      search: openingSearch({ store, study, span, by, reason }),
      options: {
        account: link.userEmail,
        loopback: link.loopback,
        wait: options.wait ?? false,
        anyway: true, // its study has results, which were checked
        ...(allowance === undefined ? {} : { allowance }),
        ...(allowanceWindow === undefined ? {} : { allowanceWindowMs: allowanceWindow * 3_600_000 }),
        ...(reserve === undefined ? {} : { reserve }),
        ...(stateFolder === undefined ? {} : { lockFolder: stateFolder }),
        ...(settingsOn === undefined ? {} : { settingsOn }),
        signal: context.signal,
        onProgress: progress.tell,
      },
    }).finally(progress.end)
  })
}

/** Why there is nothing to show yet, with the exit code of what stopped it. */
function unfinished(
  context: Context,
  { stoppedBy, allowance }: RunSummary,
  { name, isOpened }: { readonly name: string; readonly isOpened: boolean },
): Failure {
  const exitCode = exitCodeOf({ stoppedBy: stoppedBy ?? 'unresolved' }, context)
  const again = `run the same command again; results are shown when all are in`
  if (stoppedBy === 'allowance' && allowance !== null) {
    const { nextAt, source } = allowance
    const [when = 'never: the daily limit is smaller than that'] = describeReopening(
      nextAt,
      source,
      timesSaid(context.system.terminal),
    )
    const message = isOpened
      ? `the daily limit is used, and results of the hold-out of ${name} are missing; ${when}`
      : `not started: the daily limit has no room for all of them at once; ${when}`
    return new Failure('allowanceSpent', message, {
      hint: isOpened ? again : 'try again then, or add --wait',
      exitCode,
    })
  }
  const state = isOpened ? 'results of the hold-out are missing' : 'nothing was tested'
  return new Failure('holdoutRefused', `stopped by ${stoppedBy ?? 'a job that does not end'}: ${state}`, {
    hint: again,
    exitCode,
  })
}
