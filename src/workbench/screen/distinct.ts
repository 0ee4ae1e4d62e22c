/** Simulates several grid points once when they are the same simulation (`engine/jump/canonical.ts` explains when). */
import { CONFIG_BOUNDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { createKeyIndex, KEY, writeKey } from '../../engine/jump/canonical.ts'
import { boardConfig, createFlight, type Market } from '../../engine/jump/flight.ts'
import type { PreparedCandles } from '../../engine/jump/prepared.ts'
import { CONFIG_ROW, rangeOfStarts, writeConfigRow } from '../../engine/jump/sweep.ts'

/** The configs of one portion, numbered so that equal configs have the same number. */
export interface DistinctConfigs {
  /** The number of a config, from 0 in order of appearance. */
  numberOf(config: DcaSpotConfig): number
  /** One config per number. */
  readonly configs: readonly DcaSpotConfig[]
  /** The same as rows of a sweep; valid until the next `clear`. */
  rows(): Float64Array
  clear(): void
}

/**
 * @param capacity the most configs between two `clear()`
 * @param prepared the candles they are simulated on: from their prices follows which ladders tick and lot leave alike. Without them, configs that tick
 * and lot might round differently count as different, and their ladders are not looked at, which saves a tenth of a screen: a sweep compares again
 */
export function createDistinctConfigs(
  capacity: number,
  market: Market,
  prepared: PreparedCandles | null,
): DistinctConfigs {
  const most = CONFIG_BOUNDS.dcaMaxSafetyOrders.max
  const probe = createFlight(market, { configs: 1, rows: most + 1, maxSafetyOrders: most })
  const keys = new Float64Array((capacity + 1) * KEY)
  // When a config is known already, its key and its row are overwritten by the next ones.
  const rows = new Float64Array((capacity + 1) * CONFIG_ROW)
  const index = createKeyIndex(capacity + 1, KEY)
  const place = { slot: 0, table: 0, family: 0 }
  const sizing = market.conventions.safetyOrderSizing
  const starts = prepared === null ? null : rangeOfStarts(prepared, market)
  const boarded = { flight: probe, slot: 0, rows, from: 0, sizing, starts }
  let configs: DcaSpotConfig[] = []
  return {
    numberOf,
    get configs() {
      return configs
    },
    rows: () => rows.subarray(0, configs.length * CONFIG_ROW),
    clear: () => {
      index.clear()
      configs = []
    },
  }

  function numberOf(config: DcaSpotConfig): number {
    const at = configs.length * KEY
    boarded.from = configs.length * CONFIG_ROW
    writeConfigRow(rows, configs.length, config)
    if (starts !== null || !probe.levelsPerDeal) boardConfig(probe, place, config, market)
    writeKey(keys, at, boarded)
    const number = index.numberOf(keys, at) - 1
    if (number === configs.length) configs.push(config)
    return number
  }
}
