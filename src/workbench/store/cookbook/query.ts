/** A question of the cookbook: its words and its SQL. The list of `dcalab sql --examples` and COOKBOOK.md follow from it. */

export interface CookbookParameter {
  readonly meaning: string
  /** `text` keeps digits as they are: a fingerprint may consist of nothing else. */
  readonly kind: 'text' | 'number'
  /** What it is when nothing is said; null = no restriction. */
  readonly usual: string | number | null
}

export interface CookbookQuery {
  /** The question in a few words. */
  readonly title: string
  /** What the answer says, and how to read it. */
  readonly answers: string
  /** By name, as `:name` in the SQL. */
  readonly parameters: Readonly<Record<string, CookbookParameter>>
  /** One statement over the views, in SQL that SQLite 3.40 understands. */
  readonly sql: string
}

/** Parameters that several questions share. */
export const STUDY: CookbookParameter = { meaning: 'name of a study; NULL for all', kind: 'text', usual: null }
export const TOP: CookbookParameter = { meaning: 'how many of the best of each study', kind: 'number', usual: 20 }
