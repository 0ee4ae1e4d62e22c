/**
 * Computes what the bots have done whenever it is read: nothing runs in the background, and a restart loses nothing. A
 * bot's own time never goes back: when the market clock was set back, the bot stays at the time of its last command.
 */

import type { InferResult } from 'kysely'
import { findSymbolRules, listCandles, loadCandles, type StoredCandles } from '../../candles/folder/folder.ts'
import { findStretch } from '../../candles/folder/stored-months.ts'
import { continueCandles, findRecipe } from '../../candles/synthetic/generate.ts'
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { INTERVALS, type Interval, marketName } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import type { Conventions, Costs, SymbolRules } from '../../engine/conventions.ts'
import { type LiveCommand, type LiveState, replayBot } from '../../engine/live.ts'
import { resolveConventions } from '../../engine/read-conventions.ts'
import { Failure } from '../../errors.ts'
import { runBuilt, statement } from '../../sqlite/statements.ts'
import type { System, Terminal } from '../../system.ts'
import { type Database, query } from '../database.ts'
import type { ServiceTerms } from '../job-terms.ts'
import type { BotPayload } from '../payload.ts'
import { Refusal } from '../refusal.ts'
import type { Tables } from '../table-types.ts'

/** Bots per account. */
export const PLAN_BOTS = 20

/** Why one more is refused. */
export const PLAN_FULL = `the plan of this service offers ${PLAN_BOTS} bots`

/** What a bot trades under, fixed at its first start. */
interface LiveTerms {
  readonly interval: Interval
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

/** A demo bot as rows: how it was created and which commands it got. What it did is computed from these. */
interface BotRecord {
  /** Later bots have greater numbers. */
  readonly seq: number
  readonly id: string
  readonly payload: BotPayload
  /** Null before the first start. */
  readonly terms: LiveTerms | null
  /** Oldest first; the first one is a start. */
  readonly commands: readonly LiveCommand[]
  /** Market times, ms UTC. */
  readonly createdAt: number
  readonly updatedAt: number
}

interface BotPage {
  readonly accountId: number
  readonly limit: number
  /** Only bots created before the one with this number. */
  readonly before: number | null
}

interface OfAccount {
  readonly accountId: number
}

const bots = query
  .selectFrom('bots')
  .select(['seq', 'id', 'payload_json', 'terms_json', 'created_at_ms', 'updated_at_ms'])

const botOfAccount = statement(({ accountId, id }: OfAccount & { readonly id: string }) =>
  bots.where('account_id', '=', accountId).where('id', '=', id),
)

const pageOfBots = statement(
  ({ accountId, before, limit }: OfAccount & { readonly before: number; readonly limit: number }) =>
    bots.where('account_id', '=', accountId).where('seq', '<', before).orderBy('seq', 'desc').limit(limit),
)

const botsOfAccount = statement(({ accountId }: OfAccount) =>
  query
    .selectFrom('bots')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId),
)

const commandsOfBot = statement(({ id }: { readonly id: string }) =>
  query
    .selectFrom('bot_commands')
    .select(['kind', 'at_ms', 'config_json', 'close_position'])
    .where('bot_id', '=', id)
    .orderBy('seq'),
)

type BotRow = InferResult<typeof bots>[number]

type CommandRow = Pick<Tables['bot_commands'], 'kind' | 'at_ms' | 'config_json' | 'close_position'>

// The candles that live bots trade on: those complete by now. A synthetic market is continued by its generator where its stored candles end.

interface LiveCandles {
  /** Opened at `from` or later and complete by `now`. */
  readonly candles: Candles
  readonly synthetic: boolean
  /** The market, or this stretch of it, has no candle after these. */
  readonly ended: boolean
  /** A different text means that an earlier candle may have changed. */
  readonly origin: string
}

/** The candle folder at one moment. */
interface MarketView {
  /** The finest interval whose candles cover the moment, else the finest there is; undefined for a market that is not stored. */
  findInterval(market: string, at: number): Interval | undefined
  /** @throws Refusal BotUnusable when the market is no longer stored: without candles a bot would look as if it had done nothing */
  take(request: { market: string; interval: Interval; from: number; now: number }): LiveCandles
}

interface MarketFeed {
  read(): MarketView
}

interface Shelved {
  readonly origin: string
  readonly stored: Candles
  /** Stored and generated ones. */
  candles: Candles
  /** The generator was asked for candles up to here; when `candles` end before, it had none. */
  askedTo: number
}

/** Candles kept in memory for all markets; the market read last is kept whatever its size. */
const mostCandles = 8_000_000

export function createMarketFeed(folder: string): MarketFeed {
  const candleCache = new Map<string, Shelved>()

  function shelve(stored: StoredCandles): Shelved {
    const { market, interval, hash } = stored
    const name = `${market} ${interval}`
    const known = candleCache.get(name)
    const entry = known?.origin === hash ? known : load(folder, stored)
    candleCache.delete(name)
    candleCache.set(name, entry)
    let kept = 0
    for (const [other, { candles }] of [...candleCache].reverse()) {
      kept += candles.openTime.length
      if (kept > mostCandles && other !== name) candleCache.delete(other)
    }
    return entry
  }

  return {
    read() {
      const folderNow = listCandles(folder)
      return {
        findInterval(market, at) {
          const stored = folderNow.filter((each) => each.market === market)
          const covering = stored.find((each) => covers(folder, each, at))
          return (covering ?? stored.at(0))?.interval
        },
        take({ market, interval, from, now }) {
          const stored = folderNow.find((each) => each.market === market && each.interval === interval)
          if (stored === undefined) throw new Refusal('BotUnusable', notStored(`${market} ${interval}`))
          const entry = shelve(stored)
          extend(folder, entry, stored, now)
          const intervalMs = INTERVALS[interval]
          const last = entry.candles.openTime.at(-1) ?? 0
          return {
            candles: sliceCandles(entry.candles, from, now - intervalMs + 1),
            synthetic: stored.synthetic,
            ended: endOfStretch(stored, last + intervalMs, now) + intervalMs <= now,
            origin: entry.origin,
          }
        },
      }
    },
  }
}

function load(folder: string, { market, interval, hash, from, to }: StoredCandles): Shelved {
  const { candles } = loadCandles(folder, { market, interval, from, to })
  return { origin: hash, stored: candles, candles, askedTo: to }
}

/**
 * Asks the generator for the rest of the month as well: it must start where the stored candles end or even at the beginning, so
 * it should be called seldom.
 */
function extend(folder: string, entry: Shelved, { market, interval, synthetic }: StoredCandles, now: number): void {
  if (!synthetic || now <= entry.askedTo) return
  const date = new Date(now)
  entry.askedTo = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 1)
  const recipe = findRecipe(folder, market, interval)
  const longer =
    recipe === undefined
      ? undefined
      : continueCandles(recipe, { candles: entry.stored, hash: entry.origin }, entry.askedTo)
  if (longer !== undefined) entry.candles = longer
}

function covers(folder: string, stored: StoredCandles, at: number): boolean {
  if (stored.stretches.some(({ from, to }) => from <= at && at < to)) return true
  return stored.to <= at && goesOn(folder, stored)
}

/** The end of the stretch for this moment. The last stretch ends with the candles, which the generator may have continued (`end`). */
function endOfStretch({ stretches }: StoredCandles, end: number, now: number): number {
  const stretch = findStretch(stretches, now)
  return stretch === undefined || stretch === stretches.at(-1) ? end : stretch.to
}

function goesOn(folder: string, { market, interval, synthetic }: StoredCandles): boolean {
  return synthetic && findRecipe(folder, market, interval) !== undefined
}

function notStored(market: string): string {
  return `no candles of ${market} are stored here`
}

// Market time: the wall clock, unless it was set otherwise. The setting is in the store, so every process that serves the
// file has the same market time, and it continues while none of them runs.
//
//     market time = the time it was set to + (wall clock now − wall clock then) · speed

export interface MarketClock {
  /** Whole milliseconds UTC. */
  now(): number
}

/** A bot at the present market time. */
export interface LiveBot {
  readonly record: BotRecord
  /** The market clock, ms UTC. */
  readonly now: number
  /** Null before the first start, and when it cannot be computed. */
  readonly life: { readonly state: LiveState; readonly market: LiveCandles } | null
  /** Why its life cannot be computed; null for every other bot. */
  readonly trouble: Trouble | null
}

interface Trouble {
  /** For the client that reads the bot. */
  readonly words: string
  /** Printed for who runs the service, unless it is a refusal. */
  readonly cause: unknown
  /** Thrown by an answer that needs the bot's life. */
  readonly thrown: unknown
}

export interface LiveBots {
  read(record: BotRecord): LiveBot
  /** Several bots at one moment. */
  readAll(records: readonly BotRecord[]): LiveBot[]
  start(accountId: number, id: string): LiveBot | undefined
  stop(accountId: number, id: string, closePosition: boolean): LiveBot | undefined
  /** Stores the payload that `decide` makes from the present bot. */
  update(accountId: number, id: string, decide: (bot: LiveBot) => BotPayload): LiveBot | undefined
}

interface Remembered {
  readonly key: string
  readonly state: LiveState
}

/** How many bots' lives are remembered: those of one or two accounts. */
const mostRemembered = 40

export function createLiveBots(world: {
  readonly db: Database
  readonly candlesFolder: string
  readonly clock: MarketClock
  readonly feed: MarketFeed
  readonly terms: ServiceTerms
  readonly terminal: Pick<Terminal, 'err'>
  /** Instead of the market clock, of every start of a bot that has not traded: its life so far is replaced. ms UTC. */
  readonly startsAt: number | undefined
}): LiveBots {
  const { db, candlesFolder, clock, feed, terms, terminal, startsAt } = world
  const lives = createLifeMemory()
  const report = createTroubleReport(terminal)

  function readAt(record: BotRecord, view: MarketView): LiveBot {
    const last = record.commands.at(-1)
    const now = Math.max(clock.now(), last?.at ?? record.createdAt)
    try {
      return { record, now, life: lives.compute(record, view, now), trouble: null }
    } catch (error) {
      // A bot that cannot be computed is listed with its problem, and the other bots are still listed.
      return { record, now, life: null, trouble: troubleOf(record, error) }
    }
  }

  function change(accountId: number, id: string, work: (bot: LiveBot, view: MarketView) => void): LiveBot | undefined {
    const view = feed.read()
    const before = findBot(db, accountId, id)
    if (before === undefined) return undefined
    readAt(before, view) // computes a long life before the transaction, which blocks other writers
    const changed = db
      .transaction(() => {
        const record = findBot(db, accountId, id)
        if (record !== undefined) work(readAt(record, view), view)
        return findBot(db, accountId, id)
      })
      .immediate()
    return changed === undefined ? undefined : readAt(changed, view)
  }

  return {
    read: (record) => report(readAt(record, feed.read())),
    readAll(records) {
      const view = feed.read()
      return records.map((record) => report(readAt(record, view)))
    },
    start: (accountId, id) =>
      change(accountId, id, (bot, view) => {
        demandLife(bot)
        const isAnew = startsAt !== undefined && (bot.life === null || bot.life.state.fills.length === 0)
        if (isRunning(bot) && !isAnew) return
        const { record } = bot
        const now = isAnew ? startsAt : bot.now
        const market = marketName(record.payload)
        if (isAnew) forgetLife(db, id)
        if (isAnew || record.terms === null) {
          const interval = view.findInterval(market, now)
          if (interval === undefined) throw new Refusal('BotUnusable', notStored(market))
          fixTerms(db, id, { interval, ...terms, symbol: findSymbolRules(candlesFolder, market) })
        }
        commandBot(db, id, { kind: 'start', at: now, config: configOf(record.payload) })
      }),
    stop: (accountId, id, closePosition) =>
      change(accountId, id, (bot) => {
        if (closePosition) demandLife(bot)
        const holds = bot.life !== null && bot.life.state.openDeal !== null
        if (isRunning(bot) || (closePosition && holds)) commandBot(db, id, { kind: 'stop', at: bot.now, closePosition })
      }),
    update: (accountId, id, decide) =>
      change(accountId, id, (bot) => {
        const payload = decide(bot)
        const { record, now } = bot
        if (JSON.stringify(payload) === JSON.stringify(record.payload)) return
        changePayload(db, id, payload, now)
        const command: LiveCommand = { kind: 'update', at: now, config: configOf(payload) }
        if (record.terms !== null) commandBot(db, id, command)
      }),
  }
}

/** Computes what a bot did, and remembers it: a list of bots is read again and again while nothing new has happened. */
function createLifeMemory(): {
  compute(record: BotRecord, view: MarketView, now: number): LiveBot['life']
} {
  const memory = new Map<string, Remembered>()
  return {
    compute(record, view, now) {
      const first = record.commands.at(0)
      if (first === undefined || record.terms === null) return null
      const { interval, ...conditions } = record.terms
      const market = view.take({ market: marketName(record.payload), interval, from: first.at, now })
      const key = `${record.commands.length} ${first.at} ${market.origin} ${market.candles.openTime.length}`
      const known = memory.get(record.id)
      const state =
        known?.key === key
          ? known.state
          : replayBot({ candles: market.candles, commands: record.commands, ...conditions })
      memory.delete(record.id)
      memory.set(record.id, { key, state })
      for (const id of [...memory.keys()].slice(0, -mostRemembered)) memory.delete(id)
      return { state, market }
    },
  }
}

/** Prints each trouble that is not the client's fault once, for the person who runs the service. Returns the bot unchanged. */
function createTroubleReport(terminal: Pick<Terminal, 'err'>): (bot: LiveBot) => LiveBot {
  const reported = new Set<string>()
  return (bot) => {
    const { record, trouble } = bot
    if (trouble === null || trouble.cause instanceof Refusal) return bot
    const { cause } = trouble
    const line = `service: bot ${record.id}: ${cause instanceof Error ? cause.stack : String(cause)}\n`
    if (!reported.has(line)) terminal.err(line)
    reported.add(line)
    return bot
  }
}

/** For a bot that cannot be computed, its last command decides. */
export function isRunning({ record, life }: LiveBot): boolean {
  if (life !== null) return life.state.stop === null
  return record.commands.findLast(({ kind }) => kind !== 'update')?.kind === 'start'
}

/** Call before using a bot's life. @throws Refusal BotUnusable, or the error of the engine */
export function demandLife({ trouble }: LiveBot): void {
  if (trouble !== null) throw trouble.thrown
}

function troubleOf({ id, terms }: BotRecord, error: unknown): Trouble {
  const resolved = terms === null ? undefined : resolveConventions(terms.conventions)
  if (resolved !== undefined && 'problems' in resolved) {
    const named = resolved.problems.map(({ path, message }) => `${path}: ${message}`)
    const words = `its conventions, fixed at its first start, cannot be used: ${named.join('; ')}`
    const refusal = new Refusal('BotUnusable', `bot ${id}: ${words}`)
    return { words, cause: refusal, thrown: refusal }
  }
  if (error instanceof Refusal) return { words: error.message, cause: error, thrown: error }
  const isCandles = error instanceof Failure && error.code.startsWith('candles')
  const what = isCandles ? 'its candles cannot be read at this moment' : 'the service failed on it'
  const words = `${what}; the service’s own output says why`
  return { words, cause: error, thrown: isCandles ? new Refusal('BotUnusable', `bot ${id}: ${words}`) : error }
}

function configOf(payload: BotPayload): DcaSpotConfig {
  const entries = CONFIG_FIELDS.map((field) => [field, payload[field]])
  return Object.fromEntries(entries) // all of its fields, each a number
}

/** Records a command. Call it in the transaction in which the command was decided. */
function commandBot(db: Database, id: string, command: LiveCommand): void {
  const config = command.kind === 'stop' ? null : JSON.stringify(command.config)
  const closes = command.kind === 'stop' ? Number(command.closePosition) : null
  const row = { bot_id: id, kind: command.kind, at_ms: command.at, config_json: config, close_position: closes }
  runBuilt(db, query.insertInto('bot_commands').values(row))
  runBuilt(db, query.updateTable('bots').set({ updated_at_ms: command.at }).where('id', '=', id))
}

function changePayload(db: Database, id: string, payload: BotPayload, now: number): void {
  const changed = { payload_json: JSON.stringify(payload), updated_at_ms: now }
  runBuilt(db, query.updateTable('bots').set(changed).where('id', '=', id))
}

/** Removes its commands and terms, as before its first start. */
function forgetLife(db: Database, id: string): void {
  runBuilt(db, query.deleteFrom('bot_commands').where('bot_id', '=', id))
  runBuilt(db, query.updateTable('bots').set({ terms_json: null }).where('id', '=', id))
}

/** Stores a demo bot, or returns undefined when the account has as many as the plan allows. Count and insert are one transaction. */
export function createBot(
  db: Database,
  system: System,
  order: {
    readonly accountId: number
    readonly payload: BotPayload & { readonly isDemo: true }
    /** Market time. */
    readonly now: number
  },
): BotRecord | undefined {
  const { accountId, payload, now } = order
  const id = `bot_${Buffer.from(system.randomBytes(10)).toString('hex')}`
  const created = db
    .transaction(() => {
      if (isPlanFull(db, accountId)) return false
      const times = { created_at_ms: now, updated_at_ms: now }
      const row = { id, account_id: accountId, payload_json: JSON.stringify(payload), is_demo: 1, ...times }
      runBuilt(db, query.insertInto('bots').values(row))
      return true
    })
    .immediate()
  return created ? findBot(db, accountId, id) : undefined
}

/** Whether the account has as many bots as the plan offers. */
export function isPlanFull(db: Database, accountId: number): boolean {
  return (botsOfAccount.first(db, { accountId })?.count ?? 0) >= PLAN_BOTS
}

export function findBot(db: Database, accountId: number, id: string): BotRecord | undefined {
  const row = botOfAccount.first(db, { accountId, id })
  return row === undefined ? undefined : toRecord(db, row)
}

/** Newest first; one more than `limit` when there are more. */
export function listBots(db: Database, { accountId, limit, before }: BotPage): BotRecord[] {
  const page = { accountId, before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 }
  return pageOfBots.all(db, page).map((row) => toRecord(db, row))
}

function fixTerms(db: Database, id: string, terms: LiveTerms): void {
  const fixed = { terms_json: JSON.stringify(terms) }
  runBuilt(db, query.updateTable('bots').set(fixed).where('id', '=', id).where('terms_json', 'is', null))
}

function toRecord(db: Database, row: BotRow): BotRecord {
  return {
    seq: row.seq,
    id: row.id,
    payload: JSON.parse(row.payload_json), // written from a checked payload, as are terms and configs
    terms: row.terms_json === null ? null : JSON.parse(row.terms_json),
    commands: commandsOfBot.all(db, { id: row.id }).map(toCommand),
    createdAt: row.created_at_ms,
    updatedAt: row.updated_at_ms,
  }
}

function toCommand({ kind, at_ms: at, config_json, close_position }: CommandRow): LiveCommand {
  if (kind === 'stop') return { kind, at, closePosition: close_position === 1 }
  const config: DcaSpotConfig = JSON.parse(config_json ?? 'null') // the table's check guarantees a config for these kinds
  return { kind, at, config }
}
