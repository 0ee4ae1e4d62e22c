/** The candles of stretches, file by file, prepared in memories that are used again. */
import { resampleCandles } from '../../../src/candles/resample.ts'
import { INTERVALS } from '../../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../../src/engine/candles.ts'
import { createMemory } from '../../../src/engine/jump/memory.ts'
import { type PreparedCandles, prepareCandles } from '../../../src/engine/jump/prepared.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { sharedData } from '../../support/shared-data.ts'
import type { Stretch } from './stretches.ts'

/** Valid until the next call: the memory of the candles before is used again, because the collector frees such memories late. */
export interface Spans {
  readonly train: PreparedCandles
  readonly test: PreparedCandles
}

/** Takes candles from one stretch after another; those of the last file are kept. undefined (with a message) where the file is absent. */
export function createSpanReader(): (stretch: Stretch) => Spans | undefined {
  const memories = { train: createMemory(0).memory, test: createMemory(0).memory }
  let last: { readonly key: string; readonly candles: Candles | undefined } = { key: '', candles: undefined }

  return (stretch) => {
    const key = `${stretch.file} ${stretch.interval}`
    if (last.key !== key) last = { key, candles: readCandles(stretch) }
    if (last.candles === undefined) return undefined
    const { train, test } = stretch
    return {
      train: prepareCandles(sliceCandles(last.candles, train.from, train.to), memories.train),
      test: prepareCandles(sliceCandles(last.candles, test.from, test.to), memories.test),
    }
  }
}

function readCandles({ file, stored, interval }: Stretch): Candles | undefined {
  const path = sharedData(`candles/${file}.csv.gz`)
  if (path === undefined) return undefined
  const candles = readCsvCandles(path, INTERVALS[stored])
  return interval === stored ? candles : resampleCandles(candles, interval)
}
