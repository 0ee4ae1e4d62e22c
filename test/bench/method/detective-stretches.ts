/** The real candles on which sets of conventions and costs are hidden. */

export interface DetectiveStretch {
  readonly name: string
  readonly file: string
  readonly intervalMs: number
  readonly days: number
  /** The symbol has a tick, a lot and a smallest order. */
  readonly hasRules: boolean
}

/** The detective was built on the first three; the others it had not seen when it was finished. */
export const DETECTIVE_STRETCHES: readonly DetectiveStretch[] = [
  {
    name: 'ETH minutes, 90 days of 2025',
    file: 'binance_ETH-USDT_1m_2025-05-20_2025-08-18',
    intervalMs: 60_000,
    days: 90,
    hasRules: true,
  },
  {
    name: 'XVG 5 minutes, 90 days of 2025',
    file: 'binance_XVG-USDT_5m_2025-01_2025-06',
    intervalMs: 300_000,
    days: 90,
    hasRules: false,
  },
  {
    name: 'BTC hours, a year from August 2017',
    file: 'binance_BTC-USDT_1h_2017-08_2024-04',
    intervalMs: 3_600_000,
    days: 365,
    hasRules: true,
  },
  {
    name: 'SOL 5 minutes, 90 days from August 2022, not seen before',
    file: 'binance_SOL-USDT_5m_2022-08_2023-09',
    intervalMs: 300_000,
    days: 90,
    hasRules: true,
  },
  {
    name: 'BTC-PERP minutes, January 2022, not seen before',
    file: 'ftx_BTC-PERP_1m_2021-12-31_2022-02-01',
    intervalMs: 60_000,
    days: 31,
    hasRules: false,
  },
]
