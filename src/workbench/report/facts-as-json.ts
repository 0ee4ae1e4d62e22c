/** What a report shows, as data: for programs that would otherwise read its page. */
import { METRIC_NAMES, metricValue } from '../../contract/metrics.ts'
import type { Facts, FinishedTrial } from './facts.ts'
import type { DriftInput, ReportInput } from './input.ts'

/** Times are ISO 8601 UTC; a number that is not known is null. Series (equity, months, deals) are left to `dcalab export`. */
export function factsAsJson({ madeAt }: ReportInput, sections: readonly Facts[]): unknown {
  return { madeAt: new Date(madeAt).toISOString(), sections: sections.map(sectionAsJson) }
}

function sectionAsJson(facts: Facts): unknown {
  const { study, market, input, best, varied, importance, ranked, outside, noValue, samples, failed, pending } = facts
  const standing = (name: string, trials: readonly FinishedTrial[]) =>
    trials.map((trial, index) => trialAsJson(trial, { standing: name, rank: name === 'ranked' ? index + 1 : null }))
  return {
    study: study.name,
    market,
    identity: input.identity,
    service: input.service?.name ?? null,
    simulated: facts.simulated,
    synthetic: facts.synthetic,
    period: { from: new Date(study.period.from).toISOString(), to: new Date(study.period.to).toISOString() },
    holdout: study.holdout && {
      from: new Date(study.holdout.from).toISOString(),
      to: new Date(study.holdout.to).toISOString(),
    },
    objective: study.objective,
    varied,
    best: best?.fingerprint ?? null,
    verdict: input.best?.verdict ?? null,
    counts: {
      finished: facts.finished.length,
      failed: failed.length,
      pending: pending.length,
    },
    tried: input.tried,
    spending: input.spending,
    importance: importance.kind === 'found' ? importance : null,
    examined: [...input.examinations.keys()],
    trials: [
      ...standing('ranked', ranked),
      ...standing('outside', outside),
      ...standing('noValue', noValue),
      ...standing('sample', samples),
    ],
    promotions: input.promotions.map(({ fingerprint, ...kept }) => ({ trial: fingerprint, ...kept })),
    drifts: input.drifts.map(driftAsJson),
    withoutResult: failed.map(({ fingerprint, state, failure }) => ({ trial: fingerprint, state, failure })),
  }
}

/** A bot beside its backtest; of one in whose time a closed hold-out lies, nothing but that it was compared. */
function driftAsJson({ check, isHidden }: DriftInput): unknown {
  const { series, checkedAt, span, identity, botId, botName, trial, ...found } = check
  const about = { identity, botId, botName, trial, checkedAt: new Date(checkedAt).toISOString() }
  if (isHidden) return { ...about, hidden: 'the hold-out of the study lies in its time and is closed' }
  const inTime = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString() }
  return { ...about, hidden: null, span: inTime, ...found }
}

function trialAsJson(
  { fingerprint, config, metrics, jobId }: FinishedTrial,
  place: { readonly standing: string; readonly rank: number | null },
): unknown {
  return {
    trial: fingerprint,
    ...place,
    jobId,
    config,
    metrics: {
      ...Object.fromEntries(METRIC_NAMES.map((name) => [name, metricValue(metrics, name)])),
      sampleSize: metrics.sampleSize,
    },
  }
}
