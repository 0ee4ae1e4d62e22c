/** What the inspector shows at one moment: a trial, and what becomes of it under the changes that are set. */
import type { DcaSpotConfig } from '../../../../contract/bot.ts'
import type { Candles } from '../../../../engine/candles.ts'
import { formatAmount } from '../../format.ts'
import type { EquitySeries } from '../../model/blocks.ts'
import type { PageTerms } from '../../model/document.ts'
import { compareHere, whyNoChange, whyNotHere } from '../../model/local-gate.ts'
import { runTrial, type TracedDeal, type TrialRun } from '../../model/run-trial.ts'
import { type ConfigFindings, findConfigProblems, refusalInWords } from '../../model/what-if.ts'
import type { SectionView } from '../section-view.ts'

export interface Exhibit {
  readonly sectionView: SectionView
  readonly trial: number
  readonly terms: PageTerms
  readonly stored: DcaSpotConfig
  /** With the changes. */
  readonly config: DcaSpotConfig
  readonly isChanged: boolean
  /** The reader is still moving a slider or typing: nothing of it is kept yet, and its run has no equity. */
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

// From the view's state to what the inspector shows: runs the engine, at most twice a trial, and only where something changed.

type ConfigChange = Readonly<Partial<DcaSpotConfig>>

interface Exhibits {
  /** Shows the trial that is open with the changes that are kept. */
  readonly present: () => void
  /** Shows a change while the reader makes it; of several within one frame, the last. */
  readonly attempt: (change: ConfigChange) => void
  /** The drawer is closed: nothing is shown any more. */
  readonly leave: () => void
}

interface Shows {
  readonly quick: (exhibit: Exhibit) => void
  readonly full: (exhibit: Exhibit) => Promise<void>
}

/** What the page holds, decoded. */
interface Held {
  readonly candles: Candles | null
  readonly equity: readonly EquitySeries[] | null
}

export function prepareExhibits(sectionView: SectionView, { quick, full }: Shows): Exhibits {
  let held: Held | undefined
  let stored: { readonly trial: number; readonly run: TrialRun | null } | undefined
  let chosen: { readonly trial: number; readonly deal: number } | undefined
  let attempted: ConfigChange | undefined
  const makeExhibit = (
    trial: number,
    { change, isDraft }: { readonly change: ConfigChange; readonly isDraft: boolean },
    { candles, equity }: Held,
  ): Exhibit => {
    const { table } = sectionView
    const terms = table.terms(trial)
    const of = table.config(trial)
    const config = { ...of, ...change }
    const findings = findConfigProblems(config, terms)
    const isChanged = Object.keys(change).length > 0
    const { candles: carried } = sectionView.section
    const whyNot = isChanged ? whyNoChange(carried) : whyNotHere(carried, trial)
    const runOf = (each: DcaSpotConfig, why: string | null, isBrief = false) =>
      candles === null || why !== null || findConfigProblems(each, terms).refused.size > 0
        ? null
        : runTrial({ candles, terms, config: each, isBrief })
    if (stored?.trial !== trial) stored = { trial, run: runOf(of, whyNotHere(carried, trial)) }
    const run = isChanged ? runOf(config, whyNot, isDraft) : stored.run
    if (isChanged && run !== null) remember(sectionView, { trial, config, isKept: !isDraft })
    return {
      sectionView,
      trial,
      terms,
      stored: of,
      config,
      isChanged,
      isDraft,
      label: labelOf(sectionView, trial, stored.run),
      findings,
      candles,
      storedRun: stored.run,
      run,
      whyNotRun: run === null ? (whyNot ?? refusalInWords(findings)) : null,
      days: equity?.[trial] ?? null,
      deal:
        run === null || candles === null
          ? null
          : dealOf(run, candles, chosen?.trial === trial ? chosen.deal : undefined),
      chooseDeal(deal) {
        chosen = { trial, deal }
        present()
      },
    }
  }
  const present = (): void => {
    attempted = undefined
    if (held === undefined) {
      void decode(sectionView).then((decoded) => {
        held = decoded
        present()
      })
      return
    }
    const trial = sectionView.opened()
    if (trial !== null) void full(makeExhibit(trial, { change: sectionView.state().change, isDraft: false }, held))
  }
  return {
    present,
    attempt(change) {
      const isFirst = attempted === undefined
      attempted = change
      if (isFirst) requestAnimationFrame(showAttempt)
    },
    leave() {
      attempted = undefined
      stored = undefined
    },
  }
  function showAttempt(): void {
    const trial = sectionView.opened()
    if (attempted === undefined || trial === null || held === undefined) return
    const change = attempted
    attempted = undefined
    quick(makeExhibit(trial, { change, isDraft: true }, held))
  }
}

/** Whoever sees the numbers of a configuration has tried it. */
function remember(
  { tried: { shown, kept } }: SectionView,
  { trial, config, isKept }: { readonly trial: number; readonly config: DcaSpotConfig; readonly isKept: boolean },
): void {
  shown.add(JSON.stringify(config))
  if (isKept) kept.set(trial, [...(kept.get(trial) ?? []), config])
}

async function decode(sectionView: SectionView): Promise<Held> {
  const [candles, equity] = await Promise.all([sectionView.candles(), sectionView.equity()])
  return { candles, equity }
}

/** The chosen deal, or the longest. */
function dealOf({ traced }: TrialRun, { openTime }: Candles, chosen: number | undefined): number | null {
  if (chosen !== undefined && chosen < traced.length) return chosen
  return longestDeal(traced, openTime.at(-1) ?? 0) ?? null
}

/** Where the base order of the longest deal filled; undefined without a deal. */
function longestDeal(deals: readonly TracedDeal[], end: number): number | undefined {
  const lengths = deals.map(({ openedAt, closedAt }) => (closedAt ?? end) - openedAt)
  return lengths.length === 0 ? undefined : lengths.indexOf(Math.max(...lengths))
}

/** How far the page is from the service, to stand beside a what-if. */
function labelOf({ table, section }: SectionView, trial: number, run: TrialRun | null): string {
  if (run === null) return ''
  const stored = table.number(trial, 'netProfit')
  const { netProfit, closedDeals, volume } = run.metrics
  const investment = table.config(trial).investment
  const localRuns = compareHere(
    { netProfit: stored, closedDeals: table.number(trial, 'closedDeals') },
    { netProfit, closedDeals, volume },
    { quote: section.quote, investment },
  )
  if (localRuns.isExact) return ''
  const gap = stored === null ? 'an unknown amount' : formatAmount(Math.abs(netProfit - stored), section.quote)
  return `the page differs from the service by ${gap} on the trial itself`
}
