/** An examination as it is shown: as JSON, and in words (`describe-examination.ts`). */
import { marketName } from '../../../contract/market.ts'
import type { CheckName, Checks } from '../../../workbench/analysis/certainty/checks.ts'
import type { Evaluation } from '../../../workbench/evidence/examine/evaluation.ts'
import type { FinishedExamination } from '../../../workbench/evidence/examine/examine-result.ts'
import { configFingerprint } from '../../../workbench/study/fingerprint.ts'

export interface ShownExamination {
  readonly study: string | null
  /** The fingerprint. */
  readonly trial: string
  readonly configFingerprint: string
  readonly identity: string
  readonly settings: string | null
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  /** ISO 8601 UTC. */
  readonly period: { readonly from: string; readonly to: string }
  readonly interval: string
  readonly candlesHash: string
  readonly engineVersion: string
  readonly examinedAt: string
  readonly checks: Checks
  readonly reasons: Readonly<Partial<Record<CheckName, string>>>
}

export function shownExamination(
  { trial, study, loaded: { info } }: Evaluation,
  { examinedAt, engineVersion, checks, reasons }: FinishedExamination,
): ShownExamination {
  const { from, to } = trial.period
  return {
    study: study?.name ?? null,
    trial: trial.fingerprint,
    configFingerprint: configFingerprint(trial.config),
    identity: trial.identity,
    settings: trial.settings,
    market: marketName(trial.market),
    period: { from: new Date(from).toISOString(), to: new Date(to).toISOString() },
    interval: info.interval,
    candlesHash: info.hash,
    engineVersion,
    examinedAt,
    checks,
    reasons,
  }
}
