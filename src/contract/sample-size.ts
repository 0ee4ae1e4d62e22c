/**
 * How many deals a result rests on, in the usual classes of sample sizes (Gainium's): those that opened and closed in the same candle do not
 * count, because their result depends on the assumed path. It says how much chance there is and nothing of quality: on prices without any
 * edge, most bots of the largest class lose money.
 */

interface SampleClass {
  /** Fewest deals. */
  readonly from: number
  readonly words: string
}

/** Smallest first. */
export const SAMPLE_CLASSES = [
  { from: 0, words: 'under 107' },
  { from: 107, words: '107 to 132' },
  { from: 133, words: '133 to 163' },
  { from: 164, words: '164 to 207' },
  { from: 208, words: '208 to 272' },
  { from: 273, words: '273 to 384' },
  { from: 385, words: '385+' },
] as const satisfies readonly SampleClass[]

export type SampleSize = (typeof SAMPLE_CLASSES)[number]['words']

/** Below it chance decides much of a result. */
export const FEWEST_DEALS = 164

/** @param deals closed deals that were not opened and closed in the same candle */
export function sampleSizeOf(deals: number): SampleSize {
  return (SAMPLE_CLASSES.findLast(({ from }) => deals >= from) ?? SAMPLE_CLASSES[0]).words
}

/** The class that outside data name by its words; null where they name none. */
export function readSampleSize(words: unknown): SampleSize | null {
  return SAMPLE_CLASSES.find((found) => found.words === words)?.words ?? null
}

/** "small sample, under 107", "sample of 208 to 272": to stand behind a number of deals. */
export function sampleInWords(sampleSize: SampleSize | null): string {
  if (sampleSize === null) return 'size of the sample unknown'
  return isSmallSample(sampleSize) ? `small sample, ${sampleSize}` : `sample of ${sampleSize}`
}

/** Whether chance decides much of a result; so it is taken to be where the size is not told. */
export function isSmallSample(sampleSize: SampleSize | null): boolean {
  const found = SAMPLE_CLASSES.find(({ words }) => words === sampleSize)
  return found === undefined || found.from < FEWEST_DEALS
}
