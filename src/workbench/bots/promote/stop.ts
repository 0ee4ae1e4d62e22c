/** Stops a bot. What it holds is not sold unless it is a demo and that was asked for. */
import { Failure } from '../../../errors.ts'
import type { BotControls, BotOperations } from '../../api/calls.ts'
import { findBotId } from './find-bot.ts'
import { actOnDemoBot, changeFailure } from './start.ts'

type StopOperations = Pick<BotOperations, 'readBot' | 'listBots'> &
  Pick<BotControls, 'proveDemo' | 'stopBot' | 'closeBot'>

export interface StopRequest {
  /** As `findBotId` takes it. */
  readonly named: string
  readonly userEmail: string
  readonly signal: AbortSignal
}

/**
 * Returns the bot and its state in the service's word; null where it does not tell. A service may refuse to stop a bot that is stopped,
 * and an answer may be lost: where the bot, read back, is stopped, it is done. A sale that was asked for is not known to be done by that.
 * @throws Failure notADemoBot where a position of such a bot is to be sold; the service's refusals
 */
export async function stopBot(
  client: StopOperations,
  request: StopRequest,
  { closePosition }: { readonly closePosition: boolean },
): Promise<{ readonly id: string; readonly state: string | null }> {
  const { signal } = request
  const id = await nameOrId(client, request)
  const { outcome } = closePosition
    ? await actOnDemoBot(client, { id, signal }, (proof) => client.closeBot(proof))
    : { outcome: await client.stopBot(id) }
  if (outcome.kind === 'acked') return { id, state: outcome.value.bot?.stateText ?? null }
  const canBeDone = outcome.kind === 'rejected' || outcome.kind === 'ambiguous'
  const read = canBeDone && !closePosition ? await client.readBot(id) : undefined
  if (read?.kind === 'ok' && read.value.state === 'stopped') return { id, state: read.value.stateText }
  throw changeFailure(outcome, id, `Stopping bot ${id}`)
}

/** Stopping is always tried: where no bot can be found by a name, as on a service that cannot be read, what was named is taken for an id. */
async function nameOrId(client: StopOperations, question: Omit<StopRequest, 'signal'>): Promise<string> {
  try {
    return await findBotId(client, question)
  } catch (error) {
    if (!(error instanceof Failure) || error.code === 'usage' || error.code === 'interrupted') throw error
    return question.named
  }
}
