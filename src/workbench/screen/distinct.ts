/** Simulates several grid points once when they are the same simulation (`engine/jump/canonical.ts` explains when). */
import { CONFIG_BOUNDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { createKeyIndex, KEY, writeKey } from '../../engine/jump/canonical.ts'
import { boardConfig, createFlight, type Market } from '../../engine/jump/flight.ts'
import { CONFIG_ROW, writeConfigRow } from '../../engine/jump/sweep.ts'

/** The configs of one portion, numbered so that equal configs have the same number. */
export interface DistinctConfigs {
  /** The number of a config, from 0 in order of appearance. */
  numberOf(config: DcaSpotConfig): number
  /** One config per number. */
  readonly configs: readonly DcaSpotConfig[]
  /** The same as rows of a sweep. */
  rows(): Float64Array
  clear(): void
}

/** @param capacity the most configs between two `clear()` */
export function createDistinctConfigs(capacity: number, market: Market): DistinctConfigs {
  const most = CONFIG_BOUNDS.dcaMaxSafetyOrders.max
  const probe = createFlight(market, { configs: 1, rows: most + 1, maxSafetyOrders: most })
  const keys = new Float64Array((capacity + 1) * KEY)
  const row = new Float64Array(CONFIG_ROW)
  const index = createKeyIndex(capacity + 1, KEY)
  // Without a range of start prices, configs that tick and lot might round differently count as different; the sweep itself
  // compares more exactly.
  const sizing = market.conventions.safetyOrderSizing
  const boarded = { flight: probe, slot: 0, rows: row, from: 0, sizing, starts: null }
  let configs: DcaSpotConfig[] = []
  return {
    numberOf,
    get configs() {
      return configs
    },
    rows: () => {
      const rows = new Float64Array(configs.length * CONFIG_ROW)
      configs.forEach((config, at) => {
        writeConfigRow(rows, at, config)
      })
      return rows
    },
    clear: () => {
      index.clear()
      configs = []
    },
  }

  function numberOf(config: DcaSpotConfig): number {
    writeConfigRow(row, 0, config)
    boardConfig(probe, { slot: 0, table: 0, family: 0 }, config, market)
    // When a config is known already, its key is overwritten by the next one.
    const at = configs.length * KEY
    writeKey(keys, at, boarded)
    const number = index.numberOf(keys, at) - 1
    if (number === configs.length) configs.push(config)
    return number
  }
}
