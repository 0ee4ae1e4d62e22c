/**
 * A view: one section of the page at work. Its parts (scatter, heat map, table, inspector …) read its state and its selection and ask it to change
 * them; none owns them, so that all of them always show the same.
 */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { Candles } from '../../../engine/candles.ts'
import { type PreparedCandles, prepareCandles } from '../../../engine/jump/prepared.ts'
import { workbenchOf } from '../../../engine/jump/workbench.ts'
import { type EquitySeries, unpackCandles, unpackEquity, unpackTrials } from '../model/blocks.ts'
import type { PageSection } from '../model/document.ts'
import { type Selection, select } from '../model/filter.ts'
import { createTrialTable, type TrialTable } from '../model/trial-table.ts'
import { MOST_PINS, type ViewState } from '../model/view-state.ts'

export interface SectionView {
  readonly section: PageSection
  readonly table: TrialTable
  readonly state: () => ViewState
  readonly set: (change: Partial<ViewState>) => void
  /** What the filter selects. */
  readonly selection: () => Selection
  /** The trial that is open, by its place in the table. */
  readonly opened: () => number | null
  readonly open: (trial: number | null) => void
  /** Keeps a trial to be compared, or no longer; of too many the oldest goes. */
  readonly pin: (trial: number, isPinned: boolean) => void
  /** Configurations whose numbers were shown and that are no trials; those that were set, not only passed, by the trial they were made of. */
  readonly tried: { readonly shown: Set<string>; readonly kept: Map<number, DcaSpotConfig[]> }
  /** Calls `react` after every change, with what was before. Not called at once. */
  readonly watch: (react: (before: ViewState) => void) => void
  /** Decoded once; null where the page has none. Thinned ones give the deals of the best trials alone (`section.candles.kind`). */
  readonly candles: () => Promise<Candles | null>
  /** The same for the kernel, which computes thousands of bots; or why it cannot. Prepared once. */
  readonly kernelCandles: () => Promise<PreparedCandles | string>
  /** Daily equity of every trial; null where it was left out. Decoded once. */
  readonly equity: () => Promise<readonly EquitySeries[] | null>
  /** Of the inspector, by name. Read when the first is drawn. */
  readonly chart: (name: string) => Promise<string>
}

export async function createSectionView(
  section: PageSection,
  address: { readonly state: ViewState; readonly changed: (state: ViewState) => void },
): Promise<SectionView> {
  const { trials } = section
  const table = createTrialTable(section, unpackTrials(await readBlock(trials.block), trials.count, trials.columns))
  const watchers: ((before: ViewState) => void)[] = []
  let state = address.state
  let selection = select(table, state.filter, section.quote)
  const set = (change: Partial<ViewState>): void => {
    const before = state
    state = { ...state, ...change }
    if (state.filter !== before.filter) selection = select(table, state.filter, section.quote)
    address.changed(state)
    for (const react of watchers) react(before)
  }
  const candles = once(async () =>
    section.candles.kind === 'absent' ? null : unpackCandles(await readBlock(section.candles.block)),
  )
  // written by Node
  const charts = once(async () => (await readJson(section.inspector)) as Readonly<Record<string, string>>)
  return {
    section,
    table,
    state: () => state,
    set,
    selection: () => selection,
    opened: () => (state.trial === null ? null : (table.find(state.trial) ?? null)),
    open: (trial) => set({ trial: trial === null ? null : table.id(trial), change: {} }),
    pin(trial, isPinned) {
      const name = table.id(trial)
      const others = state.pins.filter((each) => each !== name)
      set({ pins: (isPinned ? [...others, name] : others).slice(-MOST_PINS) })
    },
    tried: { shown: new Set(), kept: new Map() },
    watch: (react) => watchers.push(react),
    candles,
    kernelCandles: once(async () => {
      const all = await candles()
      if (section.candles.kind !== 'full') return section.candles.reason
      if (all === null) return 'the page has no candles'
      try {
        const prepared = prepareCandles(all)
        workbenchOf(prepared)
        return prepared
      } catch (error) {
        return `this browser does not run the engine’s kernel (${error instanceof Error ? error.message : error})`
      }
    }),
    equity: once(async () =>
      'reason' in section.equity ? null : unpackEquity(await readBlock(section.equity.block), investmentsOf(table)),
    ),
    chart: async (name) => (await charts())[name],
  }
}

function investmentsOf(table: TrialTable): Float64Array {
  return table.values('investment') ?? new Float64Array(table.count)
}

function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make()
    return made
  }
}

export async function readJson(block: string): Promise<unknown> {
  return JSON.parse(new TextDecoder().decode(await readBlock(block)))
}

/** The bytes of a block of the page: base64 of deflated bytes, as text of an element that no browser runs. */
async function readBlock(id: string): Promise<Uint8Array> {
  const text = document.getElementById(id)?.textContent
  if (text === undefined || text === null) throw new Error(`the page has no block ${id}`)
  const binary = atob(text)
  const packed = new Uint8Array(binary.length)
  for (let at = 0; at < packed.length; at++) packed[at] = binary.charCodeAt(at)
  const { readable, writable } = new DecompressionStream('deflate-raw') // fed by hand: a Blob goes through another process
  const writer = writable.getWriter()
  const [bytes] = await Promise.all([new Response(readable).arrayBuffer(), writer.write(packed), writer.close()])
  return new Uint8Array(bytes)
}
