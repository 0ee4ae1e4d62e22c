/** How bots, their orders and fills are shown: plain JSON values with ISO times, and table columns. */

import { marketName } from '../contract/market.ts'
import type { BotReading, ExecutionReading, OrderReading, PnlReading } from '../workbench/api/reading/readings.ts'
import { inOneLine } from './output.ts'
import type { TimeWords } from './reader-time.ts'
import type { Column } from './table.ts'
import { toneOfGain } from './tone.ts'

/** ISO 8601 UTC, or null for a time that the service does not give. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}

export function shownBot(bot: BotReading) {
  return {
    id: bot.id,
    name: bot.name,
    userEmail: bot.userEmail,
    strategyType: bot.strategyType,
    market: bot.market === null ? null : marketName(bot.market),
    isDemo: bot.isDemo,
    state: bot.stateText,
    stopReason: bot.stopReason,
    createdAt: isoOrNull(bot.createdAt),
    updatedAt: isoOrNull(bot.updatedAt),
    startedAt: isoOrNull(bot.startedAt),
    stoppedAt: isoOrNull(bot.stoppedAt),
    tradedUntil: isoOrNull(bot.tradedUntil),
    problem: bot.problem,
    config: bot.config,
  }
}

export type ShownBot = ReturnType<typeof shownBot>

/** @param when how its times are told */
export const botColumns = (when: TimeWords): readonly Column<ShownBot>[] => [
  { title: 'bot', role: 'id', value: (bot) => bot.name ?? bot.id },
  { title: 'real', role: 'alarm', value: (bot) => (bot.isDemo ? null : 'NOT A DEMO'), tone: () => 'bad' },
  { title: 'state', role: 'varied', value: (bot) => stateOf(bot) },
  { title: 'market', value: (bot) => bot.market },
  { title: 'traded until', value: (bot) => when(bot.tradedUntil) },
  { title: 'started', role: 'detail', value: (bot) => when(bot.startedAt) },
  { title: 'id', role: 'detail', value: (bot) => bot.id },
]

function stateOf({ state, stopReason }: ShownBot): string | null {
  if (state === '') return null
  return stopReason === null ? state : `${state} (${stopReason})`
}

/** @param when how its times are told */
export function describeBot(bot: ShownBot, when: TimeWords): string[] {
  const lines = [
    `bot      ${bot.id}${bot.name === null ? '' : `, ${bot.name}`}${bot.isDemo ? ', demo' : ', NOT a demo'}`,
    `market   ${bot.market ?? '-'}, ${bot.strategyType ?? '-'}`,
    `owner    ${bot.userEmail ?? '-'}`,
    `state    ${stateOf(bot) ?? '-'}`,
    `created  ${when(bot.createdAt)}, updated ${when(bot.updatedAt)}`,
    `started  ${when(bot.startedAt)}, stopped ${when(bot.stoppedAt)}, traded until ${when(bot.tradedUntil)}`,
    ...(bot.problem === null ? [] : [`problem  ${bot.problem}`]),
    '',
    ...Object.entries(bot.config).map(([field, value]) => `${field.padEnd(24)} ${value}`),
  ]
  return lines.map(inOneLine)
}

export function shownExecution(execution: ExecutionReading) {
  return { ...execution, executedAt: isoOrNull(execution.executedAt) }
}

type ShownExecution = ReturnType<typeof shownExecution>

/** @param when how its times are told */
export const executionColumns = (when: TimeWords): readonly Column<ShownExecution>[] => [
  { title: 'executed', value: (row) => when(row.executedAt) },
  { title: 'deal', value: (row) => row.deal },
  { title: 'side', value: (row) => row.side },
  { title: 'role', value: (row) => roleOf(row) },
  { title: 'price', value: (row) => plainNumber(row.price) },
  { title: 'quantity', value: (row) => plainNumber(row.quantity) },
  { title: 'quote', value: (row) => row.quote, digits: 4 },
  { title: 'fee', value: (row) => row.fee, digits: 4 },
  { title: 'profit', value: (row) => row.profit, digits: 4, tone: toneOfGain },
]

export function shownOrder(order: OrderReading) {
  return { ...order, placedAt: isoOrNull(order.placedAt), updatedAt: isoOrNull(order.updatedAt) }
}

type ShownOrder = ReturnType<typeof shownOrder>

/** @param when how its times are told */
export const orderColumns = (when: TimeWords): readonly Column<ShownOrder>[] => [
  { title: 'placed', value: (row) => when(row.placedAt) },
  { title: 'deal', value: (row) => row.deal },
  { title: 'side', value: (row) => row.side },
  { title: 'type', value: (row) => row.type },
  { title: 'role', value: (row) => roleOf(row) },
  { title: 'state', value: (row) => row.state },
  { title: 'price', value: (row) => plainNumber(row.price) },
  { title: 'quantity', value: (row) => plainNumber(row.quantity) },
  { title: 'updated', value: (row) => when(row.updatedAt) },
]

function roleOf({ role, safetyOrder }: { readonly role: string | null; readonly safetyOrder: number | null }) {
  return role !== null && safetyOrder !== null ? `${role} ${safetyOrder}` : role
}

/** Prices and quantities span many magnitudes, so all their digits are shown. */
function plainNumber(value: number | null): string | null {
  return value === null ? null : String(Number(value.toPrecision(12)))
}

export function shownPnl({ rawText, seen, terms, ...pnl }: PnlReading) {
  return { ...pnl, marketTime: isoOrNull(pnl.marketTime) }
}

/** @param when how its times are told */
export function describePnl(pnl: ReturnType<typeof shownPnl>, when: TimeWords): string[] {
  const { openDeal, hasOpenDeal, dailyEquity, marketTime, ...numbers } = pnl
  return [
    `profit and loss as of ${when(marketTime)}`,
    '',
    ...Object.entries(numbers).map(
      ([name, value]) => `${name.padEnd(24)} ${typeof value === 'number' ? plain(value) : (value ?? '–')}`,
    ),
    '',
    openDeal === null
      ? hasOpenDeal === false
        ? 'no open deal'
        : 'open deal                –'
      : `open deal since ${when(openDeal.openedAt)}: ${openDeal.safetyOrders} safety orders, cost ${plain(openDeal.cost)}, ` +
        `value ${plain(openDeal.value)}, profit ${plain(openDeal.profit)}`,
    ...dailyEquity.slice(-shownDays).map(({ date, equity }) => `${date}  ${plain(equity)}`),
    ...(dailyEquity.length > shownDays
      ? [`… the last ${shownDays} of ${dailyEquity.length} days; --json prints all`]
      : []),
  ]
}

/** Money to eight decimals (a satoshi): further digits of a double are rounding errors. */
function plain(value: number | null): string {
  return value === null ? '-' : String(Number(value.toFixed(8)))
}

const shownDays = 14
