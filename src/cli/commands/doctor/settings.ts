/** The settings in force, with keys shown only as set or unset. */
import type { Settings } from '../../settings.ts'

export interface ShownSetting {
  readonly name: string
  readonly value: string
}

/** `paths`: with the flags applied. */
export function describeSettings(
  settings: Settings,
  paths: { readonly store: string; readonly candlesFolder: string },
): ShownSetting[] {
  const isSet = (value: unknown) => (value === undefined ? 'unset' : 'set')
  const embedded = settings.baseUrl === undefined
  return [
    { name: 'service', value: settings.baseUrl ?? 'embedded: started in this process' },
    { name: 'keys', value: embedded ? 'issued at each start' : isSet(settings.keys) },
    { name: 'trading keys', value: isSet(settings.tradeKeys) },
    { name: 'owner', value: settings.userEmail ?? (embedded ? 'the embedded service’s researcher' : 'unset') },
    { name: 'result store', value: paths.store },
    { name: 'service store', value: settings.serviceStore },
    { name: 'candle folder', value: paths.candlesFolder },
    { name: 'dialect', value: settings.dialect ?? 'built in' },
    { name: 'locks', value: settings.stateFolder ?? 'beside the store' },
  ]
}
