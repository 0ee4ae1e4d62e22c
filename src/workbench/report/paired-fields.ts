/** Which fields the heat matrix pairs, and what it means that a pair of values has no trial. */
import type { ConfigField } from '../../contract/bot.ts'
import type { Facts } from './facts.ts'
import type { Blanks } from './model/document.ts'

/** Six have fifteen pairs: as many as can be told apart at a glance. */
export const MOST_PAIRED = 6

/** The most important fields first; where importance is not known, in the order of the study. */
export function pairedFields({ varied, importance, finished }: Facts): ConfigField[] {
  const fields = varied.filter((field) => new Set(finished.map(({ config }) => config[field])).size > 1)
  if (importance.kind !== 'found') return fields.slice(0, MOST_PAIRED)
  const place = (field: ConfigField) => importance.parameters.findIndex((each) => each.field === field)
  return fields.toSorted((a, b) => place(a) - place(b)).slice(0, MOST_PAIRED)
}

export function blanksOf({ study, failed, pending }: Facts): Blanks {
  if (study.search.method !== 'grid') return 'untried'
  return failed.length + pending.length === 0 ? 'infeasible' : 'either'
}
