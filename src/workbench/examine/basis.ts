/** The name of all that an examination follows from: an interrupted one goes on only where nothing of it changed. */
import { hash } from 'node:crypto'
import type { Ground } from './ground.ts'
import { daysAround } from './shift.ts'

/** SHA-256 hex. */
export function examinationBasis(ground: Ground, engineVersion: string): string {
  const { trial, terms, termsFrom, loaded, study, field, looks } = ground
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
      daysAround: daysAround(ground),
      study: study?.fingerprint ?? null,
      compared: field !== null,
      looks,
    }),
    'hex',
  )
}

/** Changed when a check of the same ground may say something else. */
const CHECKS_VERSION = 1
