/** Conventions as a study file says them. */
import { CONVENTION_PRESETS, type Conventions, PRESET_NAMES } from '../../engine/conventions.ts'

/** A preset and what differs from it; the preset from which least differs, `default` first. */
export function spellConventions(conventions: Conventions): Readonly<Record<string, string | number>> {
  const spelt = PRESET_NAMES.map((preset) => {
    const usual: Readonly<Record<string, unknown>> = CONVENTION_PRESETS[preset]
    const differing = Object.entries(conventions).flatMap(([name, value]) =>
      value === null || value === usual[name] ? [] : [[name, value] as const],
    )
    return { preset, ...Object.fromEntries(differing) }
  })
  return spelt.reduce((one, other) => (Object.keys(other).length < Object.keys(one).length ? other : one))
}
