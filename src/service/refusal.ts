/** A refusal: what the service answers instead of a result, in the one form of errors. */
import { type ErrorBody, type FieldProblem, REFUSALS } from '../contract/bodies.ts'

/** The document's seven refusals and our additional ones. */
export const REFUSAL_STATUS = {
  BotPlanLimit: REFUSALS.BotPlanLimit.status,
  ApiKeyInvalid: REFUSALS.ApiKeyInvalid.status,
  AuthRequired: REFUSALS.AuthRequired.status,
  ApiKeyAddress: REFUSALS.ApiKeyAddress.status,
  ApiKeyScope: REFUSALS.ApiKeyScope.status,
  ApiKeyRateLimit: REFUSALS.ApiKeyRateLimit.status,
  ApiKeyBacktestLimit: REFUSALS.ApiKeyBacktestLimit.status,
  InvalidPayload: 400,
  HostRefused: 403,
  OriginRefused: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  BotUnusable: 409,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  InternalError: 500,
  ServiceBusy: 503,
} as const satisfies Record<string, number>

export type ServiceRefusalCode = keyof typeof REFUSAL_STATUS

interface RefusalOptions {
  readonly details?: readonly FieldProblem[]
  readonly headers?: Readonly<Record<string, string>>
}

export class Refusal extends Error {
  readonly code: ServiceRefusalCode
  readonly details: readonly FieldProblem[]
  readonly headers: Readonly<Record<string, string>>

  constructor(code: ServiceRefusalCode, message: string, options: RefusalOptions = {}) {
    super(message)
    this.name = 'Refusal'
    this.code = code
    this.details = options.details ?? []
    this.headers = options.headers ?? {}
  }

  get status(): (typeof REFUSAL_STATUS)[ServiceRefusalCode] {
    return REFUSAL_STATUS[this.code]
  }

  toBody(): ErrorBody {
    const { code, message, details } = this
    return { error: { code, message, ...(details.length === 0 ? {} : { details }) } }
  }
}

/** 400 with one entry per field. */
export function invalidPayload(details: readonly FieldProblem[]): Refusal {
  const named = details.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`))
  return new Refusal('InvalidPayload', named.join('; '), { details })
}

/** 429 with the whole seconds after which the next request fits. */
export function tooMany(code: 'ApiKeyRateLimit' | 'ApiKeyBacktestLimit', message: string, waitMs: number): Refusal {
  return new Refusal(code, message, { headers: { 'Retry-After': String(Math.max(1, Math.ceil(waitMs / 1000))) } })
}
