/** The name of all that an examination follows from: an interrupted one goes on only where nothing of it changed. */
import { hash } from 'node:crypto'
import type { Evaluation } from './evaluation.ts'

/** SHA-256 hex. */
export function examinationBasis(evaluation: Evaluation, engineVersion: string): string {
  const { trial, terms, termsFrom, loaded, study, field, tried } = evaluation
  const { netProfit, closedDeals } = trial.metrics
  const result = { netProfit, closedDeals, candles: trial.candles }
  return hash(
    'sha256',
    JSON.stringify({
      checks: CHECKS_VERSION,
      engineVersion,
      trial: trial.fingerprint,
      result,
      terms,
      termsFrom,
      candles: loaded.info.hash,
      study: study?.fingerprint ?? null,
      compared: field !== null,
      tried,
    }),
    'hex',
  )
}

/** Changed when a check of the same evaluation may say something else. */
const CHECKS_VERSION = 2
