/** What a report's page is given beside its markup: one JSON document, and the blocks of bytes that it names. */
import type { ConfigField, DcaSpotConfig } from '../../../contract/bot.ts'
import type { Conventions, Costs, SymbolRules } from '../../../engine/conventions.ts'
import type { TermsOrigin } from '../../analysis/certainty/checks.ts'
import type { Objective } from '../../study/study.ts'
import type { Quote } from '../format.ts'
import type { ColumnName, StoredColumn } from './blocks.ts'

/** Of the block with the document. */
export const DOCUMENT_ID = 'document'

export interface PageDocument {
  readonly sections: readonly PageSection[]
  /** Charts whose data are in them: the id of a place, the height of the plot in pixels (0 where its rows decide), and the chart as those of a section. */
  readonly charts: readonly { readonly id: string; readonly height: number; readonly chart: string }[]
}

/** The results of one study on one market. A block's id is that of a `<script type="text/plain">` with deflated bytes in base64. */
export interface PageSection {
  /** Before the ids of its elements and of its keys in the address; empty for the only section. */
  readonly prefix: string
  readonly study: string
  /** `exchange/BASE-QUOTE`. */
  readonly market: string
  readonly quote: Quote
  /** ms UTC; to is exclusive. */
  readonly period: { readonly from: number; readonly to: number }
  readonly objective: Objective
  /** Fields that the study varies, in its order. */
  readonly varied: readonly ConfigField[]
  /** Fields of the heat matrix, the most important ones first where that is known; fewer than two = there is none. */
  readonly paired: readonly ConfigField[]
  /** Why a pair of values may have no trial. */
  readonly blanks: Blanks
  /** What every trial has in common: the fields without a column. */
  readonly base: Readonly<Partial<DcaSpotConfig>>
  /** Above the trials in their table. */
  readonly beside: readonly Beside[]
  readonly trials: { readonly block: string; readonly count: number; readonly columns: readonly StoredColumn[] }
  /** null = left out, because of `reason`. */
  readonly equity: { readonly block: string } | { readonly reason: string }
  /** What results were computed under; a trial names one of them. */
  readonly terms: readonly PageTerms[]
  readonly candles: PageCandles
  /** Why a trial's number is null, where its service said so: `<trial index> <metric>` → index into `reasons`. */
  readonly gaps: { readonly reasons: readonly string[]; readonly of: Readonly<Record<string, number>> }
  /** Of the explorer, without data. Each is what Vega runs, as JSON: Node has compiled the spec and read its expressions. */
  readonly charts: Readonly<Record<string, string>>
  /** The block that has those of the inspector, by name, as JSON. */
  readonly inspector: string
}

/** What the same money could have done on the same days. */
export interface Beside {
  readonly name: string
  readonly numbers: Readonly<Partial<Record<ColumnName, number>>>
}

/** `breaksLimit`: the whole grid was tried but for what the study leaves out; `untried`: a search chooses; `either`: the run has not ended. */
export type Blanks = 'breaksLimit' | 'untried' | 'either'

/** Conventions, costs and rules as far as they are known, and from where. */
export interface PageTerms {
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
  readonly from: TermsOrigin
  /** Of the candles that the service used, SHA-256 hex; null = it does not say. */
  readonly candlesHash: string | null
}

export type PageCandles =
  | {
      readonly kind: 'full'
      readonly block: string
      readonly interval: string
      readonly hash: string
      readonly missing: number
    }
  /** All of them around what happens to the deals of the best trials, merged ones in between: those trials can be computed, and nothing else. */
  | {
      readonly kind: 'thinned'
      readonly block: string
      readonly interval: string
      readonly hash: string
      readonly missing: number
      /** The longest of the merged ones, ms. */
      readonly mergedMs: number
      /** So many of the first trials of the table can be computed. */
      readonly traced: number
      /** Why others, and changes, cannot. */
      readonly reason: string
    }
  | { readonly kind: 'absent'; readonly reason: string }
