/**
 * How many deals a result rests on, in the usual classes of sample sizes (Gainium's): those that opened and closed in the same candle do not
 * count, because their result depends on the assumed path. It says how much chance there is and nothing of quality: on prices without any
 * edge, most bots of the largest class lose money.
 */

interface SampleClass {
  /** Fewest deals. */
  readonly from: number
  readonly words: string
  /** What it was called before; kept in bodies and columns. */
  readonly grade: string
}

/** Smallest first. */
export const SAMPLE_CLASSES = [
  { from: 0, words: 'under 107', grade: 'F' },
  { from: 107, words: '107 to 132', grade: 'E' },
  { from: 133, words: '133 to 163', grade: 'D' },
  { from: 164, words: '164 to 207', grade: 'C' },
  { from: 208, words: '208 to 272', grade: 'B' },
  { from: 273, words: '273 to 384', grade: 'A' },
  { from: 385, words: '385+', grade: 'A+' },
] as const satisfies readonly SampleClass[]

export type SampleSize = (typeof SAMPLE_CLASSES)[number]['words']
export type Confidence = (typeof SAMPLE_CLASSES)[number]['grade']

/** Below it chance decides much of a result. */
export const FEWEST_DEALS = 164

/** @param deals closed deals that were not opened and closed in the same candle */
export function sampleOf(deals: number): { readonly confidence: Confidence; readonly sampleSize: SampleSize } {
  return named(SAMPLE_CLASSES.findLast(({ from }) => deals >= from) ?? SAMPLE_CLASSES[0])
}

/** The class that outside data name, by its words or by what it was called before; both null where they name none. */
export function readSample(sampleSize: unknown, confidence: unknown): ReturnType<typeof sampleOf> | typeof UNTOLD {
  const found =
    SAMPLE_CLASSES.find(({ words }) => words === sampleSize) ?? SAMPLE_CLASSES.find(({ grade }) => grade === confidence)
  return found === undefined ? UNTOLD : named(found)
}

const UNTOLD = { confidence: null, sampleSize: null } as const

/** "small sample, under 107", "sample of 208 to 272": to stand behind a number of deals. */
export function sampleInWords(sampleSize: SampleSize | null): string {
  if (sampleSize === null) return 'size of the sample unknown'
  return isSmallSample(sampleSize) ? `small sample, ${sampleSize}` : `sample of ${sampleSize}`
}

function named({ grade, words }: (typeof SAMPLE_CLASSES)[number]) {
  return { confidence: grade, sampleSize: words }
}

/** Whether chance decides much of a result; so it is taken to be where the size is not told. */
export function isSmallSample(sampleSize: SampleSize | null): boolean {
  const found = SAMPLE_CLASSES.find(({ words }) => words === sampleSize)
  return found === undefined || found.from < FEWEST_DEALS
}
