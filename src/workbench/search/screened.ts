/** What a search keeps of its local screen: the local engine's best and its samples, each with the local engine's values. Kept as JSON, so that it is read back strictly. */
import * as z from 'zod'
import { forEachField } from '../../contract/bot.ts'

const localValue = z.strictObject({
  /** `exchange/BASE-QUOTE`. */
  market: z.string(),
  netProfit: z.number(),
  /** Of the objective; null where it is undefined for this run. */
  value: z.number().nullable(),
  /** The objective's bounds are met. */
  isInside: z.boolean(),
})

const localConfig = z.strictObject({
  config: z.strictObject(forEachField(() => z.number())),
  /** The config fingerprint. */
  fingerprint: z.string(),
  /** One for each market of the study, in their order. */
  values: z.array(localValue),
})

const screened = z.strictObject({
  /** Where the terms came from under which the local engine computed: test backtests of this study, an earlier calibration or the service's word, or the study's own. */
  terms: z.enum(['found', 'known', 'own']),
  /** The best match to the test backtests was poor; null where there were none. */
  isPoorMatch: z.boolean().nullable(),
  /** Best first by the objective, no two of equal behaviour. */
  best: z.array(localConfig),
  /** In the order drawn. */
  samples: z.array(localConfig),
  /** Why there are fewer samples than were asked for; null where there are as many. */
  shortfall: z.string().nullable(),
})

export type LocalValue = Readonly<z.infer<typeof localValue>>
export type LocalConfig = Readonly<Omit<z.infer<typeof localConfig>, 'values'>> & {
  readonly values: readonly LocalValue[]
}
export type Screened = Readonly<Omit<z.infer<typeof screened>, 'best' | 'samples'>> & {
  readonly best: readonly LocalConfig[]
  readonly samples: readonly LocalConfig[]
}

/** @param kept what a memory gave back; undefined = nothing was kept */
export function readScreened(kept: unknown): Screened | undefined {
  return kept === undefined ? undefined : screened.parse(kept)
}
