/** Which commands a bot got, as far as its deals show them. */
import { expect, it } from 'vitest'
import type { DcaSpotConfig } from '../../../src/contract/bot.ts'
import { commandsOf, type TradedDeal } from '../../../src/workbench/bots/drift/replay-life.ts'
import { STUDY_BASE } from '../../support/study-base.ts'

const config = STUDY_BASE as unknown as DcaSpotConfig
const deal = (number: number, openedAt: number, closedAt: number | null, exit: TradedDeal['exit']): TradedDeal => ({
  ...{ number, openedAt, closedAt, exit },
  ...{ safetyOrders: 0, fills: [] },
})
const read = (stoppedAt: number | null, ...deals: readonly TradedDeal[]) =>
  commandsOf({ config, from: 0, stoppedAt }, deals).map((command) =>
    command.kind === 'stop' ? `stop ${command.at} ${command.closePosition}` : `${command.kind} ${command.at}`,
  )

it('a bot that was stopped, kept its position and sold it later traded no more in between', () => {
  expect(read(40, deal(1, 10, 20, 'takeProfit'), deal(2, 30, 60, 'close'))).toEqual([
    'start 0',
    'stop 40 false',
    'stop 60 true',
  ])
})

it('a deal after a stop loss that ends the bot shows that it was started again', () => {
  expect(read(null, deal(1, 10, 20, 'stopLoss'), deal(2, 35, null, null))).toEqual(['start 0', 'start 35'])
})

it('a deal after a sale by a stop was begun by a start, and the last stop is the one that is stated', () => {
  expect(read(70, deal(1, 10, 20, 'close'), deal(2, 30, 60, 'takeProfit'))).toEqual([
    'start 0',
    'stop 20 true',
    'start 30',
    'stop 70 false',
  ])
})
