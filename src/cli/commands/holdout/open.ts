/** `dcalab holdout <study> --test`: runs the winner and the finalists on what a study holds out, once. Goes on where it stopped. */
import { userInfo } from 'node:os'
import { marketName } from '../../../contract/market.ts'
import { Failure } from '../../../errors.ts'
import type { Warning } from '../../../workbench/analysis/warnings/warnings.ts'
import { findSeenWarnings } from '../../../workbench/evidence/holdout/holdout-warnings.ts'
import { openingSearch } from '../../../workbench/evidence/holdout/opening.ts'
import {
  type ComparedResult,
  compareWithLocal,
  type Holdout,
  type LocalField,
  readResults,
  readStoredHoldout,
  screenSpan,
} from '../../../workbench/evidence/holdout/read-holdout.ts'
import { type RunSummary, runStudy } from '../../../workbench/run/run.ts'
import type { ServiceQuestion } from '../../../workbench/store/choose-service.ts'
import { findOpening, refuseOpened } from '../../../workbench/store/holdouts.ts'
import { isSimulated, serviceName } from '../../../workbench/store/services.ts'
import type { Store } from '../../../workbench/store/store.ts'
import { countStudies } from '../../../workbench/store/study-counts.ts'
import type { KeptVerdict } from '../../../workbench/store/verdicts.ts'
import { configFingerprint, shortIds } from '../../../workbench/study/fingerprint.ts'
import type { CommonOptions, Context } from '../../context.ts'
import { askPerson } from '../../input.ts'
import { judgeChoices } from '../../judging.ts'
import { findKnownTerms } from '../../known-terms.ts'
import { withProgress } from '../../long-work.ts'
import { scalarMetrics } from '../../metrics-table.ts'
import {
  countOf,
  hanging,
  type Line,
  printAnswer,
  printable,
  printJson,
  printLines,
  say,
  type TimeWords,
  timesSaid,
  timesShown,
} from '../../output.ts'
import { describeReopening, resolveSettings, watchProgress } from '../../run-study-file.ts'
import { accountOf, withService } from '../../service-link.ts'
import {
  chooseTrials,
  describeLastVerdict,
  lastVerdictOn,
  type ServiceOptions,
  serviceQuestion,
  USUAL_HORIZON_DAYS,
} from '../../shown-service.ts'
import { fittingTable } from '../../table.ts'
import { pathsOf, withKnownStore, withStoreToRead } from '../../workbench.ts'
import { exitCodeOf } from '../run.ts'

export interface OpenOptions extends CommonOptions {
  readonly yes?: boolean
  readonly wait?: boolean
  readonly allowance?: number
  readonly allowanceWindow?: number
  readonly reserve?: number
}

export async function openHoldout(
  context: Context,
  name: string,
  { reason, ...options }: OpenOptions & { readonly reason: string },
): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
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

async function announce(context: Context, store: Store, { study, span, opening }: Holdout): Promise<void> {
  const { terminal } = context.system
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
  // Candles that the embedded service lacks are found before the hold-out is opened, and not by five jobs that fail.
  const settingsOn = await resolveSettings(context, candlesFolder, { ...study, period: span })
  const { stateFolder } = context.settings()
  const { allowance, allowanceWindow, reserve } = options
  return withService(context, { store, candlesFolder, showsProgress: true }, async (link) => {
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
        allowance,
        ...(allowanceWindow === undefined ? {} : { allowanceWindowMs: allowanceWindow * 3_600_000 }),
        reserve,
        lockFolder: stateFolder,
        settingsOn,
        signal: context.signal,
        onProgress: progress.emit,
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
  const again = 'run the same command again: results are shown when all are in'
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

/** Times in ISO 8601 UTC. */
interface ShownHoldout {
  readonly study: string
  /** Short name of the one that it was opened on; null = it is closed. */
  readonly service: string | null
  readonly span: { readonly from: string; readonly to: string }
  /** `exchange/BASE-QUOTE`. */
  readonly markets: readonly string[]
  /** Configurations that others have tried on this time, at most; of an opened one, before it was opened. */
  readonly seenConfigs: number
  /** null = it is closed. */
  readonly opened: {
    readonly at: string
    readonly reason: string
    readonly by: string
    /** null = not all results are in, and none is shown. */
    readonly completedAt: string | null
  } | null
  /** What the percentiles are taken among, by market; empty before there are results. */
  readonly local: readonly { readonly market: string; readonly points: LocalField['points']; readonly n: number }[]
  /** By place on train and market; null before all are in. */
  readonly results: readonly ShownResult[] | null
  readonly warnings: readonly Warning[]
  /** On the best of the study; null = it was not judged. */
  readonly verdict: KeptVerdict | null
}

type ShownResult = Omit<ComparedResult, 'metrics'> & { readonly metrics: ReturnType<typeof scalarMetrics> }

/** Computes the local engine's side where there are results: seconds for each market. @throws Failure notFound, holdoutRefused */
async function gatherHoldout(
  context: Context,
  store: Store,
  { name, candlesFolder }: { readonly name: string; readonly candlesFolder: string },
): Promise<ShownHoldout> {
  const holdout = readStoredHoldout(store, name)
  const { study, span, opening, seenConfigs } = holdout
  const results = readResults(store, holdout)
  // For a service that is not ours the local engine computes by the terms that test backtests or its own results show.
  const known =
    opening === undefined || isSimulated(store, opening) ? undefined : findKnownTerms(store, opening.identity)
  const onLocal = { ...study, ...known }
  const fields = new Map<string, LocalField | { readonly missing: string }>()
  if (results !== null) {
    await withProgress(context, async (showProgress) => {
      const { signal } = context
      for (const market of study.markets) {
        const field = await screenSpan(
          { study: onLocal, span, market, candlesFolder },
          { clock: context.system.clock, signal, showProgress },
        )
        fields.set(marketName(market), field)
      }
    })
  }
  return {
    study: study.name,
    service: opening === undefined ? null : serviceName(store, opening.identity),
    span: { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() },
    markets: study.markets.map(marketName),
    seenConfigs,
    opened:
      opening === undefined
        ? null
        : {
            at: opening.openedAt,
            reason: opening.reason,
            by: opening.openedBy,
            completedAt: opening.completedAt,
          },
    local: [...fields].flatMap(([market, field]) =>
      'missing' in field ? [] : [{ market, points: field.points, n: field.n }],
    ),
    results:
      results?.map((result) => {
        const compared = compareWithLocal(result, fields.get(result.market), study)
        return { ...compared, metrics: scalarMetrics(compared.metrics) }
      }) ?? null,
    warnings: findSeenWarnings(store, { ...study, holdout: span }),
    verdict: (await verdictOnBest(store, study.name, await serviceQuestion(context, store, {}))) ?? null,
  }
}

/** undefined also where nothing of it has a place. @throws Failure of no other kind */
async function verdictOnBest(store: Store, study: string, question: ServiceQuestion): Promise<KeptVerdict | undefined> {
  try {
    const choices = await chooseTrials(store, study, { question })
    return await lastVerdictOn(
      store,
      study,
      choices.map(({ choice }) => choice.trial),
    )
  } catch (error) {
    if (error instanceof Failure && (error.code === 'notFound' || error.code === 'promotionRefused')) return undefined
    throw error
  }
}

/** @param when how its times are written; `now`: ms UTC */
function describeHoldout(shown: ShownHoldout, when: TimeWords, now: number): Line[] {
  const { study, service, span, markets, seenConfigs, opened, results } = shown
  return [
    ...(service === null ? [] : [`results of ${service}`]),
    `${study} holds out ${span.from} to ${span.to} on ${markets.join(', ')}`,
    `seen     ${seenConfigs === 0 ? 'no other backtest, screen or verdict here ran over these days' : `up to ${countOf(seenConfigs, 'configuration')} tried or judged on them before`}`,
    ...describeOpening(study, opened, when),
    ...(results === null ? [] : ['', ...describeResults(shown, results)]),
    ...describeLastVerdict(shown.verdict ?? undefined, { now, target: study }),
  ]
}

function describeOpening(study: string, opened: ShownHoldout['opened'], when: TimeWords): string[] {
  if (opened === null) return [`tested   no; possible once: dcalab holdout ${study} --test --reason "…"`]
  const { at, by, reason, completedAt } = opened
  return [
    hanging(`tested   ${when(at)} by ${by}: `, reason),
    completedAt === null
      ? `results  not complete, so none is shown; continue: dcalab holdout ${study} --test --reason "…"`
      : `results  complete since ${when(completedAt)}`,
  ]
}

function describeResults({ local }: ShownHoldout, results: readonly ShownResult[]): Line[] {
  const table = fittingTable(results, [
    { title: 'id', role: 'id', value: idOf },
    { title: 'place', role: 'id', value: ({ place }) => place },
    { title: 'market', role: 'id', value: ({ market }) => market },
    { title: 'net profit', value: ({ metrics }) => metrics?.netProfit ?? null, digits: 2 },
    { title: 'deals', value: ({ metrics }) => metrics?.closedDeals ?? null },
    { title: 'max DD %', value: ({ metrics }) => metrics?.maxDrawdownPercent ?? null, digits: 2 },
    { title: 'local percentile', value: ({ percentileOnLocal }) => percentileOnLocal, digits: 1 },
    { title: 'service − local %', value: ({ localDifference }) => localDifference, digits: 3 },
  ])
  const among = local.map(({ market, points, n }) => {
    const what = points === 'grid' ? 'points of the grid' : 'Sobol points'
    return `percentiles on ${market}: by the objective, among ${n} ${what} computed here`
  })
  const reasons = results.flatMap((result) =>
    result.percentileOnLocalReason === null
      ? []
      : [`no percentile for ${idOf(result)}: ${result.percentileOnLocalReason}`],
  )
  return [table, ...among, ...new Set(reasons)]
}

function idOf({ config }: ShownResult): string {
  return shortIds([configFingerprint(config)])[0]
}

export function showHoldout(context: Context, name: string, options: CommonOptions & ServiceOptions): Promise<void> {
  const { store: path, candlesFolder } = pathsOf(context, options)
  return withStoreToRead(context, path, async (store) => {
    await refuseElsewhere(store, name, options)
    const shown = await gatherHoldout(context, store, { name, candlesFolder })
    const { terminal } = context.system
    for (const { message } of shown.warnings) say(terminal, `note: ${message}`)
    return options.json
      ? printJson(terminal, shown)
      : printAnswer(terminal, describeHoldout(shown, timesShown(terminal), context.system.clock.wall()))
  })
}

/** A hold-out is opened on one service. @throws Failure notFound where another is asked for, or one that the study was not run on */
async function refuseElsewhere(store: Store, study: string, { service: asked }: ServiceOptions): Promise<void> {
  if (asked === undefined) return
  const service = countStudies(store, { study, asked }).at(0)?.service ?? null
  const opening = findOpening(store, study)
  if (opening === undefined || service === null || opening.identity === service.identity) return
  const where = serviceName(store, opening.identity)
  throw new Failure(
    'notFound',
    `${service.name} has no results of the hold-out of ${study}: it was tested on ${where}`,
    { hint: `leave out --service, or add --service ${where}` },
  )
}
