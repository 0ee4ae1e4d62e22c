/** The name of all that an examination follows from: an interrupted one goes on only where nothing of it changed. */
import { hash } from 'node:crypto'
import type { Ground } from './ground.ts'

/** SHA-256 hex. */
export function examinationBasis(
  { trial, terms, termsFrom, loaded, study, field, looks }: Ground,
  engineVersion: string,
): string {
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
      looks,
    }),
    'hex',
  )
}

/** Changed when a check of the same ground may say something else. */
const CHECKS_VERSION = 1
