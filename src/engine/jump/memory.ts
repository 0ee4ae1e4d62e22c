/**
 * Room in the memory that candles, workers and kernel share. Candles are laid out at its beginning when they are prepared; every thread that
 * works on them then adds pages of its own at the end.
 */
const PAGE_BYTES = 65_536
/** 4 GiB of addresses are reserved; memory is used only as far as it is written. */
const MOST_PAGES = 65_536
/** Columns begin with a cache line. The first one stays empty, so that address 0 means nothing. */
const LINE_BYTES = 64

/** Hands out columns one after another. */
export interface Room {
  floats(length: number): Float64Array
  ints(length: number): Int32Array
}

/** Bytes that columns of these lengths take in a room. */
export function bytesNeeded(columns: { readonly floats: readonly number[]; readonly ints: readonly number[] }): number {
  const { floats, ints } = columns
  const bytes = [...floats.map((length) => length * 8), ...ints.map((length) => length * 4)]
  return bytes.reduce((sum, size) => sum + aligned(size), 0)
}

/**
 * A new memory with room for so many bytes of columns, and one line behind them: groups of eight are read as a whole, so up to 64
 * bytes behind a column may be read (their values are not used). @throws Error when a memory cannot have as many, or the process
 * may not reserve the addresses
 */
export function createMemory(bytes: number): { memory: WebAssembly.Memory; room: Room } {
  const initial = pagesOf(bytes + 2 * LINE_BYTES)
  const memory = orExplain(initial, () => new WebAssembly.Memory({ initial, maximum: MOST_PAGES, shared: true }))
  return { memory, room: roomFrom(memory, LINE_BYTES) }
}

/** Adds room that only this thread uses. Several threads may call it at once. */
export function addRoom(memory: WebAssembly.Memory, bytes: number): Room {
  return roomFrom(memory, grow(memory, pagesOf(bytes)) * PAGE_BYTES)
}

/** Room from this byte on, in a memory that only this thread has; what was there is overwritten. */
export function takeRoom(memory: WebAssembly.Memory, start: number, bytes: number): Room {
  const missing = pagesOf(start + bytes) - pagesOf(memory.buffer.byteLength)
  if (missing > 0) grow(memory, missing)
  return roomFrom(memory, start)
}

function grow(memory: WebAssembly.Memory, pages: number): number {
  return orExplain(pagesOf(memory.buffer.byteLength) + pages, () => memory.grow(pages))
}

/** Replaces a RangeError of WebAssembly by an error that explains it. */
function orExplain<Result>(pages: number, take: () => Result): Result {
  try {
    return take()
  } catch (cause) {
    const needed = `the engine needs ${Math.ceil((pages * PAGE_BYTES) / 2 ** 20)} MiB for these candles`
    const reason =
      pages > MOST_PAGES
        ? 'and can have 4096: some 90 million candles'
        : 'and was not given them; it also reserves 10 GiB of addresses, which a limit on virtual memory may forbid'
    throw new Error(`${needed}, ${reason}`, { cause })
  }
}

/** Where the first column begins. */
export const FIRST_BYTE = LINE_BYTES

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES)
}

function roomFrom(memory: WebAssembly.Memory, start: number): Room {
  const { buffer } = memory
  let next = start
  const take = (bytes: number) => {
    const at = next
    next += aligned(bytes)
    return at
  }
  return {
    floats: (length) => new Float64Array(buffer, take(length * 8), length),
    ints: (length) => new Int32Array(buffer, take(length * 4), length),
  }
}

function aligned(bytes: number): number {
  return Math.ceil(bytes / LINE_BYTES) * LINE_BYTES
}
