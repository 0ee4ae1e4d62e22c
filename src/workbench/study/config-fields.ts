/** The fields of a DCA_SPOT configuration as a study uses them. It loads no schema: fingerprints and the store rest on it. */
import { CONFIG_FIELDS, type ConfigField } from '../../contract/bot.ts'

/** `make` for every config field, in their order. */
export function forEachField<T>(make: (field: ConfigField) => T): Record<ConfigField, T> {
  return Object.fromEntries(CONFIG_FIELDS.map((field) => [field, make(field)])) as Record<ConfigField, T> // one entry per field
}

/** The value of a field that neither base nor grid names; the other fields have no default. */
export const CONFIG_DEFAULTS: Readonly<Partial<Record<ConfigField, number>>> = { leverage: 1, stopLoss: 0 }
