/** Asks the service whether it would accept a demo bot. Changes nothing there. */

import type { DemoBotPayload } from '../../../contract/bot.ts'
import { Failure } from '../../../errors.ts'
import type { BotOperations } from '../../api/calls.ts'
import { failureOf } from '../../api/failure.ts'
import type { ValidationReading } from '../../api/reading/readings.ts'

/** The service's answer. @throws Failure when there is none */
export async function askValidation(
  client: Pick<BotOperations, 'validateBot'>,
  payload: DemoBotPayload,
): Promise<ValidationReading> {
  const outcome = await client.validateBot(payload)
  if (outcome.kind === 'acked') return outcome.value
  const failure = failureOf(outcome, 'Validating the demo bot')
  // Validation changes nothing, so an unknown outcome need not be resolved.
  if (failure.code !== 'attemptUnresolved') throw failure
  throw new Failure('serviceUnreadable', failure.message)
}

/** The service’s answer. @throws Failure serviceRefused with every problem of an invalid payload */
export async function validatePayload(
  client: Pick<BotOperations, 'validateBot'>,
  payload: DemoBotPayload,
): Promise<ValidationReading> {
  const validation = await askValidation(client, payload)
  const { valid, errors } = validation
  if (valid) return validation
  const problems = errors.map(({ field, message }) => ({ place: field, message }))
  throw new Failure('serviceRefused', `The service calls ${payload.name} invalid; nothing was created`, { problems })
}
