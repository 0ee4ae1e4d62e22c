/** Actions on an existing bot: only when it was just read back as a demo (H48). */

import { Failure, shellWord } from '../../../errors.ts'
import type { BotControls, BotOperations } from '../../api/calls.ts'
import { failureOf, type PostOutcome } from '../../api/outcome.ts'
import type { BotReading, BotReply } from '../../api/reading/readings.ts'
import type { ProvenDemoBot } from '../../api/wire/send.ts'
import { isMadeOfTrial, recordBotStarted } from '../../store/promotions.ts'
import type { Store } from '../../store/store.ts'

/** Waiting for the request rate can make a proof too old; then the bot is read back again, at most this often. */
const mostTries = 5

interface BotRequest {
  readonly id: string
  readonly signal?: AbortSignal
}

/**
 * Reads the bot back and returns the proof that it is a demo.
 * @throws Failure notADemoBot for a bot that the service does not report as a demo; notFound; the service's refusals
 */
async function proveDemoBot(
  client: Pick<BotControls, 'proveDemo'>,
  { id, signal }: BotRequest,
): Promise<ProvenDemoBot> {
  const outcome = await client.proveDemo(id, signal === undefined ? {} : { signal })
  if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading bot ${id} back`)
  const { bot, proof } = outcome.value
  if (proof !== null) return proof
  const name = bot.name === null ? '' : ` (${bot.name})`
  throw new Failure('notADemoBot', `Bot ${id}${name} is not confirmed to be a demo bot`)
}

/**
 * Performs one action on a demo bot that was read back immediately before; `act` returns null when there is nothing to do. The
 * action is sent at most once: it is tried again only when it was not sent because the proof was too old.
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

/** The failure when a bot was not certainly changed. Changing it again does no harm, so nobody has to resolve an unknown outcome. */
export function changeFailure(
  outcome: Exclude<PostOutcome<BotReply>, { kind: 'acked' }>,
  id: string,
  tried: string,
): Failure {
  const failure = failureOf(outcome, tried)
  if (outcome.kind !== 'ambiguous') return failure
  return new Failure(failure.code, failure.message, {
    hint: `see \`dcalab bots show ${shellWord(id)}\`, then run the same command again: running it twice is safe`,
  })
}

interface StartedBot {
  /** The bot as read back after the start. */
  readonly bot: BotReading
  /** True when it ran already and goes on unchanged. */
  readonly wasRunning: boolean
}

/**
 * Notes with the promotion that its bot was started, by whichever command. The bot runs in any case: a service that does not say who it is
 * stops nothing.
 */
export async function noteStart(store: Store, client: Pick<BotOperations, 'identify'>, botId: string): Promise<void> {
  if (!isMadeOfTrial(store, botId)) return
  const identified = await client.identify()
  if (identified.kind === 'ok') await recordBotStarted(store, { identity: identified.value.identity, botId })
}

/**
 * Starts a demo bot, unless it runs already, and reads it back: also when the answer was lost, because the bot's state shows
 * whether it was started.
 * @throws Failure as above; attemptUnresolved when the answer was lost and the bot does not run (starting again is safe)
 */
export async function startDemoBot(
  client: Pick<BotControls, 'proveDemo' | 'startBot'>,
  { again = false, ...request }: BotRequest & { /** Send it to a running bot, too. */ readonly again?: boolean },
): Promise<StartedBot> {
  const tried = `Starting bot ${request.id}`
  const options = request.signal === undefined ? {} : { signal: request.signal }
  const { before, outcome } = await actOnDemoBot(client, request, async (proof) =>
    proof.bot.state === 'running' && !again ? null : client.startBot(proof, options),
  )
  if (outcome === null) return { bot: before, wasRunning: true }
  if (outcome.kind !== 'acked' && outcome.kind !== 'ambiguous') throw changeFailure(outcome, request.id, tried)
  const { bot } = await proveDemoBot(client, request)
  // A start that was acknowledged counts, even when the bot's state is a word that we do not know.
  if (bot.state === 'running' || (outcome.kind === 'acked' && bot.state === 'unknown')) {
    return { bot, wasRunning: before.state === 'running' && before.startedAt === bot.startedAt }
  }
  if (outcome.kind === 'ambiguous') throw changeFailure(outcome, request.id, tried)
  const words = bot.stopReason === null ? bot.stateText : `${bot.stateText}: ${bot.stopReason}`
  throw new Failure('serviceRefused', `${tried}: the service took it, but the bot does not run (${words})`)
}
