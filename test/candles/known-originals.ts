/** What the originals of other programs are known to hold. */
import type { FileOptions } from '../../src/candles/import.ts'

interface Known {
  readonly file: string
  readonly market: string
  readonly interval: string
  readonly rows: number
  readonly missing: number
  /** Given on the command line because nothing in the file tells it. */
  readonly stated?: FileOptions
}

export const KNOWN: readonly Known[] = [
  {
    file: 'binancevision_spot_noheader_ADABTC-1m-2021-11-27.csv',
    market: 'binance/ADA-BTC',
    interval: '1m',
    rows: 10,
    missing: 0,
  },
  {
    file: 'binancevision_spot_header_BTCUSDT-1h-2023-03.csv',
    market: 'binance/BTC-USDT',
    interval: '1h',
    rows: 743,
    missing: 1,
  },
  {
    file: 'binancevision_spot_ms_BTCUSDT-1h-2024-12.csv',
    market: 'binance/BTC-USDT',
    interval: '1h',
    rows: 744,
    missing: 0,
  },
  {
    file: 'binancevision_spot_us_BTCUSDT-1h-2025-01.csv',
    market: 'binance/BTC-USDT',
    interval: '1h',
    rows: 744,
    missing: 0,
  },
  {
    file: 'binancevision_usdm_header_BTCUSDT-5m-2025-10.csv',
    market: 'binance_usdm/BTC-USDT',
    interval: '5m',
    rows: 8928,
    missing: 0,
  },
  {
    file: 'freqtrade_BTC_USDT-5m.json',
    market: 'binance/BTC-USDT',
    interval: '5m',
    rows: 8583,
    missing: 56,
    stated: { market: 'binance/BTC-USDT' },
  },
  {
    file: 'freqtrade_UNITTEST_BTC-5m.feather',
    market: 'test/UNITTEST-BTC',
    interval: '5m',
    rows: 5760,
    missing: 0,
    stated: { market: 'test/UNITTEST-BTC' },
  },
  {
    file: 'cryptodatadownload_Binance_BTCUSDT_d.csv',
    market: 'binance/BTC-USDT',
    interval: '1d',
    rows: 1232,
    missing: 0,
  },
  {
    file: 'lean_binance_btcbusd_20221213_trade.zip',
    market: 'binance/BTC-BUSD',
    interval: '1m',
    rows: 1440,
    missing: 0,
  },
  {
    file: 'lean_coinbase_btcusd_20180404_trade.zip',
    market: 'coinbase/BTC-USD',
    interval: '1m',
    rows: 1007,
    missing: 1,
  },
  { file: 'lean_binance_hour_btcusdt_trade.zip', market: 'binance/BTC-USDT', interval: '1h', rows: 120, missing: 0 },
  {
    file: 'isocsv_offset_ETHUSDT_1m.csv',
    market: 'binance/ETH-USDT',
    interval: '1m',
    rows: 2364,
    missing: 1008,
    stated: { market: 'binance/ETH-USDT' },
  },
  {
    file: 'isocsv_utc_DOTUSDT_15m.csv',
    market: 'binance/DOT-USDT',
    interval: '15m',
    rows: 2880,
    missing: 0,
    stated: { market: 'binance/DOT-USDT' },
  },
]
