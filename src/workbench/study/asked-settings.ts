/**
 * What the file of a study asks for. It reads the file's text, which loads a reader of YAML; so it is no part of `settings.ts`, which every
 * command on a store loads.
 */
import { valueAt } from './path.ts'
import type { AskedSettings, Settings } from './settings.ts'
import { readSourceDocument } from './source-document.ts'
import type { Study } from './study.ts'

export function askedSettings({
  costs,
  conventions,
  interval,
  source,
}: Pick<Study, 'costs' | 'conventions' | 'interval' | 'source'>): AskedSettings {
  const { value } = readSourceDocument(source, 'the study')
  const isNamed = (key: string) => valueAt(value, [key]) !== undefined
  const names = { costs: isNamed('costs'), conventions: isNamed('conventions'), interval: interval !== null }
  return { costs, conventions, interval, names }
}

/** What the file of a study asks for: what it does not name is left to the service. */
export function settingsOf(study: Study): Settings {
  const { costs, conventions, names } = askedSettings(study)
  return {
    interval: study.interval,
    conventions: names.conventions ? { ...conventions } : null,
    costs: names.costs ? costs : null,
    symbol: null,
  }
}
