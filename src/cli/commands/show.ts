/** `dcalab show`: everything the store has about one result of a trial. */

import { marketName } from '../../contract/market.ts'
import { METRICS, type MetricName } from '../../contract/metrics.ts'
import type { KeptDriftCheck } from '../../workbench/store/drift-checks.ts'
import type { ResultChoice } from '../../workbench/store/find-trial.ts'
import type { Note } from '../../workbench/store/marks.ts'
import type { KeptPromotion } from '../../workbench/store/promotions.ts'
import type { RevisedResult, WholeTrial } from '../../workbench/store/records.ts'
import type { Store } from '../../workbench/store/store.ts'
import type { TriedCount } from '../../workbench/store/tried-count.ts'
import { triedInWords } from '../../workbench/store/tried-in-words.ts'
import type { KeptExamination, KeptVerdict } from '../../workbench/store/verdicts.ts'
import { type CommonOptions, type Context, type Register, withExamples, withStore } from '../context.ts'
import { describeConventions, describeMetrics, inDeals } from '../metrics-table.ts'
import { formatTime, hanging, type Line, printAnswer, printJson, type TimeWords, timesShown } from '../output.ts'
import {
  choiceOf,
  describeLastVerdict,
  headingOf,
  ID_WORDS,
  noteService,
  serviceOfTrials,
  withResultChoice,
} from '../shown-service.ts'
import { pathsOf, withKnownStore, withStoreToRead } from '../workbench.ts'

interface ShowOptions extends CommonOptions, ResultChoice {
  readonly tag?: readonly string[]
  readonly untag?: readonly string[]
  readonly note?: string
}

export const showCommand: Register = (program, context) => {
  const command = program
    .command('show')
    .description('show one result: configuration, metrics, tags, notes')
    .argument('<id>', ID_WORDS)
    .option('--tag <words...>', 'add these tags first, up to 64 characters each')
    .option('--untag <words...>', 'remove these tags first')
    .option('--note <text>', 'add a note first; an empty one removes the newest')
  withExamples(withResultChoice(withStore(command)), [
    'dcalab show 46330614',
    'dcalab show 46330614 --tag favourite --note "the stop was never touched"',
  ]).action(async (prefix: string, options: ShowOptions) => {
    const path = pathsOf(context, options).store
    await mark(context, path, prefix, options)
    await withStoreToRead(context, path, async (store) => {
      const { findResult } = await import('../../workbench/store/find-trial.ts')
      const {
        examination,
        verdict = null,
        ...shown
      } = await gather(store, findResult(store, prefix, choiceOf(options)), options.study)
      const of = await serviceOfTrials(store, [shown])
      const { terminal, clock } = context.system
      if (options.json) {
        noteService(terminal, of)
        const { examinationForJson } = await import('../../workbench/store/verdicts.ts')
        const { isoSpan } = await import('../../workbench/study/spans.ts')
        return printJson(terminal, {
          ...shown,
          period: isoSpan(shown.period),
          service: of.name,
          verdict,
          examination: examinationForJson(examination),
        })
      }
      const lines = describeTrial(
        { ...shown, examination, verdict: verdict ?? undefined },
        { now: clock.wall(), study: options.study },
        timesShown(terminal),
      )
      return printAnswer(terminal, [...headingOf(of), ...lines])
    })
  })
}

/** A person's words on a trial, whatever its settings. @throws Failure usage, notFound */
async function mark(context: Context, path: string, prefix: string, options: ShowOptions): Promise<void> {
  const { tag, untag, note, ...choice } = options
  if (tag === undefined && untag === undefined && note === undefined) return
  const [{ findResult }, { addNote, addTags, removeNote, removeTags }] = await Promise.all([
    import('../../workbench/store/find-trial.ts'),
    import('../../workbench/store/marks.ts'),
  ])
  await withKnownStore(context, path, async (store) => {
    const trial = findResult(store, prefix, choiceOf(choice)).fingerprint // what cannot be shown is not marked
    if (untag !== undefined) await removeTags(store, trial, untag)
    if (tag !== undefined) await addTags(store, trial, tag)
    if (note === '') await removeNote(store, trial)
    else if (note !== undefined) await addNote(store, trial, note)
  })
}

interface ShownTrial extends WholeTrial {
  /** Of its configuration, as it is typed. */
  readonly id: string
  /** Configurations that were tried on its market and time. */
  readonly tried: TriedCount
  readonly tags: readonly string[]
  readonly notes: readonly Note[]
  /** Demo bots that it was made into, or was to be. */
  readonly promotions: readonly KeptPromotion[]
  /** The last comparison of each of these bots with its backtest. */
  readonly drifts: readonly Pick<KeptDriftCheck, 'botId' | 'checkedAt' | 'deals' | 'profit' | 'verdict'>[]
  /** undefined = it was never examined. */
  readonly examination: KeptExamination | undefined
  /** undefined = it was never judged. */
  readonly verdict: KeptVerdict | undefined
}

/** @param study whose verdict is meant; undefined = the latest, whoever’s choice it was */
async function gather(store: Store, record: WholeTrial, study: string | undefined): Promise<ShownTrial> {
  const [
    { countTriedOn },
    { readNotes, readTags },
    { listPromotions },
    { listDriftChecks },
    { findExamination, findVerdict },
    { idOfTrial },
    { splitStudyName },
  ] = await Promise.all([
    import('../../workbench/store/tried-count.ts'),
    import('../../workbench/store/marks.ts'),
    import('../../workbench/store/promotions.ts'),
    import('../../workbench/store/drift-checks.ts'),
    import('../../workbench/store/verdicts.ts'),
    import('../../workbench/store/find-trial.ts'),
    import('../../workbench/store/study-records.ts'),
  ])
  const name = study === undefined ? study : splitStudyName(study).name
  return {
    ...record,
    id: idOfTrial(store, record.fingerprint),
    tried: countTriedOn(store, { market: marketName(record.market), period: record.period }),
    tags: readTags(store, record.fingerprint),
    notes: readNotes(store, record.fingerprint),
    promotions: listPromotions(store, record.fingerprint),
    drifts: listDriftChecks(store)
      .filter(({ trial }) => trial === record.fingerprint)
      .map(({ botId, checkedAt, deals, profit, verdict }) => ({ botId, checkedAt, deals, profit, verdict })),
    examination: findExamination(store, record, name),
    verdict: findVerdict(store, { trial: record, study: name }),
  }
}

function describeTrial(
  record: ShownTrial,
  { now, study }: { readonly now: number; readonly study: string | undefined },
  when: TimeWords,
): Line[] {
  const target = study === undefined ? record.id : `${record.id} --study ${study}`
  const { market, period, config, prunedAt } = record
  const tried = triedInWords('one', record.tried)
  return [
    `id       ${record.id}`,
    `trial    ${record.fingerprint}`,
    `service  ${record.identity}${record.simulated ? ' (simulated)' : ''}`,
    ...(record.settings === null ? [] : [`settings ${record.settings}`]),
    `market   ${marketName(market)}, ${formatTime(period.from)} to ${formatTime(period.to)}`,
    ...describeCandles(record),
    record.failure === null ? `state    ${record.state}` : hanging(`state    ${record.state}: `, record.failure),
    `job      ${record.jobId ?? '-'}, submitted ${when(record.submittedAt)}, finished ${when(record.finishedAt)}`,
    ...(prunedAt === null
      ? []
      : [`pruned   on ${dayOf(prunedAt)}: trades, daily equity and reply were deleted; metrics stay`]),
    ...(tried === '' ? [] : [`tried    ${tried}`]),
    ...(record.tags.length === 0 ? [] : [`tags     ${record.tags.join(', ')}`]),
    ...record.notes.map(({ note, addedAt }) => hanging(`note     ${dayOf(addedAt)} `, note)),
    ...record.promotions.map(describePromotion),
    ...record.drifts.map(
      ({ botId, checkedAt, verdict }) => `drift    ${botId}, ${when(checkedAt)}: ${verdict.sentence}`,
    ),
    '',
    ...Object.entries(config).map(([field, value]) => `${field.padEnd(24)} ${value}`),
    ...(record.costs === null
      ? []
      : [`${'fee and slippage'.padEnd(24)} ${record.costs.feePercent} %, ${record.costs.slippagePercent} %`]),
    ...(record.conventions === null ? [] : describeConventions(record.conventions)),
    '',
    ...(record.metrics === null ? ['no result yet'] : describeMetrics(record.metrics, period)),
    ...record.revised.flatMap((revised) => describeRevised(revised, when)),
    ...(record.metrics === null ? [] : describeLastVerdict(record.verdict, { now, target })),
    ...Object.entries(record.metricFlags).map(([metric, flag]) => `note: ${metric}: ${flag}`),
    '',
  ]
}

/** "net profit 13.2 → 14.1": as it was paid for, and as the service states it now. */
function describeRevised({ noticedAt, changes, takenAt, isPending }: RevisedResult, when: TimeWords): Line[] {
  const became = takenAt !== null ? `, taken ${when(takenAt)}` : isPending ? '' : ', no longer'
  return [
    `the service states since ${when(noticedAt)}${became}:`,
    ...Object.entries(changes).map(
      ([name, [was, is]]) => `  ${name in METRICS ? METRICS[name as MetricName].title : name} ${was} → ${is}`,
    ),
  ]
}

function describePromotion({ botId, botName, state, openedAt, startedAt, headline, accepted }: KeptPromotion): string {
  const shown = headline === null ? '' : `; judged then: ${headline}`
  const named = accepted === null || accepted.length === 0 ? '' : ' (accepted)'
  const started = startedAt === null ? '' : `, started ${dayOf(startedAt)}`
  return `bot      ${botId ?? '–'} (${botName}), ${state} ${dayOf(openedAt)}${started}${shown}${named}`
}

function describeCandles({ candles, metrics }: WholeTrial): string[] {
  if (candles === null) return []
  const { interval, count, missing, synthetic, hash } = candles
  return [
    `candles  ${interval}: ${count ?? '?'}, ${missing ?? '?'} missing${inDeals(metrics)}${synthetic ? ', synthetic' : ''}`,
    `hash     ${hash ?? '-'}`,
  ]
}

/** The day of an ISO 8601 instant. */
export function dayOf(instant: string): string {
  return instant.slice(0, 10)
}
