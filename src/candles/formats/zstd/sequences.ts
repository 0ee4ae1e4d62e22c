/**
 * The sequences of a block (RFC 8878, 3.1.1.3.2 and 3.1.1.4): each copies a number of literals, then repeats a number of bytes
 * from a distance back. Every length is checked before a byte is written.
 */
import { openBackward, readBits } from './bits.ts'
import { buildFseTable, type FseTable, readFseTable, repeatedSymbol } from './fse.ts'

/** State that one block passes to the next. */
export interface Memory {
  tables: SequenceTables | null
  /** The last three distances. */
  readonly distances: [number, number, number]
}

interface SequenceTables {
  readonly literals: FseTable
  readonly distances: FseTable
  readonly matches: FseTable
}

/** The output, and how far a block may write. */
export interface Output {
  readonly bytes: Uint8Array
  /** Where the frame begins: a match may not reach back beyond it. */
  readonly start: number
  at: number
}

/** How many extra bits each length code has. A code with n extra bits covers 2^n lengths; the base of the next code follows after them. */
const literalBits = [...Array<number>(16).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
const matchBits = [...Array<number>(32).fill(0), 1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
const literalBase = basesOf(literalBits, 0)
const matchBase = basesOf(matchBits, 3)

function basesOf(bits: readonly number[], first: number): number[] {
  let base = first
  return bits.map((width) => {
    const own = base
    base += 2 ** width
    return own
  })
}

// RFC 8878, 3.1.1.3.2.2.
const KINDS = {
  literals: {
    maxLog: 9,
    maxSymbol: 35,
    usual: buildFseTable(
      [4, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 2, 1, 1, 1, 1, 1, -1, -1, -1, -1],
      6,
    ),
  },
  distances: {
    maxLog: 8,
    maxSymbol: 31,
    usual: buildFseTable(
      [1, 1, 1, 1, 1, 1, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1],
      5,
    ),
  },
  matches: {
    maxLog: 9,
    maxSymbol: 52,
    usual: buildFseTable(
      [
        1, 4, 3, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
        1, 1, 1, 1, 1, 1, 1, 1, 1, -1, -1, -1, -1, -1, -1, -1,
      ],
      6,
    ),
  },
} as const

interface Section {
  readonly block: Uint8Array
  readonly start: number
  readonly end: number
}

/** Writes a block: its sequences, then the literals that are left. `most` = where it must end at the latest. @throws Error when it is damaged */
export function writeSequences(
  section: Section,
  literals: Uint8Array,
  output: Output,
  most: number,
  memory: Memory,
): void {
  const { block, end } = section
  const { count, at } = readCount(section)
  let used = 0
  if (count > 0) {
    const { tables, at: bitsFrom } = readTables(block, at, end, memory.tables)
    memory.tables = tables
    used = copyAll({ block, start: bitsFrom, end }, { count, literals, most }, output, memory)
  } else if (at !== end) throw new Error('a ZSTD block holds more than it says')
  if (output.at + literals.length - used > most) throw new Error('a ZSTD block holds more than it says')
  output.bytes.set(literals.subarray(used), output.at)
  output.at += literals.length - used
}

function readCount({ block, start, end }: Section): { readonly count: number; readonly at: number } {
  const first = block[start]
  const at = start + (first < 128 ? 1 : first < 255 ? 2 : 3)
  if (at > end) throw new Error('a ZSTD block is cut short')
  if (first < 128) return { count: first, at }
  if (first < 255) return { count: ((first - 128) << 8) + block[start + 1], at }
  return { count: block[start + 1] + (block[start + 2] << 8) + 0x7f00, at }
}

function readTables(block: Uint8Array, start: number, end: number, known: SequenceTables | null) {
  const modes = start < end ? block[start] : 3
  if ((modes & 3) !== 0) throw new Error('a ZSTD block is damaged')
  let at = start + 1
  const read = (name: keyof typeof KINDS, shift: number): FseTable => {
    const { maxLog, maxSymbol, usual } = KINDS[name]
    const mode = (modes >> shift) & 3
    if (mode === 0) return usual
    if (mode === 3) {
      if (known === null) throw new Error('a ZSTD block refers to tables that were never given')
      return known[name]
    }
    if (mode === 1) {
      const symbol = at < end ? block[at++] : Number.POSITIVE_INFINITY
      if (symbol > maxSymbol) throw new Error('a ZSTD block is damaged')
      return repeatedSymbol(symbol)
    }
    const { table, end: behind } = readFseTable(block, at, { end, maxLog, maxSymbol })
    at = behind
    return table
  }
  // The block holds its tables in this order.
  const literals = read('literals', 6)
  const distances = read('distances', 4)
  const matches = read('matches', 2)
  return { tables: { literals, distances, matches }, at }
}

interface Work {
  readonly count: number
  readonly literals: Uint8Array
  readonly most: number
}

/** @returns how many literals the sequences took */
function copyAll(
  { block, start, end }: Section,
  { count, literals, most }: Work,
  output: Output,
  memory: Memory,
): number {
  const { tables, distances } = memory
  if (tables === null) throw new Error('sequences without tables')
  const stream = openBackward(block, start, end)
  const { bytes } = output
  let literalState = readBits(stream, tables.literals.log)
  let distanceState = readBits(stream, tables.distances.log)
  let matchState = readBits(stream, tables.matches.log)
  let used = 0
  let { at } = output
  for (let left = count; left > 0; left--) {
    const distanceCode = tables.distances.symbol[distanceState]
    const told = 2 ** distanceCode + readBits(stream, distanceCode)
    const matchCode = tables.matches.symbol[matchState]
    const match = matchBase[matchCode] + readBits(stream, matchBits[matchCode])
    const literalCode = tables.literals.symbol[literalState]
    const taken = literalBase[literalCode] + readBits(stream, literalBits[literalCode])
    const distance = distanceOf(distances, told, taken)
    if (used + taken > literals.length) throw new Error('a ZSTD block takes literals that it does not have')
    if (at + taken + match > most) throw new Error('a ZSTD block holds more than it says')
    if (distance > at + taken - output.start) throw new Error('a ZSTD block repeats what was never there')
    for (let i = 0; i < taken; i++) bytes[at++] = literals[used++]
    // One byte at a time: a match may repeat what it has just written.
    for (let i = 0; i < match; i++, at++) bytes[at] = bytes[at - distance]
    if (left === 1) break
    literalState = tables.literals.base[literalState] + readBits(stream, tables.literals.bits[literalState])
    matchState = tables.matches.base[matchState] + readBits(stream, tables.matches.bits[matchState])
    distanceState = tables.distances.base[distanceState] + readBits(stream, tables.distances.bits[distanceState])
  }
  if (stream.at !== stream.floor) throw new Error('a ZSTD block holds more than it says')
  output.at = at
  return used
}

/**
 * The values 1, 2 and 3 mean the last distance, the one before it and the one before that. In a sequence without literals 1 and 2
 * mean the second and the third of these, and 3 means the last distance minus 1.
 */
function distanceOf(distances: Memory['distances'], told: number, literals: number): number {
  const [first, second, third] = distances
  const place = told > 3 ? 0 : told + (literals === 0 ? 1 : 0)
  if (place === 1) return first
  const distance = place === 0 ? told - 3 : place === 2 ? second : place === 3 ? third : first - 1
  if (distance < 1) throw new Error('a ZSTD block repeats what was never there')
  distances[0] = distance
  distances[1] = first
  if (place !== 2) distances[2] = second
  return distance
}
