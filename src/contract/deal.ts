/** The deals of a result. `Time` is a number (ms UTC) in the engine and ISO 8601 UTC in the bodies of the service. */

import type { Exit } from './bot.ts'

export interface Deal<Time> {
  /** Open time of the candle on which the base order filled. */
  readonly openedAt: Time
  /** Open time of the candle on which the deal closed. */
  readonly closedAt: Time
  readonly exit: Exit
  readonly safetyOrders: number
  /** Base bought and sold. */
  readonly quantity: number
  /** Quote, fees included. */
  readonly cost: number
  /** Quote, net of the selling fee. */
  readonly proceeds: number
  readonly profit: number
  /** Exit fill price. */
  readonly price: number
  /**
   * Its worst open loss, quote: the lowest value of what it held, less the fee of selling it and the cost so far, at the lows of its candles.
   * 0 where it never was below, null where a reply does not state it. The lowest of all deals, the open one included, is `maxFloatingLoss`.
   */
  readonly lowestValue: number | null
}

export interface UnclosedDeal<Time> {
  readonly openedAt: Time
  readonly safetyOrders: number
  readonly quantity: number
  readonly cost: number
  /** At the last close less the fee of selling; no slippage. */
  readonly value: number
  readonly profit: number
  /** So far, as of a closed deal. */
  readonly lowestValue: number | null
}
