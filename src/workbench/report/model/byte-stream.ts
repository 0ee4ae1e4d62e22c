/** Whole numbers and floats as bytes that compress well, and back. Pure; runs in Node, which writes a report, and in its page, which reads it. */

export interface ByteWriter {
  /** A whole number of at most 2^52 in size, small ones in few bytes (LEB128 over the zigzag code). */
  readonly integer: (value: number) => void
  /** A column of such numbers: all lowest bytes, then all next ones, as many as the largest needs. The lowest are noise, the highest all alike. */
  readonly wholes: (values: ArrayLike<number>) => void
  /** A column of floats: all first bytes, then all second bytes, and so on, because neighbours have alike exponents. */
  readonly floats: (values: ArrayLike<number>, bits: 32 | 64) => void
  readonly bytes: (values: Uint8Array) => void
  readonly finish: () => Uint8Array
}

export function createByteWriter(): ByteWriter {
  let buffer = new Uint8Array(4096)
  let length = 0
  const reserve = (more: number): void => {
    if (length + more <= buffer.length) return
    const larger = new Uint8Array(Math.max(2 * buffer.length, length + more))
    larger.set(buffer.subarray(0, length))
    buffer = larger
  }
  const bytes = (values: Uint8Array): void => {
    reserve(values.length)
    buffer.set(values, length)
    length += values.length
  }
  const integer = (value: number): void => {
    reserve(8)
    let rest = zigzag(value)
    while (rest >= 128) {
      buffer[length++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    buffer[length++] = rest
  }
  return {
    integer,
    wholes(values) {
      const rest = new Float64Array(values.length) // filled by hand: `from` takes five times as long
      let most = 0
      for (let i = 0; i < rest.length; i++) {
        rest[i] = zigzag(values[i])
        most = Math.max(most, rest[i])
      }
      let width = 0
      for (; most >= 1; most /= 256) width++
      integer(width)
      reserve(width * rest.length)
      for (let plane = 0; plane < width; plane++) {
        for (let i = 0; i < rest.length; i++) {
          buffer[length++] = rest[i] % 256
          rest[i] = Math.floor(rest[i] / 256)
        }
      }
    },
    floats(values, bits) {
      const width = bits / 8
      const plain = new Uint8Array((bits === 32 ? Float32Array.from(values) : Float64Array.from(values)).buffer)
      const planes = new Uint8Array(plain.length)
      const count = values.length
      for (let plane = 0; plane < width; plane++) {
        for (let i = 0; i < count; i++) planes[plane * count + i] = plain[i * width + plane]
      }
      bytes(planes)
    },
    bytes,
    finish: () => buffer.slice(0, length),
  }
}

/** 0, −1, 1, −2, 2 … as 0, 1, 2, 3, 4 …, so that steps up and down are small alike. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

function unzigzag(code: number): number {
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2
}

/** Reads what a writer wrote, in the same order. */
export interface ByteReader {
  readonly integer: () => number
  readonly wholes: (count: number) => Float64Array
  readonly floats: (count: number, bits: 32 | 64) => Float64Array
  readonly bytes: (count: number) => Uint8Array
}

export function createByteReader(buffer: Uint8Array): ByteReader {
  let at = 0
  const bytes = (count: number): Uint8Array => {
    const taken = buffer.subarray(at, at + count)
    at += count
    return taken
  }
  const integer = (): number => {
    let code = 0
    let scale = 1
    for (;;) {
      const byte = buffer[at++]
      code += (byte % 128) * scale
      if (byte < 128) return unzigzag(code)
      scale *= 128
    }
  }
  return {
    integer,
    wholes(count) {
      const values = new Float64Array(count)
      const width = integer()
      for (let plane = 0, scale = 1; plane < width; plane++, scale *= 256) {
        for (let i = 0; i < count; i++) values[i] += buffer[at++] * scale
      }
      return values.map(unzigzag)
    },
    floats(count, bits) {
      const width = bits / 8
      const planes = bytes(count * width)
      const plain = new Uint8Array(planes.length)
      for (let plane = 0; plane < width; plane++) {
        for (let i = 0; i < count; i++) plain[i * width + plane] = planes[plane * count + i]
      }
      return bits === 64 ? new Float64Array(plain.buffer) : Float64Array.from(new Float32Array(plain.buffer))
    },
    bytes,
  }
}
