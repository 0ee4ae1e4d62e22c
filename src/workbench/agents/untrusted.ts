/**
 * Texts of a third party — a service, another client of it — become `{ untrusted: "…" }`, one line, bounded: data, never instructions. What is marked
 * is not a list of their fields, which would miss the next one, but every text that is neither one word nor in a field whose words are ours.
 */

/** Names, numbers, times, markets, hashes, codes. */
const ONE_WORD = /^[\w.:@/+%#,*-]{0,200}$/

/** Sentences that the program writes itself. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...['message', 'short', 'hint', 'sentence', 'sampleSize', 'evidence', 'next'],
  ...['headline', 'remedy', 'command', 'why', 'what'], // of a verdict
])

const longestText = 500

/** Which texts are the program's own: all, where nothing of a service enters; none, where the agent names the columns itself. */
export type OwnTexts = 'all' | 'known fields' | 'none'

export function markUntrusted(value: unknown, ownTexts: OwnTexts, field = ''): unknown {
  if (typeof value === 'string') {
    const isOurs = ownTexts === 'all' || ONE_WORD.test(value) || (ownTexts === 'known fields' && isOwnField(field))
    return isOurs ? value : untrusted(value)
  }
  if (Array.isArray(value)) return value.map((item) => markUntrusted(item, ownTexts, field))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, markUntrusted(inner, ownTexts, name)]))
}

function isOwnField(field: string): boolean {
  return OWN_FIELDS.has(field) || field.endsWith('Reason')
}

export function untrusted(text: string): { readonly untrusted: string } {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are exactly what this removes
  const line = text.replace(/[\s\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g, ' ')
  return { untrusted: line.length > longestText ? `${line.slice(0, longestText - 1)}…` : line }
}
