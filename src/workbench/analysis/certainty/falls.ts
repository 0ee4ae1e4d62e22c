/**
 * What a ladder does when the price falls steadily after its base order: the question of a deal's worst case, asked of the engine itself on made-up
 * candles. Each candle falls by one percent of the start price from its open, which is its high, to its close, which is its low; the next opens there.
 * Walked high first, such candles are one falling line: no gap jumps over a stop, no path inside a candle is a guess.
 */
import { backtest } from '../../../engine/backtest.ts'
import type { Candles } from '../../../engine/candles.ts'
import type { BacktestInput, ClosedDeal, OpenDeal } from '../../../engine/deal.ts'

const DROPS_PERCENT = [20, 40, 60] as const

interface Fall {
  /** Of the price from `startPrice`, at which the base order was bought (slippage on top). */
  readonly dropPercent: (typeof DROPS_PERCENT)[number]
  /** Quote that the deal has cost by then, fees included; where the stop closed it, what it had cost when it was sold. 0 where not even the base order fits. */
  readonly tied: number
  /** Quote, above 0 for a loss: cost less what a sale at this price brings after its fee; where the stop closed the deal, the loss it made. */
  readonly loss: number
  /**
   * By how many percent the price has to rise from here until a sale of everything pays the cost with fees: 100 · (cost / value after the fee − 1),
   * wherever the take profit lies. Null where nothing is held: the stop closed the deal, or there was none.
   */
  readonly breakEvenRisePercent: number | null
  readonly rungsFilled: number
  /** The stop has closed the deal on the way. Without it a bot would open its next deal, which is not part of the answer. */
  readonly stopped: boolean
}

/** One row per drop of 20, 40 and 60 %. Takes a valid config and resolved conventions; `startPrice` in quote, above 0. */
export function fallAfterBaseOrder({
  startPrice,
  ...terms
}: Omit<BacktestInput, 'candles'> & { readonly startPrice: number }): readonly Fall[] {
  const conventions = { ...terms.conventions, intrabar: 'high-first', afterStopLoss: 'stop' } as const
  return DROPS_PERCENT.map((dropPercent) => {
    const candles = fallingCandles(startPrice, dropPercent)
    const { deals, openDeal } = backtest({ ...terms, conventions, candles })
    return { dropPercent, ...describeDeal(openDeal ?? deals.at(0)) }
  })
}

function describeDeal(deal: OpenDeal | ClosedDeal | undefined): Omit<Fall, 'dropPercent'> {
  if (deal === undefined) return { tied: 0, loss: 0, breakEvenRisePercent: null, rungsFilled: 0, stopped: false }
  const stopped = 'exit' in deal
  return {
    tied: deal.cost,
    loss: -deal.profit,
    breakEvenRisePercent: stopped ? null : 100 * (deal.cost / deal.value - 1),
    rungsFilled: deal.safetyOrders,
    stopped,
  }
}

/** One candle per percent of the start price; the last close is `dropPercent` below it. */
function fallingCandles(startPrice: number, dropPercent: number): Candles {
  const intervalMs = 60_000
  const priceAfter = (percent: number) => startPrice * (1 - percent / 100)
  const rows = Float64Array.from({ length: dropPercent }, (_, row) => row)
  const [open, close] = [rows.map(priceAfter), rows.map((percent) => priceAfter(percent + 1))]
  return { intervalMs, openTime: rows.map((at) => at * intervalMs), open, high: open, low: close, close, volume: rows }
}
