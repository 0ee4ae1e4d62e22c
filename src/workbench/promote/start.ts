/** Acting on a bot that is there already: only on one that was read back as a demo a moment ago (H48). */

import { Failure } from '../../errors.ts'
import type { BotControls } from '../api/calls.ts'
import { failureOf } from '../api/failure.ts'
import type { PostOutcome } from '../api/outcome.ts'
import type { BotReading, BotReply } from '../api/reading/readings.ts'
import type { ProvenDemoBot } from '../api/wire/proven-demo.ts'

/** Waiting for the request rate can make a proof stale; then the bot is read back again, this often. */
const mostTries = 5

export interface BotRequest {
  readonly id: string
  readonly signal?: AbortSignal
}

/**
 * Reads the bot back until it can be acted upon.
 * @throws Failure notADemoBot for anything that does not say of itself that it is a demo; notFound; the service's refusals
 */
export async function proveDemoBot(
  client: Pick<BotControls, 'proveDemo'>,
  { id, signal }: BotRequest,
): Promise<ProvenDemoBot> {
  const outcome = await client.proveDemo(id, signal === undefined ? {} : { signal })
  if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading bot ${id} back`)
  const { bot, proof } = outcome.value
  if (proof !== null) return proof
  const name = bot.name === null ? '' : ` (${bot.name})`
  throw new Failure('notADemoBot', `Bot ${id}${name} does not say of itself that it is a demo bot`)
}

/**
 * Does one thing to a demo bot, read back immediately before; `act` answers null when there is nothing to do. The action reaches the
 * service at most once: it is repeated only while nothing of it was sent because the proof had become stale.
 */
export async function actOnDemoBot<Acted extends PostOutcome<BotReply> | null>(
  client: Pick<BotControls, 'proveDemo'>,
  request: BotRequest,
  act: (proof: ProvenDemoBot) => Promise<Acted>,
): Promise<{ readonly before: BotReading; readonly outcome: Acted }> {
  for (let tryNumber = 1; ; tryNumber++) {
    const proof = await proveDemoBot(client, request)
    const outcome = await act(proof)
    const isStale = outcome?.kind === 'notSent' && outcome.stale === true
    if (!isStale || tryNumber === mostTries) return { before: proof.bot, outcome }
  }
}

/** Why a bot was not changed for certain. Changing it again does no harm, so an unknown outcome needs nobody to settle it. */
export function changeFailure(
  outcome: Exclude<PostOutcome<BotReply>, { kind: 'acked' }>,
  id: string,
  tried: string,
): Failure {
  const failure = failureOf(outcome, tried)
  if (outcome.kind !== 'ambiguous') return failure
  return new Failure(failure.code, failure.message, {
    hint: `see \`dcalab bots show ${id}\`, then run the same command again: doing it twice does no harm`,
  })
}

export interface StartedBot {
  /** As read back after the start. */
  readonly bot: BotReading
  /** It ran already; nothing was sent. */
  readonly wasRunning: boolean
}

/**
 * Starts a demo bot, unless it runs already, and reads it back: also after an answer that was lost, for the bot itself knows best.
 * @throws Failure as above; attemptUnresolved when the answer was lost and the bot does not run (starting again is safe)
 */
export async function startDemoBot(
  client: Pick<BotControls, 'proveDemo' | 'startBot'>,
  request: BotRequest,
): Promise<StartedBot> {
  const tried = `Starting bot ${request.id}`
  const options = request.signal === undefined ? {} : { signal: request.signal }
  const { before, outcome } = await actOnDemoBot(client, request, async (proof) =>
    proof.bot.state === 'running' ? null : client.startBot(proof, options),
  )
  if (outcome === null) return { bot: before, wasRunning: true }
  if (outcome.kind !== 'acked' && outcome.kind !== 'ambiguous') throw changeFailure(outcome, request.id, tried)
  const { bot } = await proveDemoBot(client, request)
  // A state word that nobody explained is no evidence against a start that was acknowledged.
  if (bot.state === 'running' || (outcome.kind === 'acked' && bot.state === 'unknown')) {
    return { bot, wasRunning: false }
  }
  if (outcome.kind === 'ambiguous') throw changeFailure(outcome, request.id, tried)
  const words = bot.stopReason === null ? bot.stateText : `${bot.stateText}: ${bot.stopReason}`
  throw new Failure('serviceRefused', `${tried}: the service took it, but the bot does not run (${words})`)
}
