/** Under which conventions and costs a bot's backtest is computed: the best that is known of what its service trades by. */
import { CONVENTION_PRESETS, type Conventions, type Costs, DEFAULT_COSTS } from '../../../engine/conventions.ts'
import { readStatedConventions } from '../../../engine/read-conventions.ts'
import { isCostPercent } from '../../../engine/read-settings.ts'
import type { PnlReading } from '../../api/reading/readings.ts'
import type { AssumedTerms } from '../../search/calibration/hypotheses.ts'
import { findCalibration } from '../../store/calibrations.ts'
import type { TrialRecord } from '../../store/records.ts'
import { readStatedSettings } from '../../store/settings.ts'
import type { Store } from '../../store/store.ts'
import { changesBetween } from './explain-life.ts'

const TERM_SOURCES = ['given', 'bot', 'calibration', 'trial', 'results', 'assumed'] as const
/** Given by flags · what the service says of this bot · of `service calibrate` · of the promoted trial’s result · of its latest result · nothing known. */
type TermSource = (typeof TERM_SOURCES)[number]

export interface DriftTerms extends AssumedTerms {
  readonly source: TermSource
}

export interface GivenTerms {
  readonly conventions?: Conventions
  readonly feePercent?: number
  readonly slippagePercent?: number
}

/** What is given replaces a part of what is known. */
export function chooseTerms(
  store: Store,
  about: {
    readonly identity: string
    readonly pnl: Pick<PnlReading, 'terms'> | null
    readonly trial: Pick<TrialRecord, 'conventions' | 'costs'> | null
  },
  { conventions, ...costs }: GivenTerms,
): DriftTerms {
  const known = findTerms(store, about)
  const isGiven = conventions !== undefined || Object.keys(costs).length > 0
  return {
    conventions: conventions ?? known.conventions,
    costs: { ...known.costs, ...costs },
    source: isGiven ? 'given' : known.source,
  }
}

/** What a bot was promoted on, where its service states other terms of it. */
export function promotedOtherwise(
  pnl: Pick<PnlReading, 'terms'> | null,
  trial: Pick<TrialRecord, 'conventions' | 'costs'> | null,
): { readonly terms: DriftTerms; readonly text: string } | null {
  const [stated, promoted] = [readTermsOf(pnl?.terms), readTermsOf(trial)]
  if (stated === undefined || promoted === undefined) return null
  const changes = Object.entries(changesBetween(promoted, stated))
  if (changes.length === 0) return null
  const before = Object.entries(changesBetween(stated, promoted)).map(([name, value]) => `${name}: ${value}`)
  const after = changes.map(([name, value]) => `${name}: ${value}`)
  const text = `it was promoted with ${before.join(', ')}; the service states ${after.join(', ')}`
  return { terms: { ...promoted, source: 'trial' }, text }
}

function findTerms(store: Store, { identity, pnl, trial }: Parameters<typeof chooseTerms>[1]): DriftTerms {
  const candidates: readonly (readonly [TermSource, () => StatedTerms | null | undefined])[] = [
    ['bot', () => pnl?.terms],
    ['calibration', () => findCalibration(store, identity)],
    ['trial', () => trial],
    ['results', () => readStatedSettings(store, { identity, fingerprints: [], settings: null }).latest],
  ]
  for (const [source, find] of candidates) {
    const terms = readTermsOf(find())
    if (terms !== undefined) return { ...terms, source }
  }
  return { conventions: CONVENTION_PRESETS.default, costs: DEFAULT_COSTS, source: 'assumed' }
}

interface StatedTerms {
  readonly conventions: Readonly<Record<string, unknown>> | null
  readonly costs: Costs | null
}

function readTermsOf(stated: StatedTerms | null | undefined): AssumedTerms | undefined {
  const { conventions = null, costs = null } = stated ?? {}
  if (conventions === null || costs === null) return undefined
  if (!isCostPercent(costs.feePercent) || !isCostPercent(costs.slippagePercent)) return undefined
  const read = readStatedConventions((name) => (Object.hasOwn(conventions, name) ? conventions[name] : undefined))
  return 'conventions' in read ? { conventions: read.conventions, costs } : undefined
}
