/**
 * Arrow IPC files, Feather version 2 among them (freqtrade), plain or compressed by LZ4 or ZSTD. Our own month files name their
 * market and interval.
 */
import { CompressionType, setCompressionCodec, tableFromIPC } from '@uwdata/flechette'
import { checkArrowBounds } from './arrow-bounds.ts'
import { LARGEST_FILE } from './file-bytes.ts'
import { decodeLz4Frame } from './lz4-frame.ts'
import type { ProblemList } from './problems.ts'
import type { RawFile } from './raw-series.ts'
import type { RowRules } from './row-collector.ts'
import { rowsOfTable } from './table.ts'
import { decodeZstd } from './zstd.ts'

setCompressionCodec(CompressionType.LZ4_FRAME, {
  decode: (bytes, size) => decodeLz4Frame(bytes, checkedSize(size)),
  encode: refuseToEncode,
})
setCompressionCodec(CompressionType.ZSTD, {
  decode: (bytes, size) => decodeZstd(bytes, checkedSize(size)),
  encode: refuseToEncode,
})

/** @throws Error when the bytes are no Arrow file with candle columns */
export function readArrowFile(bytes: Uint8Array, rules: RowRules, problems: ProblemList): RawFile {
  checkArrowBounds(bytes)
  const table = tableFromIPC(bytes, { useBigInt: true })
  const { names } = table
  const told = (key: string): string | null => table.schema.metadata?.get(`dcalab.${key}`) ?? null
  const column = (name: string): ArrayLike<unknown> => {
    const child = table.getChild(name)
    for (const { length, values } of child.data) {
      // A value takes at least a byte, so a damaged length is found before a loop runs up to it.
      if (values !== undefined && values.length < length) throw new Error(`its column ${name} holds less than it says`)
    }
    return child.toArray()
  }
  const rows = rowsOfTable({ count: table.numRows, names, column }, rules, problems)
  return {
    layout: 'arrow',
    series: [
      {
        ...rows,
        market: told('market'),
        symbol: null,
        interval: told('interval'),
        synthetic: told('synthetic') === 'true',
      },
    ],
    holdsConflicts: false,
  }
}

/** The size comes from the file, so it is checked before memory is allocated. */
function checkedSize(size: number): number {
  if (Number.isSafeInteger(size) && size >= 0 && size <= LARGEST_FILE) return size
  throw new Error(`a compressed column that claims ${size} bytes`)
}

function refuseToEncode(): never {
  throw new Error('what we write is not compressed')
}
