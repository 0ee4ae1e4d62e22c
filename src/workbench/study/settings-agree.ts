/** When two settings are the same as far as both are known. */
import { settingsFingerprint } from './fingerprint.ts'
import { NOTHING_KNOWN, type Settings } from './settings.ts'

const PARTS = Object.keys(NOTHING_KNOWN) as readonly (keyof Settings)[] // keys of a literal

/** Whether two settings agree in every part that both know. */
export function settingsAgree(a: Settings, b: Settings): boolean {
  return PARTS.every((part) => {
    const [x, y] = [a[part], b[part]]
    return (
      x === null ||
      y === null ||
      settingsFingerprint({ ...NOTHING_KNOWN, [part]: x }) === settingsFingerprint({ ...NOTHING_KNOWN, [part]: y })
    )
  })
}
