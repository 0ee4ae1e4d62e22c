import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { expect, it, onTestFinished } from 'vitest'
import { parquetFile } from '../../../src/workbench/store/export/export.ts'
import type { Cell, TypedColumn } from '../../../src/workbench/store/export/view-rows.ts'
import { removeFolder, temporaryFolder } from '../../support/folder.ts'

const COLUMNS: readonly TypedColumn[] = [
  { name: 'fingerprint', type: 'text' },
  { name: 'net_profit', type: 'number' },
  { name: 'study', type: 'text' },
  { name: 'closed_deals', type: 'integer' },
  { name: 'simulated', type: 'yesNo' },
  { name: 'finished_at', type: 'time' },
]

/** Fingerprints and profits in which nothing repeats, so that nothing of them can be compressed, beside columns of which nearly all can. */
const ROWS = Array.from({ length: 5000 }, (_, n): readonly Cell[] => {
  const fingerprint = createHash('sha256').update(String(n)).digest('hex')
  const isNull = n % 100 === 7
  const profit = Number(BigInt(`0x${fingerprint.slice(0, 13)}`)) / 1e9
  const at = new Date(Date.UTC(2026, 0, 1) + (n >> 4) * 1000).toISOString()
  return [
    fingerprint,
    isNull ? null : profit,
    'eth-2025',
    isNull ? null : 2n ** 60n + BigInt(n),
    n % 2,
    isNull ? null : at,
  ]
})

function writeFile(groups: readonly (readonly (readonly Cell[])[])[]): string {
  const folder = temporaryFolder()
  onTestFinished(() => removeFolder(folder))
  const path = join(folder, 'results.parquet')
  const file = parquetFile(path, COLUMNS)
  for (const group of groups) file.write(group)
  file.end()
  file.close()
  return path
}

it('a second reader finds in a file what was written, compressed or not worth it', async () => {
  const file = await asyncBufferFromFile(writeFile([ROWS.slice(0, 4000), ROWS.slice(4000)]))
  const read = await parquetReadObjects({ file })
  expect(read).toEqual(
    ROWS.map(([fingerprint, net_profit, study, closed_deals, simulated, finished_at]) => ({
      fingerprint,
      net_profit,
      study,
      closed_deals,
      simulated: simulated === 1,
      finished_at: finished_at === null ? null : new Date(String(finished_at)),
    })),
  )
  const { row_groups } = await parquetMetadataAsync(file)
  const [fingerprints, , studies] = row_groups[0].columns.map(({ meta_data }) => meta_data)
  expect(fingerprints?.codec).toBe('SNAPPY')
  expect(Number(fingerprints?.total_compressed_size)).toBeLessThan(Number(fingerprints?.total_uncompressed_size) + 100)
  expect(Number(studies?.total_compressed_size)).toBeLessThan(200)
})
