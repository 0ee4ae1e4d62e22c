/** What finished results state of the costs and conventions they were computed with. */
import type { StatedSettings } from '../study/settings.ts'
import { parsed } from './results.ts'
import type { Store } from './store.ts'
import { prepared } from './tables.ts'

interface SettingsRow {
  readonly fingerprint: string
  readonly conventions_json: string | null
  readonly fee_percent: number | null
  readonly slippage_percent: number | null
}

/** `results`: those of the given trials on one identity; `latest`: the last one of that identity, whatever trial it is of. */
export function readStatedSettings(
  store: Store,
  { identity, fingerprints }: { readonly identity: string; readonly fingerprints: readonly string[] },
): { readonly results: readonly StatedSettings[]; readonly latest: StatedSettings | null } {
  const rows = prepared<[string], SettingsRow>(
    store.db,
    `select o.fingerprint, r.conventions_json, r.fee_percent, r.slippage_percent
     from outcomes o join result r on r.job_id = o.job_row
     where o.identity = ? and o.state = 'done' order by o.finished_at, o.job_row`,
  ).all(identity)
  const wanted = new Set(fingerprints)
  const last = rows.at(-1)
  return {
    results: rows.filter(({ fingerprint }) => wanted.has(fingerprint)).map(toSettings),
    latest: last === undefined ? null : toSettings(last),
  }
}

function toSettings({ conventions_json, fee_percent, slippage_percent }: SettingsRow): StatedSettings {
  return {
    conventions: parsed(conventions_json),
    costs:
      fee_percent === null || slippage_percent === null
        ? null
        : { feePercent: fee_percent, slippagePercent: slippage_percent },
  }
}
