/**
 * Candles as bytes of a report: times as steps, prices as whole numbers of the smallest decimal they use, each column by itself. Exact: what
 * is read back is equal to the bit. Volumes are left out, because the engine does not look at them.
 */
import type { Candles } from '../../../engine/candles.ts'
import { type ByteReader, type ByteWriter, createByteReader, createByteWriter } from './byte-stream.ts'

const MOST_DECIMALS = 10
/** Prices that no number of decimals makes whole are written as they are. */
const AS_FLOATS = MOST_DECIMALS + 1

export function packCandles(candles: Candles): Uint8Array {
  const writer = createByteWriter()
  const { intervalMs, openTime, open, high, low, close } = candles
  const decimals = decimalsOf([open, high, low, close])
  writer.integer(openTime.length)
  writer.integer(intervalMs)
  writer.integer(decimals)
  let before = 0
  for (let i = 0; i < openTime.length; i++) {
    writer.integer(i === 0 ? openTime[0] : (openTime[i] - before) / intervalMs - 1)
    before = openTime[i]
  }
  if (decimals === AS_FLOATS) for (const column of [open, high, low, close]) writer.floats(column, 64)
  else writePrices(writer, candles, scaleOf(decimals))
  return writer.finish()
}

/** A close as the step from the one before, an open from that close, high and low from the body of the candle. */
function writePrices(writer: ByteWriter, { open, high, low, close }: Candles, scale: number): void {
  const whole = (price: number) => Math.round(price * scale)
  const before = (i: number) => (i === 0 ? 0 : whole(close[i - 1]))
  writer.wholes(close.map((price, i) => whole(price) - before(i)))
  writer.wholes(open.map((price, i) => whole(price) - before(i)))
  writer.wholes(high.map((price, i) => whole(price) - Math.max(whole(open[i]), whole(close[i]))))
  writer.wholes(low.map((price, i) => Math.min(whole(open[i]), whole(close[i])) - whole(price)))
}

/** Steps between larger whole numbers would be rounded. */
const LARGEST_WHOLE = 2 ** 51

/** The fewest decimals with which every price is its whole number divided by a power of ten, to the bit. */
function decimalsOf(columns: readonly Float64Array[]): number {
  let decimals = 0
  let highest = 0
  for (const column of columns) {
    for (const price of column) {
      highest = Math.max(highest, price)
      while (decimals < AS_FLOATS && !isWholeAt(price, scaleOf(decimals))) decimals++
    }
  }
  return highest * scaleOf(decimals) <= LARGEST_WHOLE ? decimals : AS_FLOATS
}

function isWholeAt(price: number, scale: number): boolean {
  return Math.round(price * scale) / scale === price
}

/** Ten to the power of `decimals`, the same in every browser. */
function scaleOf(decimals: number): number {
  return SCALES[decimals]
}

const SCALES = Array.from({ length: AS_FLOATS + 1 }, (_, decimals) => Number(`1e${decimals}`))

export function unpackCandles(bytes: Uint8Array): Candles {
  const reader = createByteReader(bytes)
  const count = reader.integer()
  const intervalMs = reader.integer()
  const decimals = reader.integer()
  const openTime = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const step = reader.integer()
    openTime[i] = i === 0 ? step : openTime[i - 1] + (step + 1) * intervalMs
  }
  const prices = decimals === AS_FLOATS ? readFloats(reader, count) : readPrices(reader, count, scaleOf(decimals))
  return { intervalMs, openTime, ...prices, volume: new Float64Array(count) }
}

type Prices = Pick<Candles, 'open' | 'high' | 'low' | 'close'>

function readFloats(reader: ByteReader, count: number): Prices {
  const [open, high, low, close] = Array.from({ length: 4 }, () => reader.floats(count, 64))
  return { open, high, low, close }
}

function readPrices(reader: ByteReader, count: number, scale: number): Prices {
  const [close, open, high, low] = Array.from({ length: 4 }, () => reader.wholes(count))
  for (let i = 1; i < count; i++) close[i] += close[i - 1]
  for (let i = 1; i < count; i++) open[i] += close[i - 1]
  for (let i = 0; i < count; i++) high[i] += Math.max(open[i], close[i])
  for (let i = 0; i < count; i++) low[i] = Math.min(open[i], close[i]) - low[i]
  for (const column of [open, high, low, close]) for (let i = 0; i < count; i++) column[i] /= scale
  return { open, high, low, close }
}
