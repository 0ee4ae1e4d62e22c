/** Reads the costs and conventions that finished results state. */
import type { StatedSettings } from '../study/settings.ts'
import { parsed } from './results.ts'
import type { Store } from './store.ts'
import { allRows, query, type ResultColumns } from './tables.ts'

/** `results`: those of the given trials on one identity; `latest`: the last result of that identity, of any trial. */
export function readStatedSettings(
  store: Store,
  { identity, fingerprints }: { readonly identity: string; readonly fingerprints: readonly string[] },
): { readonly results: readonly StatedSettings[]; readonly latest: StatedSettings | null } {
  const finished = query
    .selectFrom('outcomes as o')
    .innerJoin('result as r', 'r.job_id', 'o.job_row')
    .select(['o.fingerprint', 'r.conventions_json', 'r.fee_percent', 'r.slippage_percent'])
    .where('o.identity', '=', identity)
    .where('o.state', '=', 'done')
    .orderBy('o.finished_at')
    .orderBy('o.job_row')
  const rows = allRows(store.db, finished)
  const wanted = new Set(fingerprints)
  const last = rows.at(-1)
  return {
    results: rows.filter(({ fingerprint }) => wanted.has(fingerprint)).map(toSettings),
    latest: last === undefined ? null : toSettings(last),
  }
}

type SettingsColumns = Pick<ResultColumns, 'conventions_json' | 'fee_percent' | 'slippage_percent'>

function toSettings({ conventions_json, fee_percent, slippage_percent }: SettingsColumns): StatedSettings {
  return {
    conventions: parsed(conventions_json),
    costs:
      fee_percent === null || slippage_percent === null
        ? null
        : { feePercent: fee_percent, slippagePercent: slippage_percent },
  }
}
