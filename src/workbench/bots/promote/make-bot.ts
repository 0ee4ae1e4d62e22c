/**
 * Makes a demo bot exactly once. It lists the bots of the account before it sends anything, stores a row before the one POST,
 * looks up an unknown outcome and never sends it again, and reads back what was created: only a bot that the service reports as a
 * demo counts as made. Below: a bot made from a file, and how a bot is stopped.
 *
 *     released ──► intent ──► created ──► verified
 *        ▲           │  ▲        │
 *        └───────────┤  │        └──► alarmed (read back and not a demo bot)
 *                    ▼  │
 *                ambiguous
 */
import { CONFIG_FIELDS, type DemoBotPayload } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { Failure, suggest } from '../../../errors.ts'
import type { System } from '../../../system.ts'
import type { BotControls, BotOperations, ServiceIdentity } from '../../api/calls.ts'
import { FEWEST_CHARACTERS, isNamedBy } from '../../api/id-beginning.ts'
import { failureOf } from '../../api/outcome.ts'
import type { BotReading, ValidationReading } from '../../api/reading/readings.ts'
import { type BotLedger, type BotRow, botOrderLedger, type RecordedBotOutcome } from '../../store/bot-ledger.ts'
import { saveService } from '../../store/services.ts'
import { type Store, write } from '../../store/store.ts'
import { refuseImpossibleTime } from '../../store/tables.ts'
import { actOnDemoBot, changeFailure } from './start.ts'

// Lists the account's bots, and finds the one that a plan would make or that a person names.

const mostPages = 100

/** Every bot of the account. @throws Failure when a page is missing or an item unreadable: then a bot that is not in the list may still exist */
export async function listAllBots(client: Pick<BotOperations, 'listBots'>, userEmail: string): Promise<BotReading[]> {
  const bots: BotReading[] = []
  const asked = new Set<string>()
  let next: string | undefined
  for (let page = 1; page <= mostPages; page++) {
    const outcome = await client.listBots(userEmail, next === undefined ? {} : { next })
    if (outcome.kind !== 'ok') throw failureOf(outcome, `Listing the bots of ${userEmail}`)
    const { unreadable } = outcome.value
    if (unreadable > 0) {
      throw new Failure(
        'serviceUnreadable',
        `${unreadable} bots of ${userEmail} could not be read; nothing was created`,
      )
    }
    bots.push(...outcome.value.items)
    if (outcome.value.next === null) return bots
    next = outcome.value.next
    if (asked.has(next)) {
      const message = `The list of bots of ${userEmail} comes back to a page that was read already; nothing was created`
      throw new Failure('serviceUnreadable', message)
    }
    asked.add(next)
  }
  throw new Failure(
    'serviceUnreadable',
    `The bots of ${userEmail} fill more than ${mostPages} pages; nothing was created`,
  )
}

/**
 * The bot that this plan made earlier, or undefined. Its name ends in the trial's digits, but a name alone proves nothing, so
 * every parameter must agree (H50).
 * @throws Failure serviceRefused when the name is taken by a bot with other parameters
 */
export function findSameOnPage(bots: readonly BotReading[], payload: DemoBotPayload): BotReading | undefined {
  const digits = payload.name.slice(payload.name.lastIndexOf('-'))
  const ours = bots.filter(({ name }) => name?.startsWith('dcalab-') && name.endsWith(digits))
  const sameBot = ours.find((bot) => differences(bot, payload).length === 0)
  return sameBot ?? findNamesake(bots, payload)
}

/**
 * The bot of the same name and the same parameters, or undefined.
 * @throws Failure serviceRefused when the name is taken by a bot with other parameters
 */
function findNamesake(bots: readonly BotReading[], payload: DemoBotPayload): BotReading | undefined {
  const namesakes = bots.filter(({ name }) => name === payload.name)
  const sameBot = namesakes.find((bot) => differences(bot, payload).length === 0)
  if (sameBot !== undefined || namesakes.length === 0) return sameBot
  const [namesake] = namesakes
  throw new Failure(
    'serviceRefused',
    `${payload.name} is taken by bot ${namesake.id}, which differs in ${differences(namesake, payload).join(', ')}`,
    {
      problems: differences(namesake, payload).map((field) => ({
        place: field,
        message: `expected ${describeField(payload, field)}, found ${describeField({ ...namesake, ...namesake.config }, field)}`,
      })),
      hint: 'rename or remove that bot; nothing was created',
    },
  )
}

/** The fields in which a bot is not what the payload says, its name aside; a field that the service does not return counts as different. */
function differences(bot: BotReading, payload: DemoBotPayload): string[] {
  const fields: string[] = CONFIG_FIELDS.filter((field) => bot.config[field] !== payload[field])
  if (!bot.isDemo) fields.push('isDemo')
  if (bot.strategyType !== payload.strategyType) fields.push('strategyType')
  if (bot.market === null || marketName(bot.market) !== marketName(payload)) fields.push('market')
  if (bot.userEmail !== null && bot.userEmail !== payload.userEmail) fields.push('userEmail')
  return fields
}

function describeField(bot: object, field: string): string {
  if (field !== 'market') return JSON.stringify(Reflect.get(bot, field)) ?? 'nothing'
  const { exchange, baseAsset, quoteAsset } = { ...bot, ...Reflect.get(bot, 'market') }
  return exchange === undefined ? 'nothing' : `${exchange}/${baseAsset}-${quoteAsset}`
}

/** The failure for a bot that was created as a demo and is not reported as one. */
export function alarm(botId: string, { name, userEmail }: DemoBotPayload): Failure {
  return new Failure(
    'serviceRefused',
    `ALARM: bot ${botId} (${name}, ${userEmail}) was asked for as a demo bot, but the service does not confirm it`,
    { hint: 'check it in the account now and do not start it; it was not started here' },
  )
}

// Which bot a person means: by its id, by the first characters of the id, or by its name.

/**
 * The id. The account's bots are listed only where no bot has this id, and where their owner is known.
 * @throws Failure notFound, usage where several bots are meant, the service's refusals
 */
export async function findBotId(
  client: Pick<BotOperations, 'readBot' | 'listBots'>,
  { named, userEmail }: { readonly named: string; readonly userEmail: string },
): Promise<string> {
  const outcome = await client.readBot(named)
  if (outcome.kind === 'ok') return outcome.value.id
  const unknown = failureOf(outcome, `Reading bot ${named}`)
  if (outcome.kind !== 'missing' || userEmail === '') throw unknown
  const bots = await listAllBots(client, userEmail)
  const byName = bots.filter(({ name }) => name === named)
  const found =
    byName.length > 0 || named.length < FEWEST_CHARACTERS ? byName : bots.filter(({ id }) => isNamedBy(id, named))
  const [bot, ...others] = found
  if (bot === undefined) {
    const meant = suggest(
      named,
      bots.flatMap(({ name }) => name ?? []),
    )
    throw meant === '' ? unknown : new Failure('notFound', `${unknown.message}${meant}`, { cause: unknown })
  }
  if (others.length === 0) return bot.id
  throw new Failure('usage', `"${named}" may be any of ${found.length} bots of ${userEmail}`, {
    problems: found.map(({ id, name, stateText }) => ({ place: id, message: `${name ?? '-'}, ${stateText}` })),
    hint: 'use its id',
  })
}

// Asks the service whether it would accept a demo bot. Changes nothing there.

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
async function validatePayload(
  client: Pick<BotOperations, 'validateBot'>,
  payload: DemoBotPayload,
): Promise<ValidationReading> {
  const validation = await askValidation(client, payload)
  const { valid, errors } = validation
  if (valid) return validation
  const problems = errors.map(({ field, message }) => ({ place: field, message }))
  throw new Failure('serviceRefused', `The service calls ${payload.name} invalid; nothing was created`, { problems })
}

// Makes the bot: the states above.

export interface BotWork {
  readonly system: System
  readonly client: BotOperations
  readonly service: ServiceIdentity
  readonly payload: DemoBotPayload
  readonly ledger: BotLedger
  /** What the bot is made from, for messages: `Trial 0123…`. */
  readonly origin: string
  /** The bot among those of the account, or undefined. @throws Failure when another bot has its name */
  findSameBot(bots: readonly BotReading[]): BotReading | undefined
}

export interface MadeBot {
  /** The bot as read back. */
  readonly bot: BotReading
  readonly rowId: number
  /** True when the service validated the payload. */
  readonly validated: boolean
  /** True when this call made it; false when it existed. */
  readonly created: boolean
  /** What the service answered before it was made; absent unless this call asked. */
  readonly validation?: ValidationReading
}

/** How long a request of unknown outcome may still arrive: at a service on this machine, or elsewhere. */
const settleMs = { here: 5_000, away: 900_000 } as const
/** For so long an intent may belong to a process that is waiting for its answer. */
const exchangeMs = 35_000
const longestWaitMs = 60_000
const askAgainMs = 500

/** Asks the service for its identity and stores it: the rows of bots refer to it. */
export async function meetService(store: Store, client: Pick<BotOperations, 'identify'>): Promise<ServiceIdentity> {
  const identified = await client.identify()
  if (identified.kind !== 'ok') throw failureOf(identified, 'Asking the service who it is')
  await write(store, () => saveService(store, identified.value, store.clock.wall()))
  return identified.value
}

/** @throws Failure; even then at most one bot exists, and calling it again continues */
export async function makeBot(work: BotWork): Promise<MadeBot> {
  refuseImpossibleTime(work.system.clock.wall())
  const known = work.ledger.find()
  if (known?.state === 'intent' || known?.state === 'ambiguous') return resume(work, known)
  const sameBot = await findSameBot(work)
  if (sameBot !== undefined) return adopt(work, sameBot.id, known)
  return create(work, known)
}

async function findSameBot({ client, payload, ...work }: BotWork): Promise<BotReading | undefined> {
  return work.findSameBot(await listAllBots(client, payload.userEmail))
}

/** Has the payload validated, stores the intent, sends one POST, stores the outcome. */
async function create(work: BotWork, seen: BotRow | undefined): Promise<MadeBot> {
  const { client, payload, ledger } = work
  const validation = await validatePayload(client, payload)
  const { opened, row } = await ledger.open(seen)
  if (!opened) return goOn(work, row)
  const outcome = await client.createBot(payload)
  if (outcome.kind === 'acked') {
    await settleRow(work, { id: row.id, to: 'created', botId: outcome.value.id })
    return verifyBot(work, row.id, outcome.value.id, { validated: true, created: true, validation })
  }
  const failure = failureOf(outcome, `Creating the demo bot ${payload.name}`)
  if (outcome.kind !== 'ambiguous') {
    await settleRow(work, { id: row.id, to: 'released', reason: failure.message })
    throw failure
  }
  await settleRow(work, { id: row.id, to: 'ambiguous', reason: outcome.reason })
  return resume(work, getRow(work), { sentHere: true })
}

/** From where another process has left it; one that was refused there is looked for and asked for once more. */
function goOn(work: BotWork, row: BotRow): Promise<MadeBot> {
  return row.state === 'released' ? makeBot(work) : resume(work, row)
}

/** Handles an unknown outcome: looks for the bot, waits for it, and releases the row only when the bot can no longer appear. */
async function resume(work: BotWork, row: BotRow, { sentHere } = { sentHere: false }): Promise<MadeBot> {
  const { system, payload, service } = work
  if (row.botId) return verifyBot(work, row.id, row.botId, { validated: true, created: sentHere })
  const settle = service.simulated ? settleMs.here : settleMs.away
  const safeAt = Date.parse(row.settledAt ?? row.openedAt) + settle + (row.state === 'intent' ? exchangeMs : 0)
  const waitMs = safeAt - system.clock.wall()
  const sameBot = await findSameBot(work)
  // A young intent belongs to another process, which will record the bot itself.
  if (sameBot !== undefined && (row.state !== 'intent' || waitMs <= 0)) {
    await settleRow(work, { id: row.id, to: 'created', botId: sameBot.id })
    return verifyBot(work, row.id, sameBot.id, { validated: true, created: sentHere })
  }
  if (waitMs > longestWaitMs) {
    const at = new Date(safeAt).toISOString()
    throw new Failure('attemptUnresolved', `A request to create ${payload.name} may still arrive until ${at}`, {
      hint: 'run the same command again after that time; it is not sent twice',
    })
  }
  if (waitMs > 0) {
    system.terminal.err(`waiting up to ${Math.ceil(waitMs / 1000)} s: a request that was sent may still arrive\n`)
    await sleepUntilMoved(work, row, waitMs)
    return resume(work, getRow(work), { sentHere })
  }
  await settleRow(work, { id: row.id, to: 'released', reason: 'not in the list of bots after the settle time' })
  if (sentHere) {
    const message = `${payload.name} was sent once, got no clear answer (${row.reason}) and does not exist`
    throw new Failure('serviceUnreachable', message, { hint: 'run the same command again' })
  }
  return create(work, getRow(work))
}

/** Ends early when another process changes the row. */
async function sleepUntilMoved(work: BotWork, row: BotRow, ms: number): Promise<void> {
  const { clock } = work.system
  const end = clock.monotonic() + ms
  while (clock.monotonic() < end && getRow(work).state === row.state) {
    await clock.sleep(Math.min(askAgainMs, end - clock.monotonic()))
  }
}

/**
 * Records a bot of ours that this store does not know (from another machine or a lost store): its parameters are the same, so it
 * is the same bot.
 */
async function adopt(work: BotWork, botId: string, seen: BotRow | undefined): Promise<MadeBot> {
  const { opened, row } = await work.ledger.open(seen)
  if (!opened) return goOn(work, row)
  await settleRow(work, { id: row.id, to: 'created', botId })
  return verifyBot(work, row.id, botId, { validated: false, created: false })
}

/** Reads the bot back; only the service's own text shows that it is a demo bot. */
export async function verifyBot(
  work: BotWork,
  rowId: number,
  botId: string,
  how: Pick<MadeBot, 'validated' | 'created' | 'validation'>,
): Promise<MadeBot> {
  const { client, payload } = work
  const outcome = await client.readBot(botId)
  if (outcome.kind === 'missing') throw missing(work, botId)
  if (outcome.kind !== 'ok') throw failureOf(outcome, `Reading bot ${botId} back`)
  const bot = outcome.value
  const { state } = getRow(work)
  if (!bot.isDemo || bot.id !== botId) {
    const reason = `bot ${botId} was read back and is not a demo bot`
    if (state === 'created') await settleRow(work, { id: rowId, to: 'alarmed', reason })
    throw alarm(botId, payload)
  }
  const wrong = differences(bot, payload)
  if (wrong.length > 0) {
    throw new Failure(
      'serviceRefused',
      `Bot ${botId} is a demo bot, but not this one: it differs in ${wrong.join(', ')}`,
    )
  }
  if (state === 'created') await settleRow(work, { id: rowId, to: 'verified' })
  return { bot, rowId, ...how }
}

/** The failure for a bot that is not found. One that was read back before was deleted; one that never was may still exist. */
function missing(work: BotWork, botId: string): Failure {
  const became = `${work.origin} became bot ${botId}`
  return getRow(work).state === 'created'
    ? new Failure('serviceRefused', `${became}, but the service does not find that bot`, {
        hint: 'it was not read back since it was created: see `dcalab bots list` before you try again',
      })
    : new Failure('serviceRefused', `${became}, which no longer exists`, {
        hint: 'a trial is promoted at most once per account; nothing was created',
      })
}

/** Records a new state. When another process recorded one first, that one is kept. */
async function settleRow(work: BotWork, recorded: RecordedBotOutcome): Promise<void> {
  try {
    await work.ledger.settle(recorded)
  } catch (error) {
    const { state, botId } = getRow(work)
    const stands =
      recorded.to === 'created'
        ? botId === recorded.botId
        : state === recorded.to || (recorded.to === 'ambiguous' && botId !== null)
    if (!stands) throw error
  }
}

function getRow({ ledger }: BotWork): BotRow {
  const row = ledger.find()
  if (row === undefined) throw new Error('A row was stored and cannot be found')
  return row
}

// Creates a demo bot from a file. The name identifies the bot: one with this name and the same parameters is reused, one with
// other parameters is refused, and a new one is made exactly once (`makeBot`), also when the request to create it arrives
// late.

interface CreateRequest {
  readonly system: System
  readonly store: Store
  readonly client: BotOperations
  readonly payload: DemoBotPayload
}

/** @throws Failure; attemptUnresolved while an earlier request to create it may still arrive */
export async function createDemoBot({ system, store, client, payload }: CreateRequest): Promise<MadeBot> {
  const service = await meetService(store, client)
  const { userEmail: account, name } = payload
  return makeBot({
    system,
    client,
    service,
    payload,
    ledger: botOrderLedger(store, { identity: service.identity, account, name }),
    origin: name,
    findSameBot: (bots) => findNamesake(bots, payload),
  })
}

// Stops a bot. What it holds is not sold unless it is a demo and that was asked for.

type StopOperations = Pick<BotOperations, 'readBot' | 'listBots'> &
  Pick<BotControls, 'proveDemo' | 'stopBot' | 'closeBot'>

interface StopRequest {
  /** As `findBotId` takes it. */
  readonly named: string
  readonly userEmail: string
  readonly signal: AbortSignal
}

/**
 * Returns the bot and its state in the service's word; null where it does not say. A service may refuse to stop a bot that is stopped,
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
