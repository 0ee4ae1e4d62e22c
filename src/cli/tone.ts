/**
 * Colours on a terminal. They repeat what a word or a sign says, so that nothing is lost without them; there is no meaning that is a colour alone.
 */

export type Tone = 'good' | 'bad' | 'warn' | 'grey'

/** The colours of the terminal's own palette, which its owner can read. */
const CODES: Readonly<Record<Tone, number>> = { good: 32, bad: 31, warn: 33, grey: 90 }

/** The text in its colour; as it is without a tone. What it holds must be `printable` already. */
export function paint(text: string, tone: Tone | undefined): string {
  return tone === undefined ? text : `\u001b[${CODES[tone]}m${text}\u001b[39m`
}

/** Of a number of things that went wrong. */
export function toneOfFailures(count: number | string | null): Tone | undefined {
  return count === 0 || count === null ? undefined : 'bad'
}

/** Of money won or lost; none of nothing, and of what is not known. */
export function toneOfGain(value: number | string | null): Tone | undefined {
  if (typeof value !== 'number' || value === 0) return undefined
  return value > 0 ? 'good' : 'bad'
}
