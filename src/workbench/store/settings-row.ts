/** Settings as a row: equal settings are equal texts and numbers, so that SQL can compare them part by part. */

import type { CostsBody } from '../../contract/bodies.ts'
import { hashedConventions } from '../study/fields.ts'
import { settingsFingerprint } from '../study/fingerprint.ts'
import type { Settings } from '../study/settings.ts'

interface SettingsColumns {
  readonly candle_interval: string | null
  readonly conventions_json: string | null
  readonly fee_percent: number | null
  readonly slippage_percent: number | null
  readonly symbol_json: string | null
}

/** The row with its hash; null when no part of the settings is known, which needs no row. */
export function settingsToRow(settings: Settings): (SettingsColumns & { readonly hash: string }) | null {
  const { interval, conventions, costs, symbol } = settings
  if (interval === null && conventions === null && costs === null && symbol === null) return null
  return {
    hash: settingsFingerprint(settings),
    candle_interval: interval,
    conventions_json: conventions === null ? null : sortedJson(hashedConventions(conventions)),
    fee_percent: costs?.feePercent ?? null,
    slippage_percent: costs?.slippagePercent ?? null,
    symbol_json: symbol === null ? null : sortedJson(symbol),
  }
}

export function settingsFromColumns(row: SettingsColumns): Settings {
  return {
    interval: row.candle_interval,
    conventions: recordOf(row.conventions_json),
    costs: costsFromColumns(row),
    symbol: recordOf(row.symbol_json),
  }
}

export function costsFromColumns({
  fee_percent,
  slippage_percent,
}: Pick<SettingsColumns, 'fee_percent' | 'slippage_percent'>): CostsBody | null {
  return fee_percent === null || slippage_percent === null
    ? null
    : { feePercent: fee_percent, slippagePercent: slippage_percent }
}

function recordOf(json: string | null): Readonly<Record<string, unknown>> | null {
  const value: unknown = json === null ? null : JSON.parse(json)
  return typeof value === 'object' ? (value as Readonly<Record<string, unknown>> | null) : null // JSON objects have text keys
}

/** Conventions and symbol rules are flat: names with a text, a number or null. */
function sortedJson(record: Readonly<Record<string, unknown>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))))
}

const PARTS = Object.keys({
  candle_interval: 0,
  conventions_json: 0,
  fee_percent: 0,
  slippage_percent: 0,
  symbol_json: 0,
} satisfies Record<keyof SettingsColumns, 0>)

/** SQL for whether `settings x` agrees with other settings in every part that both know. `other`: SQL for a part of those. */
export function sqlAgree(other: (part: string) => string): string {
  return PARTS.map((part) => `(x.${part} is null or ${other(part)} is null or x.${part} = ${other(part)})`).join(
    '\n        and ',
  )
}

/**
 * SQL for whether two settings agree in every part that both know. Both sides are `settings.id` or null; null and unknown parts match
 * any.
 */
export function sqlMatches(asked: string, found: string): string {
  return `(${asked} is null or ${found} is null or ${asked} = ${found} or exists (
      select 1 from settings x join settings y on ${sqlAgree((part) => `y.${part}`)}
      where ${asked} = x.id and y.id = ${found}))`
}
