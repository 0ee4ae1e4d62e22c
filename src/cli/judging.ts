/** Judges results on the stored candles and keeps the verdicts. */
import packageJson from '../../package.json' with { type: 'json' }
import { findSymbolRules, listCandles } from '../candles/folder/folder.ts'
import { marketName } from '../contract/market.ts'
import { ENGINE_VERSION } from '../engine/backtest.ts'
import { DAY_MS } from '../engine/daily-equity.ts'
import { Failure } from '../errors.ts'
import type { Evaluation } from '../workbench/evidence/examine/evaluation.ts'
import { hasOtherPeriods, idOfTrial } from '../workbench/store/find-trial.ts'
import { readWhole } from '../workbench/store/readers.ts'
import type { StudyRecord, TrialRecord, WholeTrial } from '../workbench/store/records.ts'
import { serviceName } from '../workbench/store/services.ts'
import type { Store } from '../workbench/store/store.ts'
import { rankStored } from '../workbench/store/stored-ranking.ts'
import { storedStudy } from '../workbench/store/studies.ts'
import { findStudy, revisionName, shortName } from '../workbench/store/study-records.ts'
import { countTriedOn } from '../workbench/store/tried-count.ts'
import { beginVerdict, findExamination, findVerdict, type KeptVerdict } from '../workbench/store/verdicts.ts'
import type { Study } from '../workbench/study/study.ts'
import type { MarketVerdict, Verdict } from '../workbench/verdict/judge.ts'
import type { Names } from '../workbench/verdict/reasons.ts'
import type { HistoryStretch } from '../workbench/verdict/stretches.ts'
import type { Context } from './context.ts'
import { findKnownTerms } from './known-terms.ts'
import { say } from './output.ts'
import { briefly, type Chosen, chooseTrials, serviceQuestion, USUAL_HORIZON_DAYS } from './shown-service.ts'
import { type Paths, withKnownStore } from './workbench.ts'

export interface Judged extends MarketVerdict {
  readonly trial: WholeTrial
  /** Of its configuration, as it is typed. */
  readonly id: string
  readonly study: string | null
  readonly revision: number | null
  /** The service that counted. */
  readonly service: string
  readonly isOwn: boolean
  /** Of how many configurations, and at which place; null = it has none. */
  readonly rank: number | null
  readonly ranked: number
  /** ISO 8601 UTC. */
  readonly judgedAt: string
  readonly stretches: readonly ShownStretch[]
}

type ShownStretch = Omit<HistoryStretch, 'from' | 'to' | 'holdReturn'> & {
  readonly from: string
  readonly to: string
  readonly holdPercent: number
}

interface Work {
  readonly candlesFolder: string
  readonly horizonDays: number
  readonly onProgress: (text: string) => void
  /** What was computed again before, of these choices. */
  readonly evaluated?: ReadonlyMap<Chosen, Evaluation>
  /** What `beginJudging` answered before that. */
  readonly begun?: readonly Keep[]
}

type Keep = ReturnType<typeof beginVerdict>

/**
 * The best of a study in a few lines, as the end of a run says it, and for JSON. What was judged before is said again where all that it follows
 * from is the same. null where it cannot be judged, which is said: what was run stays run.
 */
export async function judgeStudy(context: Context, study: string, { store: path, candlesFolder }: Paths) {
  try {
    return await withKnownStore(context, path, async (store) => {
      const choices = await chooseTrials(store, study, { question: await serviceQuestion(context, store, {}) })
      const work = { candlesFolder, horizonDays: USUAL_HORIZON_DAYS, onProgress: () => {} }
      const kept = choices.flatMap((chosen) => findKept(store, chosen, work) ?? [])
      const [first, ...rest] =
        kept.length === choices.length ? kept : await judgeChoices(context, store, { choices, ...work })
      if (first === undefined) return null
      const { verdict } =
        rest.length === 0
          ? first
          : (await import('../workbench/verdict/judge.ts')).worstOf<KeptVerdict | Verdict>([first, ...rest])
      const { grade, headline, sentence, tried } = verdict
      return {
        lines: briefly({ headline, sentence }),
        json: { grade, headline, sentence, tried, judgedAt: first.judgedAt },
      }
    })
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    say(context.system.terminal, `the best is not judged: ${error.message}`)
    return null
  }
}

function findKept(store: Store, chosen: Chosen, work: Pick<Work, 'candlesFolder' | 'horizonDays'>) {
  const { trial } = chosen.choice
  const study = nameOfStudy(store, chosen)
  const verdict = findVerdict(store, { trial, study, basis: basisOf(store, chosen, work) })
  if (verdict === undefined || verdict.isStale) return undefined
  return { market: marketName(trial.market), verdict, judgedAt: verdict.judgedAt }
}

/** Those of `judge.ts`, which need not be loaded to say the last verdict again: the compiler refuses others. */
const RULES: Verdict['rules'] = 'verdict-1'

/** What a verdict follows from, but for hold-outs and calibrations, whose counts say it (`isStale`). */
function basisOf(
  store: Store,
  chosen: Chosen,
  { candlesFolder, horizonDays }: Pick<Work, 'candlesFolder' | 'horizonDays'>,
): readonly unknown[] {
  const {
    choice: { trial, standing },
    asked,
  } = chosen
  const market = marketName(trial.market)
  const candles = listCandles(candlesFolder).filter((one) => one.market === market)
  return [
    ...[packageJson.version, ENGINE_VERSION, RULES],
    ...[horizonDays, trial, standing, asked?.fingerprint, findExamination(store, trial, nameOfStudy(store, chosen))],
    countTriedOn(store, { market, period: trial.period }),
    candles.map(({ interval, stretches }) => [interval, stretches.map(({ hash }) => hash)]),
    findSymbolRules(candlesFolder, market),
  ]
}

/** Notes what is known now, for each choice. Call it where something is computed of them before they are judged. */
export function beginJudging(store: Store, choices: readonly Chosen[]): readonly Keep[] {
  return choices.map((chosen) => beginVerdict(store, { trial: chosen.choice.trial, study: nameOfStudy(store, chosen) }))
}

/** null = it is judged by itself. */
function nameOfStudy(store: Store, chosen: Chosen): string | null {
  return recordOf(store, chosen)?.name ?? null
}

/** The study that it is judged as the choice of. */
function recordOf(store: Store, { choice: { standing }, asked }: Chosen) {
  return asked ?? (standing === null ? undefined : findStudy(store, standing.study))
}

/** One after another; each is kept in the store. Nothing is sent. @throws the signal's reason */
export async function judgeChoices(
  context: Context,
  store: Store,
  { choices, begun = beginJudging(store, choices), ...work }: Work & { readonly choices: readonly Chosen[] },
): Promise<readonly Judged[]> {
  const judged: Judged[] = []
  for (const [at, chosen] of choices.entries()) {
    work.onProgress(`judging on ${marketName(chosen.choice.trial.market)}`)
    judged.push(await judgeOne(context, store, { chosen, work, keep: begun[at] }))
    await context.system.clock.sleep(0, context.signal)
  }
  return judged
}

async function judgeOne(
  context: Context,
  store: Store,
  { chosen, work, keep }: { readonly chosen: Chosen; readonly work: Work; readonly keep: Keep },
): Promise<Judged> {
  const { trial, standing } = chosen.choice
  const record = recordOf(store, chosen)
  const study = record === undefined ? null : storedStudy(record)
  const market = marketName(trial.market)
  const service = serviceName(store, trial.identity)
  const known = work.evaluated?.get(chosen)
  const { evaluation, missing } =
    known === undefined
      ? await evaluationOf(context, store, { trial, study, ...work })
      : { evaluation: known, missing: '' }
  const { rivals, ranked } = rivalsOf(store, { trial, record, study })
  const [{ gatherEvidence }, { judge }] = await Promise.all([
    import('../workbench/verdict/evidence.ts'),
    import('../workbench/verdict/judge.ts'),
  ])
  const evidence = gatherEvidence({
    store,
    trial,
    study,
    evaluation,
    missing,
    candlesFolder: work.candlesFolder,
    horizonMs: work.horizonDays * DAY_MS,
    foreignService: trial.simulated ? null : service,
    rivals,
    hasMoreRivals: ranked > rivals.length + 1,
    standing,
    tried: countTriedOn(store, { market, period: trial.period }),
  })
  const id = idOfTrial(store, trial.fingerprint)
  const isOneOfSeveral = study !== null && study.markets.length > 1
  const ofMarket = isOneOfSeveral ? `${id}@${trial.market.baseAsset}-${trial.market.quoteAsset}` : id
  const flag =
    record !== undefined && hasOtherPeriods(store, trial.fingerprint) ? ` --study ${revisionName(record)}` : ''
  const names: Names = {
    trial: ofMarket + flag,
    study: record === undefined ? ofMarket : shortName(store, record),
  }
  const verdict = judge(evidence, names)
  const stretches = 'missing' in evidence.stretches ? [] : evidence.stretches.value.stretches.map(shownStretch)
  const judgedAt = await keep({ basis: basisOf(store, chosen, work), verdict, stretches })
  return {
    market,
    verdict,
    trial,
    id,
    study: study?.name ?? null,
    revision: record?.revision ?? null,
    service,
    isOwn: trial.simulated,
    rank: standing?.rank ?? null,
    ranked,
    judgedAt,
    stretches,
  }
}

function shownStretch({ from, to, holdReturn, ...rest }: HistoryStretch): ShownStretch {
  const iso = (ms: number) => new Date(ms).toISOString()
  return { from: iso(from), to: iso(to), holdPercent: 100 * holdReturn, ...rest }
}

/** What the trial is computed on again, or why it cannot be. */
async function evaluationOf(
  context: Context,
  store: Store,
  { trial, study, candlesFolder, onProgress }: Work & { readonly trial: WholeTrial; readonly study: Study | null },
): Promise<{ readonly evaluation: Evaluation | null; readonly missing: string }> {
  const { makeEvaluation } = await import('../workbench/evidence/examine/make-evaluation.ts')
  const known = findKnownTerms(store, trial.identity)
  const pace = { clock: context.system.clock, signal: context.signal, onProgress }
  try {
    const evaluation = makeEvaluation({ store, trial, study, compared: false, known, candlesFolder, pace })
    return { evaluation, missing: '' }
  } catch (error) {
    if (!(error instanceof Failure) || (error.code !== 'candlesMissing' && error.code !== 'usage')) throw error
    return { evaluation: null, missing: error.message }
  }
}

/** Compared with the best: further down none is within an error that matters. */
const comparedRivals = 10

function rivalsOf(
  store: Store,
  {
    trial,
    record,
    study,
  }: { readonly trial: TrialRecord; readonly record: StudyRecord | undefined; readonly study: Study | null },
): { readonly rivals: readonly WholeTrial[]; readonly ranked: number } {
  if (record === undefined || study === null) return { rivals: [], ranked: 0 }
  const { top, ranked } = rankStored(store, {
    study: revisionName(record),
    identity: trial.identity,
    objective: study.objective,
    top: comparedRivals + 1,
  })
  const rivals = top
    .flatMap(({ trials }) => trials.filter(({ market }) => marketName(market) === marketName(trial.market)))
    .filter(({ fingerprint }) => fingerprint !== trial.fingerprint)
  return { rivals: rivals.map((one) => readWhole(store, one)), ranked }
}
