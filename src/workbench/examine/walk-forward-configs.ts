/** The configurations that a walk-forward test compares, each once and in an order of their own, so that the order given changes no bit. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../contract/bot.ts'
import { planPortions } from '../screen/portions.ts'
import { configFingerprint } from '../study/fingerprint.ts'
import type { Study } from '../study/study.ts'

export interface ComparedConfig {
  readonly fingerprint: string
  readonly config: DcaSpotConfig
}

/** Neighbours are configurations that share deals in a sweep. Of those with one name (they differ where it has no effect) the one with lower values. */
export function orderConfigs(study: Study, configs: readonly DcaSpotConfig[]): readonly ComparedConfig[] {
  const fields = [...planPortions(study, 0).order.map(({ field }) => field), ...CONFIG_FIELDS]
  const byValues = (one: ComparedConfig, other: ComparedConfig) =>
    fields.reduce((order, field) => order || one.config[field] - other.config[field], 0)
  const byName = new Map<string, ComparedConfig>()
  for (const named of configs.map((config) => ({ fingerprint: configFingerprint(config), config })).toSorted(byValues))
    if (!byName.has(named.fingerprint)) byName.set(named.fingerprint, named)
  return [...byName.values()]
}
