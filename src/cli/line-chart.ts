/** A line of numbers drawn with the dots of Braille letters, for a terminal. Pure. */

interface LineChart {
  /** Letters. */
  readonly width: number
  readonly height: number
}

/** Dots of one letter, by column and row from above: bits of the Unicode block that begins at U+2800. */
const DOTS = [
  [0x01, 0x02, 0x04, 0x40],
  [0x08, 0x10, 0x20, 0x80],
] as const
const ACROSS = 2
const DOWN = 4

/**
 * `values` oldest first, at least one, all finite. Straight lines join them; where several fall on one column of dots, it spans from the lowest to the
 * highest of them, so that no extreme is lost. Returns `height` lines of `width` letters, highest first.
 */
export function drawLine(values: readonly number[], { width, height }: LineChart): string[] {
  const letters = Array.from({ length: height }, () => new Uint8Array(width))
  const columns = width * ACROSS
  const rows = height * DOWN
  const low = values.reduce((least, each) => Math.min(least, each))
  const high = values.reduce((most, each) => Math.max(most, each))
  const rowOf = (value: number) =>
    high === low ? Math.floor(rows / 2) : Math.round(((high - value) / (high - low)) * (rows - 1))
  let last = rowOf(values[0])
  for (let x = 0; x < columns; x++) {
    const part = partOf(values, x, columns).map(rowOf)
    for (let row = Math.min(last, ...part); row <= Math.max(last, ...part); row++) {
      letters[Math.floor(row / DOWN)][Math.floor(x / ACROSS)] |= DOTS[x % ACROSS][row % DOWN]
    }
    last = part[part.length - 1]
  }
  return letters.map((line) => Array.from(line, (dots) => String.fromCharCode(0x2800 + dots)).join(''))
}

/** The values from one column's place to the next one's, and the one at its own place, between two values where it falls there. */
function partOf(values: readonly number[], column: number, columns: number): readonly number[] {
  const step = (values.length - 1) / Math.max(1, columns - 1)
  const at = column * step
  const passed = values.slice(Math.floor(Math.max(0, at - step)) + 1, Math.floor(at) + 1)
  const [before, after] = [values[Math.floor(at)], values[Math.min(values.length - 1, Math.ceil(at))]]
  return [...passed, before + (after - before) * (at - Math.floor(at))]
}
