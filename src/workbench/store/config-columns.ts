/** Configurations as rows of the store: one column per field. */
import { CONFIG, CONFIG_FIELDS, type ConfigField, type DcaSpotConfig, forEachField } from '../../contract/bot.ts'

export const CONFIG_COLUMNS = forEachField((field) => CONFIG[field].column)

type ConfigColumns = { readonly [Field in ConfigField as (typeof CONFIG)[Field]['column']]: number }

export function configToColumns(config: DcaSpotConfig): ConfigColumns {
  const columns = CONFIG_FIELDS.map((field) => [CONFIG_COLUMNS[field], config[field]])
  return Object.fromEntries(columns) // one entry per field
}

export function columnsToConfig(row: ConfigColumns): DcaSpotConfig {
  return forEachField((field) => row[CONFIG_COLUMNS[field]])
}
