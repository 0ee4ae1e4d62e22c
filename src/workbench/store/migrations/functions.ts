/**
 * What migrations need beyond SQL: functions and a table on the connection. Their answers are in stores, so they never change; nothing
 * of the schema mentions them.
 */
import { gzipSync } from 'node:zlib'
import type Database from 'better-sqlite3'
import { configFingerprint } from '../../study/fingerprint.ts'
import { CONFIG_COLUMNS, columnsToConfig } from '../config-columns.ts'
import { settingsFromColumns, settingsToRow } from '../settings-row.ts'

type Value = string | number | null

const DEAL_COLUMNS = [
  'n',
  'opened_ms',
  'closed_ms',
  'exit',
  'safety_orders',
  'quantity',
  'cost',
  'proceeds',
  'profit',
  'price',
]

export function addMigrationFunctions(db: Database.Database): void {
  const options = { deterministic: true, varargs: true } as const
  db.function('dcalab_gzip', options, (text: Value) => (text === null ? null : gzipSync(String(text))))
  // The ten columns of a configuration, in the order of CONFIG_COLUMNS.
  db.function('dcalab_config_fingerprint', options, (...values: Value[]) => {
    const names = Object.values(CONFIG_COLUMNS)
    const row = Object.fromEntries(names.map((name, i) => [name, Number(values[i])])) as ConfigRow // one value per name
    return configFingerprint(columnsToConfig(row))
  })
  // A column of the row of settings that these are: interval, conventions, fee, slippage, symbol rules.
  db.function('dcalab_settings', options, (column: Value, ...values: Value[]) => {
    const [interval, conventions, fee, slippage, symbol] = values
    const row = settingsToRow(
      settingsFromColumns({
        candle_interval: textOrNull(interval),
        conventions_json: textOrNull(conventions),
        fee_percent: numberOrNull(fee),
        slippage_percent: numberOrNull(slippage),
        symbol_json: textOrNull(symbol),
      }),
    )
    return row === null ? null : (Object.entries(row).find(([name]) => name === column)?.[1] ?? null)
  })
  db.table('dcalab_deals', { columns: DEAL_COLUMNS, parameters: ['deals_json'], rows: dealRows })
}

type ConfigRow = Parameters<typeof columnsToConfig>[0]

function textOrNull(value: Value | undefined): string | null {
  return typeof value === 'string' ? value : null
}

function numberOrNull(value: Value | undefined): number | null {
  return typeof value === 'number' ? value : null
}

interface KeptDeal {
  readonly openedAt: string
  readonly closedAt: string
  readonly exit: string
  readonly safetyOrders: number
  readonly quantity: number
  readonly cost: number
  readonly proceeds: number
  readonly profit: number
  readonly price: number
}

function* dealRows(json: unknown) {
  const deals = typeof json === 'string' ? (JSON.parse(json) as readonly KeptDeal[]) : [] // as layouts before wrote them
  for (const [index, deal] of deals.entries()) {
    yield [
      index + 1,
      Date.parse(deal.openedAt),
      Date.parse(deal.closedAt),
      deal.exit,
      deal.safetyOrders,
      deal.quantity,
      deal.cost,
      deal.proceeds,
      deal.profit,
      deal.price,
    ]
  }
}
