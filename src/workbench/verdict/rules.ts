/** The grades: one row per grade, best last; the first whose rule holds is given. */

import type { Evidence } from './evidence.ts'
import { leastLeadOverPlain, type Reason, whyNotJudged } from './reasons.ts'

/** One-sided, 5 %. */
const clearOfChance = 1.65

interface Graded {
  readonly evidence: Evidence
  readonly hard: readonly Reason[]
}

interface GradeRow {
  /** As a headline begins. */
  readonly says: string
  readonly holds: (graded: Graded) => boolean
}

export const GRADES = {
  doNotUse: {
    says: 'Do not use',
    holds: ({ hard }) => hard.length > 0,
  },
  notJudged: {
    says: 'Not judged',
    holds: ({ evidence }) => whyNotJudged(evidence) !== null,
  },
  holdingDidBetter: {
    says: 'Holding did better',
    holds: ({ evidence }) => againstHolding(evidence).t <= -clearOfChance,
  },
  holdingAsGood: {
    says: 'Holding did as well or better',
    holds: ({ evidence }) => againstHolding(evidence).t <= 0,
  },
  noBetterThanPlain: {
    says: 'No better than a plain ladder',
    holds: ({ evidence }) => againstHolding(evidence).plain < leastLeadOverPlain,
  },
  ahead: {
    says: 'Ahead of holding, not beyond chance',
    holds: ({ evidence }) => againstHolding(evidence).t < clearOfChance || !evidence.isCalibrated,
  },
  beat: {
    says: 'Beat holding and a plain ladder',
    holds: () => true,
  },
} as const satisfies Record<string, GradeRow>

export type Grade = keyof typeof GRADES

/** Worst first. */
export const GRADE_NAMES = Object.keys(GRADES) as readonly Grade[] // keys of a const literal

export function gradeOf(graded: Graded): Grade {
  return GRADE_NAMES.find((name) => (GRADES[name] satisfies GradeRow).holds(graded)) ?? 'notJudged'
}

function againstHolding({ stretches }: Evidence): { readonly t: number; readonly plain: number } {
  const against = 'missing' in stretches ? undefined : stretches.value.against
  return { t: against?.excess.t ?? 0, plain: against?.overPlain.t ?? 0 }
}
