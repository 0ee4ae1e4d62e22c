/** A bot's configuration replayed on candles: from its start, stopped and started as the bot was. Pure. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import { type Candles, lowerBound } from '../../../engine/candles.ts'
import type { SymbolRules } from '../../../engine/conventions.ts'
import { replayBot } from '../../../engine/live.ts'
import type { LiveCommand, LiveState } from '../../../engine/live-state.ts'
import type { AssumedTerms } from '../../search/detective/hypotheses.ts'
import {
  dealsOfFills,
  fillsOfReplay,
  ordersOfReplay,
  type TradedDeal,
  type TradedFill,
  type TradedOrder,
} from './traded-life.ts'

/** What a replay follows from, beside conventions and costs. */
export interface LifeInput {
  /** From the first start on. */
  readonly candles: Candles
  readonly symbol: SymbolRules
  /** Oldest first, beginning with a start. */
  readonly commands: readonly LiveCommand[]
}

export interface ReplayedLife {
  readonly fills: readonly TradedFill[]
  readonly orders: readonly TradedOrder[]
  readonly deals: readonly TradedDeal[]
  /** Quote; the open deal at the last close less the fee of selling. */
  readonly netProfit: number
  readonly dailyEquity: LiveState['dailyEquity']
}

export function replayLife(
  { candles, symbol, commands }: LifeInput,
  { conventions, costs }: AssumedTerms,
): ReplayedLife {
  const state = replayBot({ candles, symbol, commands, conventions, costs })
  const fills = fillsOfReplay(state, costs.feePercent)
  const start = commands.find(({ kind }) => kind === 'start')
  const investment = start?.kind === 'start' ? start.config.investment : 0
  return {
    fills,
    orders: ordersOfReplay(state),
    deals: dealsOfFills(fills),
    netProfit: state.equity - investment,
    dailyEquity: state.dailyEquity,
  }
}

export interface BotSpan {
  readonly config: DcaSpotConfig
  /** The first start, ms UTC. */
  readonly from: number
  /** The last stop that was asked for, and not made by the bot itself; null = none is known. */
  readonly stoppedAt: number | null
}

/**
 * The commands that a bot got, as far as what it did shows them: its first start; a stop for each sale by a stop, and a start before
 * the deal that follows it; the last stop.
 */
export function commandsOf({ config, from, stoppedAt }: BotSpan, deals: readonly TradedDeal[]): readonly LiveCommand[] {
  const commands: LiveCommand[] = [{ kind: 'start', at: from, config }]
  deals.forEach(({ exit, closedAt }, index) => {
    if (exit !== 'close' || closedAt === null) return
    commands.push({ kind: 'stop', at: closedAt, closePosition: true })
    const next = deals.at(index + 1)
    if (next !== undefined) commands.push({ kind: 'start', at: next.openedAt, config })
  })
  const last = commands.at(-1)
  if (stoppedAt !== null && !(last?.kind === 'stop' && last.at === stoppedAt) && (last?.at ?? 0) <= stoppedAt) {
    commands.push({ kind: 'stop', at: stoppedAt, closePosition: false })
  }
  return commands
}

/** The same, with a rest wherever the bot let a candle pass without a deal. The same list when it did so nowhere. */
export function withRests(
  commands: readonly LiveCommand[],
  deals: readonly TradedDeal[],
  { openTime, intervalMs }: Pick<Candles, 'openTime' | 'intervalMs'>,
): readonly LiveCommand[] {
  const first = commands.at(0)
  if (first?.kind !== 'start') return commands
  const { config } = first
  const passes = (from: number, to: number) => lowerBound(openTime, from) < lowerBound(openTime, to)
  const rests: LiveCommand[] = []
  let start: LiveCommand = first
  deals.forEach(({ openedAt }, index) => {
    const before = index === 0 ? undefined : deals[index - 1]
    if (before === undefined) {
      if (passes(first.at, openedAt)) start = { ...first, at: openedAt }
      return
    }
    if (before.closedAt === null || before.exit === 'close') return
    const free = Math.floor(before.closedAt / intervalMs) * intervalMs + intervalMs
    if (!passes(free, openedAt)) return
    rests.push({ kind: 'stop', at: free, closePosition: false }, { kind: 'start', at: openedAt, config })
  })
  if (rests.length === 0 && start === first) return commands
  return [start, ...[...commands.slice(1), ...rests].toSorted((a, b) => a.at - b.at)]
}
