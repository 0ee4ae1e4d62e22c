/**
 * Converts the int64 times of files from and to our times (ms in float64). BigInt arithmetic allocates memory for every row, so
 * both directions use the two halves of each int64 (little-endian, as the files are). Milliseconds up to the year 2100 are exact
 * in a float64.
 */

export function integersOf(times: Float64Array): BigInt64Array {
  const integers = new BigInt64Array(times.length)
  const halves = new Int32Array(integers.buffer)
  for (let i = 0; i < times.length; i++) {
    const high = Math.floor(times[i] / 2 ** 32)
    halves[2 * i] = times[i] - high * 2 ** 32
    halves[2 * i + 1] = high
  }
  return integers
}

/** Writes into the first places of `times`, which must be long enough. @returns a view of them */
export function numbersOf(integers: BigInt64Array, times: Float64Array): Float64Array {
  const halves = new Int32Array(integers.buffer, integers.byteOffset, integers.length * 2)
  for (let i = 0; i < integers.length; i++) times[i] = halves[2 * i + 1] * 2 ** 32 + (halves[2 * i] >>> 0)
  return times.subarray(0, integers.length)
}
