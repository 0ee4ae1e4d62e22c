/** Brings together what a trial is examined on: its candles here, the terms that its result or a calibration states, its study's configurations. */
import { findSymbolRules, type LoadedCandles, loadCandles } from '../../../candles/folder/folder.ts'
import { CONFIG_FIELDS } from '../../../contract/bot.ts'
import { type Interval, isInterval, marketName } from '../../../contract/market.ts'
import { backtest } from '../../../engine/backtest.ts'
import type { Conventions, Costs } from '../../../engine/conventions.ts'
import { type PreparedCandles, prepareCandles, prepareForOneRun } from '../../../engine/jump/prepared.ts'
import { Failure } from '../../../errors.ts'
import { factOfStarts, type StartsFact } from '../../analysis/certainty/arbitrariness.ts'
import type { TermsOrigin } from '../../analysis/certainty/checks.ts'
import type { WholeTrial } from '../../store/records.ts'
import type { Store } from '../../store/store.ts'
import { countTriedOn } from '../../store/tried-count.ts'
import type { Study } from '../../study/study.ts'
import { readTerms, type Terms } from '../replay/read-terms.ts'
import type { DoneTrial, Evaluation } from './evaluation.ts'
import { createField, type FieldValues, type LongWork, measureField } from './field.ts'

export interface EvaluationRequest {
  readonly store: Store
  readonly trial: WholeTrial
  /** null = it belongs to none. */
  readonly study: Study | null
  /** Whether it is compared with the other configurations of its study. */
  readonly compared: boolean
  /** What the service was found to compute by; undefined = nothing is known of it. */
  readonly known: { readonly conventions: Conventions; readonly costs: Costs; readonly isPoor: boolean } | undefined
  readonly candlesFolder: string
  readonly pace: LongWork
}

/** What an evaluation is made of, wherever it comes from. */
interface EvaluationParts
  extends Pick<Evaluation, 'trial' | 'terms' | 'termsFrom' | 'loaded' | 'finest' | 'study' | 'tried' | 'pace'> {
  /** Whether it is compared with the other configurations of its study. */
  readonly compared: boolean
}

/** @throws Failure notFound without a result that could be read; candlesMissing, candlesInvalid; usage where nothing says how to compute it */
export function makeEvaluation({
  store,
  trial,
  study: asked,
  compared,
  known,
  candlesFolder,
  pace,
}: EvaluationRequest): Evaluation {
  requireDone(trial)
  const study = asked === null ? null : inOrderOfFields(asked)
  const { market, period } = trial
  const { terms, termsFrom } = findTerms(trial, { study, known, candlesFolder })
  const interval = intervalOf(trial, study)
  const on = { market: marketName(market) }
  const loaded = loadCandles(candlesFolder, { ...on, ...period, interval })
  return createEvaluation({
    trial,
    terms,
    termsFrom,
    loaded,
    finest: () => orReason(() => loadCandles(candlesFolder, { ...on, ...period })),
    study,
    compared,
    tried: countTriedOn(store, { market: marketName(market), period }),
    pace,
  })
}

/** Runs the trial here; its field is measured when a check first asks for it. */
function createEvaluation({ compared, ...parts }: EvaluationParts): Evaluation {
  const { trial, terms, loaded, study, pace } = parts
  const field = compared && study !== null ? createField(study, trial.config) : null
  let values: Promise<FieldValues | null> | undefined
  let ready: PreparedCandles | undefined
  let started: StartsFact | undefined
  const preparedCandles = () => {
    ready ??= prepareCandles(loaded.candles)
    return ready
  }
  return {
    ...parts,
    preparedCandles,
    run: backtest({ ...terms, candles: loaded.candles, config: trial.config }),
    starts: () => {
      started ??= factOfStarts(prepareForOneRun(loaded.candles), terms, trial.config)
      return started
    },
    field,
    fieldValues: () => {
      const metrics = ['netProfit', 'usedCapital.average', 'sharpe'] as const
      values ??=
        field === null
          ? Promise.resolve(null)
          : measureField(field, { ...terms, prepared: preparedCandles(), metrics }, pace)
      return values
    },
  }
}

/** However its file orders the axes, an examination says the same. */
function inOrderOfFields(study: Study): Study {
  const place = ({ field }: Study['axes'][number]) => CONFIG_FIELDS.indexOf(field)
  return { ...study, axes: study.axes.toSorted((one, other) => place(one) - place(other)) }
}

function requireDone(trial: WholeTrial): asserts trial is DoneTrial {
  if (trial.state === 'done' && trial.metrics !== null) return
  const name = trial.fingerprint.slice(0, 12)
  throw new Failure('notFound', `trial ${name} has no result that could be examined`, {
    hint: `it is ${trial.state}; see \`dcalab show ${name}\``,
  })
}

/** The candles that the service used, or those of the study; null = the finest that cover the period. */
export function intervalOf(
  { candles }: Pick<WholeTrial, 'candles'>,
  study: Pick<Study, 'interval'> | null,
): Interval | null {
  return candles !== null && isInterval(candles.interval) ? candles.interval : (study?.interval ?? null)
}

/** What says by which terms a result is computed, where it does not say so itself. */
export interface TermsRequest extends Pick<EvaluationRequest, 'known' | 'candlesFolder'> {
  readonly study: Pick<Study, 'conventions' | 'costs' | 'interval'> | null
}

/** What a trial is computed under here. @throws Failure usage where nothing says it */
export function findTerms(
  trial: Pick<WholeTrial, 'conventions' | 'costs' | 'symbol' | 'market' | 'fingerprint'>,
  { study, known, candlesFolder }: TermsRequest,
): { readonly terms: Terms; readonly termsFrom: TermsOrigin } {
  const stated = readTerms(trial)
  if (!('missing' in stated)) return { terms: stated, termsFrom: 'result' }
  const symbol = findSymbolRules(candlesFolder, marketName(trial.market))
  if (known !== undefined) {
    const { conventions, costs, isPoor } = known
    return { terms: { conventions, costs, symbol }, termsFrom: isPoor ? 'poorCalibration' : 'calibration' }
  }
  if (study !== null) {
    return { terms: { conventions: study.conventions, costs: study.costs, symbol }, termsFrom: 'study' }
  }
  throw new Failure('usage', `fees and fill rules of trial ${trial.fingerprint.slice(0, 12)} are unknown`, {
    problems: stated.missing.map((message) => ({ place: trial.fingerprint.slice(0, 12), message })),
    hint: 'work them out: dcalab service calibrate',
  })
}

function orReason(load: () => LoadedCandles): LoadedCandles | string {
  try {
    return load()
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'candlesMissing') throw error
    return 'its candles are not stored'
  }
}
