/** The names of a column that the table's filter accepts: as in study files, as in SQL, as on the page, and short ones. */
import type { ConfigField } from '../../contract/bot.ts'
import { METRICS, type MetricName } from '../../contract/metrics.ts'

const SHORT: Partial<Readonly<Record<MetricName, readonly string[]>>> = {
  netProfit: ['profit'],
  maxDrawdownPercent: ['drawdown'],
  maxDrawdownLowPercent: ['drawdownAtLows', 'drawdownLow'],
  closedDeals: ['deals'],
}

/** `netprofit profit`: lower case, letters and digits only, the name of the study file first. */
export function metricSpellings(name: MetricName): string[] {
  const { title, column } = METRICS[name]
  return distinct([name, name.replace(/Percent$/, ''), column, title, ...(SHORT[name] ?? [])])
}

/** `dcaMaxSafetyOrders` also without its `dca`. */
export function fieldSpellings(field: ConfigField): string[] {
  return distinct([field, field.replace(/^dca/, '')])
}

/** `Max_Drawdown` and `maxDrawdown` are one name. The page's script treats what is typed in the same way. */
function distinct(names: readonly string[]): string[] {
  return [...new Set(names.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, '')))]
}
