/** When two settings are the same as far as both are known. */
import { settingsFingerprint } from './fingerprint.ts'
import type { Settings } from './settings.ts'

/** Whether two settings agree in every part that both know. */
export function settingsAgree(a: Settings, b: Settings): boolean {
  return PARTS.every((part) => {
    const [x, y] = [a[part], b[part]]
    return (
      x === null ||
      y === null ||
      settingsFingerprint({ ...nothing, [part]: x }) === settingsFingerprint({ ...nothing, [part]: y })
    )
  })
}

const nothing: Settings = { interval: null, conventions: null, costs: null, symbol: null }
const PARTS = Object.keys(nothing) as readonly (keyof Settings)[] // keys of a literal
