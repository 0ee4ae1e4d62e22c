/**
 * The module `dcalab` of dialects: readers of what services write for people. It has no dependency and runs inside a dialect's interpreter;
 * `dialect-texts.ts` holds it as text.
 */

/** Why something is no number; the readers of bodies take the reason over. */
export interface Unread {
  readonly unread: string
}

/** An amount as text of digits, with or without its unit behind it (`"12.5 USDT"`), read whole or not at all. */
export function money(value: unknown): number | Unread | null | undefined {
  if (value === null || value === undefined || typeof value === 'number') return value
  const read = /^\s*([+-]?\d+(?:\.\d+)?)(?:\s*[A-Za-z]{2,10})?\s*$/.exec(String(value))
  if (read === null) return { unread: `${JSON.stringify(String(value).slice(0, 60))} is no amount` }
  return Number(read[1])
}
