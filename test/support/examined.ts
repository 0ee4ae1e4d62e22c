/** What `dcalab examine --json` says, and whether it says of everything that it refuses why. */
import type { CheckName, Checks } from '../../src/workbench/analysis/certainty/checks.ts'

export interface ExaminedJson {
  readonly study: string | null
  readonly trial: string
  readonly market: string
  readonly candlesHash: string
  readonly examinedAt: string
  readonly checks: Checks & Readonly<Partial<Record<`${CheckName}Reason`, string>>>
  readonly verdict: { readonly grade: string; readonly headline: string; readonly sentence: string } | null
}

/** Numbers inside a check that may be refused by themselves, and where the reason stands. */
const PARTS: Readonly<Record<string, readonly (readonly [number: string, reason: string])[]>> = {
  ambiguity: [['rankPessimistic', 'rankReason']],
  walkForward: [['value', 'valueReason']],
  capital: [['profitFollowsCapital', 'reason']],
  noise: [['lead', 'leadReason']],
  overfitting: [
    ['psr', 'psrReason'],
    ['dsr', 'dsrReason'],
    ['pbo', 'pboReason'],
  ],
}

/** Every number that is null without a reason, and every reason beside a number; empty where all is said. */
export function unexplained({ checks }: ExaminedJson): readonly string[] {
  const names = Object.keys(checks).filter((name) => !name.endsWith('Reason'))
  return names.flatMap((name) => {
    const check: unknown = Reflect.get(checks, name)
    const own = isSaid(check, Reflect.get(checks, `${name}Reason`)) ? [] : [name]
    if (check === null) return own
    const parts = (PARTS[name] ?? []).filter(
      ([number, reason]) => !isSaid(Reflect.get(Object(check), number), Reflect.get(Object(check), reason)),
    )
    return [...own, ...parts.map(([number]) => `${name}.${number}`)]
  })
}

function isSaid(value: unknown, reason: unknown): boolean {
  const isRefused = value === null || value === undefined
  return isRefused ? typeof reason === 'string' && reason.length > 0 : reason === null || reason === undefined
}
