/** (a) to (c): every stretch in turn, and their figures. */
import { measureStretch, type StretchRecord } from './measure-stretch.ts'
import { sayProgress } from './progress.ts'
import { createSpanReader } from './spans.ts'
import { STRETCHES } from './stretches.ts'
import { type Figures, summarize } from './summarize.ts'

/** @returns undefined where none of the recordings is there. @param of `every`: 10 takes every tenth stretch */
export async function measureStretches({
  measuredOn,
  seed,
  every,
}: {
  readonly measuredOn: string
  readonly seed: string
  readonly every: number
}): Promise<Figures | undefined> {
  const stretches = STRETCHES.filter((_, at) => at % every === 0)
  const readSpans = createSpanReader()
  const say = sayProgress('stretches', stretches.length)
  const records: StretchRecord[] = []
  for (const [at, stretch] of stretches.entries()) {
    const spans = readSpans(stretch)
    if (spans !== undefined) records.push(await measureStretch(stretch, spans, seed))
    say(at + 1)
  }
  return records.length === 0 ? undefined : summarize(records, { measuredOn, seed })
}
