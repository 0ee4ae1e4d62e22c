/** Turns an outcome with which a command cannot continue into the Failure that ends it. */
import { Failure, type FailureCode } from '../../errors.ts'
import type { PostOutcome, ReadOutcome, RefusedCode } from './outcome.ts'

const REFUSED_AS: Readonly<Record<RefusedCode, FailureCode>> = {
  ApiKeyInvalid: 'keyRefused',
  AuthRequired: 'keyRefused',
  ApiKeyAddress: 'addressRefused',
  ApiKeyScope: 'scopeRefused',
  BotPlanLimit: 'planRefused',
  ApiKeyRateLimit: 'serviceRefused',
  Unknown429: 'serviceRefused',
  ApiKeyBacktestLimit: 'allowanceSpent',
  WrongAddress: 'serviceUnreadable',
}

type Unhappy = Exclude<ReadOutcome<unknown>, { kind: 'ok' }> | Exclude<PostOutcome<unknown>, { kind: 'acked' }>

/** `tried`: what we were doing, e.g. "Reading bot 12". The service's own words follow. */
export function failureOf(outcome: Unhappy, tried: string): Failure {
  switch (outcome.kind) {
    case 'refused': {
      const message = `${tried}: the service refused (${outcome.status} ${outcome.code}): ${outcome.message}`
      const hint = outcome.code === 'WrongAddress' ? { hint: 'check DCALAB_BASE_URL: its paths lead elsewhere' } : {}
      return new Failure(REFUSED_AS[outcome.code], message, hint)
    }
    case 'rejected': {
      const code = outcome.code === null ? '' : ` ${outcome.code}`
      return new Failure(
        'serviceRefused',
        `${tried}: the service said no (${outcome.status}${code}): ${outcome.message}`,
      )
    }
    case 'missing':
      return new Failure('notFound', `${tried}: the service does not know it`, {
        hint: '`dcalab bots list`, `dcalab service jobs list` and `dcalab service symbols` show what the service knows',
      })
    case 'failed':
      return new Failure(
        outcome.unreachable ? 'serviceUnreachable' : 'serviceUnreadable',
        `${tried}: ${outcome.reason}`,
      )
    case 'notSent':
      if (outcome.stale) return new Failure('proofExpired', `${tried}: it was not sent: ${outcome.reason}`)
      return new Failure('serviceUnreachable', `${tried}: it was not sent: ${outcome.reason}`)
    case 'ambiguous':
      return new Failure('attemptUnresolved', `${tried}: it is not known whether it happened: ${outcome.reason}`)
  }
}
