/** What the inspector shows at one moment: a trial, and what becomes of it under the changes that are set. */
import type { DcaSpotConfig } from '../../../../contract/bot.ts'
import type { Candles } from '../../../../engine/candles.ts'
import type { PageTerms } from '../../model/document.ts'
import type { EquitySeries } from '../../model/equity-block.ts'
import type { TrialRun } from '../../model/run-trial.ts'
import type { ConfigFindings } from '../../model/what-if.ts'
import type { Desk } from '../desk.ts'

export interface Exhibit {
  readonly desk: Desk
  readonly trial: number
  readonly terms: PageTerms
  readonly stored: DcaSpotConfig
  /** With the changes. */
  readonly config: DcaSpotConfig
  readonly isChanged: boolean
  /** The reader is still moving a slider or typing: nothing of it is kept yet. */
  readonly isDraft: boolean
  /** By how much the page differs from the service, which a what-if then differs by too; empty where it does not. */
  readonly label: string
  readonly findings: ConfigFindings
  /** Those that the page has, thinned ones too (`section.candles.kind`); null = it has none. */
  readonly candles: Candles | null
  /** Of the stored configuration, and of the changed one (the same where nothing is); null = not computed: no candles, or refused. */
  readonly storedRun: TrialRun | null
  readonly run: TrialRun | null
  /** Why there is no `run`, as it stands after "No deals: "; null = there is one. */
  readonly whyNotRun: string | null
  /** Days as the service stated them. */
  readonly days: EquitySeries | null
  /** Place of the chosen deal in `run.traced`; null = there is none. */
  readonly deal: number | null
  readonly chooseDeal: (deal: number) => void
}

/** A piece of the drawer, made once and shown again for every trial. */
export interface ExhibitPart {
  readonly element: HTMLElement
  readonly show: (exhibit: Exhibit) => void | Promise<void>
}
