/** What a part says of itself: all that must be alike in parts that are merged, and which of them it is. */
import { z } from 'zod'
import { DEPTHS } from '../measures.ts'

const count = z.int().min(0)
const text = z.string().max(2_000_000)
const name = z.string().max(200)
const step = z.number().positive().nullable()
const setting = z.union([z.string().max(200), z.number(), z.boolean(), z.null()])

const header = z.strictObject({
  study: z.strictObject({ name, fingerprint: name, source: text }),
  engineVersion: name,
  conventions: z.record(name, setting),
  costs: z.record(name, setting),
  /** Those that were screened, in the order of the study. */
  markets: z
    .array(
      z.strictObject({
        candles: z.strictObject({
          market: name,
          interval: name,
          from: name,
          to: name,
          count,
          missing: count,
          hash: name,
          synthetic: z.boolean(),
        }),
        symbol: z.strictObject({ tick: step, lot: step, minNotional: step.or(z.literal(0)) }),
      }),
    )
    .min(1)
    .max(1000),
  /** Of the grid, of a portion, of the portions of a tally. */
  points: count,
  portion: z.int().min(1),
  portionsPerTally: z.int().min(1),
  /** How many of the best the merge is to find. */
  top: z.int().min(1).max(10_000),
  /** In the order in which they were screened. */
  depths: z.array(z.enum(DEPTHS)).min(1).max(DEPTHS.length),
  part: z.strictObject({ number: z.int().min(1), of: z.int().min(1) }),
  /** Points from ≤ index < to. */
  stretch: z.strictObject({ from: count, to: count }),
  feasible: count,
  /** One for each market. */
  simulated: z.array(count),
})

const section = z.strictObject({ name, kind: z.enum(['f64', 'u32', 'i32', 'u8']), length: count })

/** As it stands in the file. */
export const partHeader = header.extend({ columns: z.array(section).max(10_000) })
export type WrittenHeader = z.infer<typeof partHeader>
export type PartHeader = z.infer<typeof header>

export const workLine = z.strictObject({ elapsedMs: count, workers: z.int().min(1) })
