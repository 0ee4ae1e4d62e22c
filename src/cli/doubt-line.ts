/** A doubt as a line of an answer. */
import type { Doubt } from '../workbench/analysis/doubts/doubts.ts'
import type { LabelledLine } from './output.ts'
import type { Tone } from './tone.ts'

const TONES: Readonly<Record<Doubt['weight'], Tone | undefined>> = { info: undefined, warn: 'warn', block: 'bad' }

/** `doubt    fewDeals: …`, coloured by its weight. @param width of the labels beside it */
export function doubtLine(
  { code, weight, message }: Pick<Doubt, 'weight' | 'message'> & { readonly code: string },
  width: number,
): LabelledLine {
  const blocks = weight === 'block' ? ' (block)' : ''
  return { label: `${'doubt'.padEnd(width)} ${code}${blocks}`, tone: TONES[weight], text: `: ${message}` }
}
