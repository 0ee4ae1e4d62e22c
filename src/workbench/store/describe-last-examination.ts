/** The last examination of a result, in one line. */
import type { KeptDoubt, KeptExamination } from './examinations.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/**
 * "examined 3 hours ago on 1m candles ec6207d04b87: made −4 or +31 (signFlips, block) · 41 deals · 4 more worth knowing".
 * What blocks is told with the code by which it is accepted.
 * @param found undefined = there is none
 * @param now ms UTC
 * @param target what `dcalab examine` would be given
 */
export function describeLastExamination(
  found: KeptExamination | undefined,
  { now, target }: { readonly now: number; readonly target: string },
): string {
  if (found === undefined) return `not examined yet: dcalab examine ${target}`
  const { finishedAt, candleInterval, candlesHash, doubts } = found
  const on = `examined ${ageOf(now - Date.parse(finishedAt))} on ${candleInterval} candles ${candlesHash.slice(0, 12)}`
  if (doubts.length === 0) return `${on}: no doubt was found, which promises nothing`
  const ofWeight = (wanted: KeptDoubt['weight']) => doubts.filter(({ weight }) => weight === wanted)
  const blocking = ofWeight('block').map(({ code, short }) => `${short} (${code}, block)`)
  const named = [...blocking, ...ofWeight('warn').map(({ short }) => short)]
  const rest = ofWeight('info').length
  const more = rest === 0 ? [] : [`${rest} ${named.length > 0 ? 'more ' : ''}worth knowing`]
  return `${on}: ${[...named, ...more].join(' · ')}`
}

/** "3 hours ago"; "just now" under a minute. */
export function ageOf(ms: number): string {
  if (ms < MINUTE_MS) return 'just now'
  const [size, name] = ms < HOUR_MS ? [MINUTE_MS, 'minute'] : ms < DAY_MS ? [HOUR_MS, 'hour'] : [DAY_MS, 'day']
  const count = Math.floor(ms / size)
  return `${count} ${name}${count === 1 ? '' : 's'} ago`
}

/** The same for `--json`. */
export function examinationForJson(found: KeptExamination | undefined) {
  if (found === undefined) return null
  const { finishedAt, study, candlesHash, candleInterval, engineVersion, doubts } = found
  return { examinedAt: finishedAt, study, candlesHash, interval: candleInterval, engineVersion, doubts }
}
