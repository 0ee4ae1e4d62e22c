/**
 * Computes what the bots have done whenever it is read: nothing runs in the background, and a restart loses nothing. A
 * bot's own time never goes back: when the market clock was set back, the bot stays at the time of its last command.
 */
import { findSymbolRules } from '../../candles/folder/folder.ts'
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { marketName } from '../../contract/market.ts'
import { replayBot } from '../../engine/live.ts'
import type { LiveCommand, LiveState } from '../../engine/live-state.ts'
import { resolveConventions } from '../../engine/read-conventions.ts'
import { Failure } from '../../errors.ts'
import type { Terminal } from '../../system.ts'
import type { Database } from '../database.ts'
import type { ServiceTerms } from '../job-terms.ts'
import type { BotPayload } from '../payload.ts'
import { Refusal } from '../refusal.ts'
import { type BotRecord, changePayload, commandBot, findBot, fixTerms, forgetLife } from './bots.ts'
import type { LiveCandles, MarketClock, MarketFeed, MarketView } from './market-feed.ts'

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
  /** Thrown by an answer that needs the bot's life. */
  readonly cause: unknown
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
    const now = Math.max(clock.now(), last?.at ?? 0)
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
          const interval = view.findInterval(market, now) ?? '1m'
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

/** Call before using a bot's life. @throws Refusal BotUnusable, or the error of the candles or the engine */
export function demandLife({ trouble }: LiveBot): void {
  if (trouble !== null) throw trouble.cause
}

function troubleOf({ id, terms }: BotRecord, error: unknown): Trouble {
  const resolved = terms === null ? undefined : resolveConventions(terms.conventions)
  if (resolved !== undefined && 'problems' in resolved) {
    const named = resolved.problems.map(({ path, message }) => `${path}: ${message}`)
    const words = `its conventions, fixed at its first start, cannot be used: ${named.join('; ')}`
    return { words, cause: new Refusal('BotUnusable', `bot ${id}: ${words}`) }
  }
  const isCandles = error instanceof Failure && error.code.startsWith('candles')
  const what = isCandles ? 'its candles cannot be read at this moment' : 'the service failed on it'
  return { words: `${what}; the service’s own output says why`, cause: error }
}

function configOf(payload: BotPayload): DcaSpotConfig {
  const entries = CONFIG_FIELDS.map((field) => [field, payload[field]])
  return Object.fromEntries(entries) // all of its fields, each a number
}
