/** Nothing is timed that decides otherwise. */
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import type { Candles } from '../../src/engine/candles.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import type { PreparedCandles } from '../../src/engine/jump/prepared.ts'
import { createSweep } from '../../src/engine/jump/sweep.ts'
import { runReference } from '../../src/engine/reference.ts'
import type { Baselines, Market } from './c-baselines.ts'
import { rowsOf } from './configs.ts'

/** All that are timed decide alike, or nothing is timed. Returns the mean events (fills and exits) per config. */
export function checkDecisions(
  candles: Candles,
  prepared: PreparedCandles,
  configs: readonly DcaSpotConfig[],
  { market, baselines }: { readonly market: Market; readonly baselines: Baselines | undefined },
): { events: number } {
  const caseFile = baselines?.writeCase(candles, configs, market)
  const plain = caseFile === undefined ? undefined : baselines?.run('plain', caseFile).decisions
  const lean = caseFile === undefined ? undefined : baselines?.run('lean', caseFile).decisions
  const wide = caseFile === undefined ? undefined : baselines?.run('wide', caseFile).decisions
  const sweep = createSweep(prepared, { ...market, want: 'profit' }).run(rowsOf(configs))
  let events = 0
  configs.forEach((config, index) => {
    const { metrics, deals } = runJump({ candles, config, ...market }, prepared)
    const fills = deals.reduce((sum, { safetyOrders }) => sum + safetyOrders, 0)
    events += metrics.orders - deals.length
    const facts = [deals.length, metrics.stopLosses, fills, metrics.ambiguousCandles, metrics.unaffordableOrders]
    if (index < 10) {
      const other = runReference({ candles, config, ...market })
      agree(
        'reference',
        JSON.stringify(deals.map(({ closedAt, safetyOrders }) => [closedAt, safetyOrders])),
        JSON.stringify(other.deals.map(({ closedAt, safetyOrders }) => [closedAt, safetyOrders])),
      )
    }
    for (const [who, decisions] of [
      ['plain C', plain],
      ['lean C', lean],
      ['vectorised C', wide],
    ] as const) {
      if (decisions === undefined) continue
      const { deals: closed, stops, fills: filled, ambiguous, unaffordable } = decisions[index]
      agree(who, String(facts), String([closed, stops, filled, ambiguous, unaffordable]))
    }
    agree(
      'sweep',
      String([deals.length, metrics.stopLosses]),
      String([sweep.closedDeals[index], sweep.stopLosses[index]]),
    )
  })
  return { events: events / configs.length }
}

function agree(who: string, expected: string, found: string): void {
  if (expected !== found) throw new Error(`${who} decides otherwise: ${found}, not ${expected}`)
}
