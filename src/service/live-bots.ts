/**
 * What the bots have done, computed when it is asked for: nothing runs in the background, and a restart loses nothing. A
 * bot's own time never runs backwards: after the market clock was set back, it stands where it was last told something.
 */
import { findSymbolRules } from '../candles/folder.ts'
import { CONFIG_FIELDS, type DcaSpotConfig } from '../contract/bot.ts'
import { marketName } from '../contract/market.ts'
import { type LiveCommand, type LiveState, replayBot } from '../engine/live.ts'
import { type BotRecord, changePayload, findBot, fixTerms, tellBot } from './bots.ts'
import type { Database } from './database.ts'
import type { JobTerms } from './job-queue.ts'
import type { MarketClock } from './market-clock.ts'
import type { LiveCandles, MarketFeed, MarketLook } from './market-feed.ts'
import type { BotPayload } from './payload.ts'

/** A bot at this moment of its market. */
export interface LiveBot {
  readonly record: BotRecord
  /** The market clock, ms UTC. */
  readonly now: number
  /** Null before the first start. */
  readonly life: { readonly state: LiveState; readonly market: LiveCandles } | null
}

export interface LiveBots {
  read(record: BotRecord): LiveBot
  /** Several bots of one moment. */
  readAll(records: readonly BotRecord[]): LiveBot[]
  start(accountId: number, id: string): LiveBot | undefined
  stop(accountId: number, id: string, closePosition: boolean): LiveBot | undefined
  /** Takes what `decide` makes of the bot as it is. */
  update(accountId: number, id: string, decide: (bot: LiveBot) => BotPayload): LiveBot | undefined
}

interface Remembered {
  readonly key: string
  readonly state: LiveState
}

/** Lives remembered: those of a plan or two. */
const mostRemembered = 40

export function createLiveBots(world: {
  readonly db: Database
  readonly candlesFolder: string
  readonly clock: MarketClock
  readonly feed: MarketFeed
  readonly terms: JobTerms
}): LiveBots {
  const { db, candlesFolder, clock, feed, terms } = world
  const memory = new Map<string, Remembered>()

  function readAt(record: BotRecord, look: MarketLook): LiveBot {
    const last = record.commands.at(-1)
    const now = Math.max(clock.now(), last?.at ?? 0)
    const first = record.commands.at(0)
    if (first === undefined || record.terms === null) return { record, now, life: null }
    const { interval, ...conditions } = record.terms
    const market = look.take({ market: marketName(record.payload), interval, from: first.at, now })
    const key = `${record.commands.length} ${market.origin} ${market.candles.openTime.length}`
    const known = memory.get(record.id)
    const state =
      known?.key === key
        ? known.state
        : replayBot({ candles: market.candles, commands: record.commands, ...conditions })
    memory.delete(record.id)
    memory.set(record.id, { key, state })
    for (const id of [...memory.keys()].slice(0, -mostRemembered)) memory.delete(id)
    return { record, now, life: { state, market } }
  }

  function change(accountId: number, id: string, work: (bot: LiveBot, look: MarketLook) => void): LiveBot | undefined {
    const look = feed.look()
    const before = findBot(db, accountId, id)
    if (before === undefined) return undefined
    readAt(before, look) // a long life is computed before the store is held
    const changed = db
      .transaction(() => {
        const record = findBot(db, accountId, id)
        if (record !== undefined) work(readAt(record, look), look)
        return findBot(db, accountId, id)
      })
      .immediate()
    return changed === undefined ? undefined : readAt(changed, look)
  }

  return {
    read: (record) => readAt(record, feed.look()),
    readAll(records) {
      const look = feed.look()
      return records.map((record) => readAt(record, look))
    },
    start: (accountId, id) =>
      change(accountId, id, (bot, look) => {
        if (isRunning(bot)) return
        const { record, now } = bot
        const market = marketName(record.payload)
        if (record.terms === null) {
          const interval = look.findInterval(market, now) ?? '1m'
          fixTerms(db, id, { interval, ...terms, symbol: findSymbolRules(candlesFolder, market) })
        }
        tellBot(db, id, { kind: 'start', at: now, config: configOf(record.payload) })
      }),
    stop: (accountId, id, closePosition) =>
      change(accountId, id, (bot) => {
        const holds = bot.life !== null && bot.life.state.openDeal !== null
        if (isRunning(bot) || (closePosition && holds)) tellBot(db, id, { kind: 'stop', at: bot.now, closePosition })
      }),
    update: (accountId, id, decide) =>
      change(accountId, id, (bot) => {
        const payload = decide(bot)
        const { record, now } = bot
        if (JSON.stringify(payload) === JSON.stringify(record.payload)) return
        changePayload(db, id, payload, now)
        const command: LiveCommand = { kind: 'update', at: now, config: configOf(payload) }
        if (record.terms !== null) tellBot(db, id, command)
      }),
  }
}

function isRunning({ life }: LiveBot): boolean {
  return life !== null && life.state.stop === null
}

function configOf(payload: BotPayload): DcaSpotConfig {
  const entries = CONFIG_FIELDS.map((field) => [field, payload[field]])
  return Object.fromEntries(entries) // all of its fields, each a number
}
