/**
 * `npm run bench:candles`: what a year of minute candles costs. Import is the whole program from its start to its end; opening is a
 * process that loads the year against one that loads nothing, interleaved, medians. The candles are made up.
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { csvOf } from '../../src/candles/export.ts'
import { loadCandles, selectCandles } from '../../src/candles/folder/folder.ts'
import { generateCandles } from '../../src/candles/synthetic/generate.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'
import { median, print, table } from './measure.ts'

const ROUNDS = 9
const [mode, folder = ''] = process.argv.slice(2)
if (mode === undefined) measure()
else {
  if (mode === 'open') loadCandles(folder, { market: 'bench/BTC-USDT' })
  const { user, system } = process.cpuUsage()
  print(JSON.stringify({ cpuMs: (user + system) / 1000 }))
}

function measure(): void {
  const place = temporaryFolder()
  try {
    const candles = generateCandles({ seed: 1, interval: '1m', from: Date.UTC(2023, 0, 1), days: 365 })
    const name = 'bench/BTC-USDT'
    const csv = [...csvOf(selectCandles({ name, market: name, interval: '1m', candles, synthetic: false }, {}))].join(
      '',
    )
    const plain = join(place, 'bench_BTC-USDT_1m_2023.csv')
    writeFileSync(plain, csv)
    const packed = `${plain}.gz`
    writeFileSync(packed, gzipSync(csv))
    const into = (target: string) => join(place, target)
    const importing = (file: string) => {
      const target = into(`folder-${Math.round(performance.now() * 1000)}`)
      return seconds(['dist/main.js', 'candles', 'import', file, '--candles-dir', target])
    }
    seconds(['dist/main.js', 'candles', 'import', plain, '--candles-dir', into('stored')])
    const own = fileURLToPath(import.meta.url)
    const rounds = Array.from({ length: ROUNDS }, () => ({
      plain: importing(plain),
      packed: importing(packed),
      again: seconds(['dist/main.js', 'candles', 'import', plain, '--candles-dir', into('stored')]),
      open: timed([own, 'open', into('stored')]),
      nothing: timed([own, 'nothing']),
    }))
    const of = (pick: (round: (typeof rounds)[0]) => number) => `${(1000 * median(rounds.map(pick))).toFixed(0)} ms`
    table(
      `a year of minutes, ${candles.openTime.length} candles, ${(csv.length / 1e6).toFixed(1)} MB of CSV`,
      ['', 'median', 'allowed'],
      [
        ['import CSV', of((round) => round.plain), '2000 ms'],
        ['import CSV.gz', of((round) => round.packed), '2000 ms'],
        ['import it again', of((round) => round.again), ''],
        ['open, beyond the start of Node', of((round) => round.open.seconds - round.nothing.seconds), '50 ms'],
        ['open, in time of the processor', of((round) => (round.open.cpuMs - round.nothing.cpuMs) / 1000), ''],
      ],
    )
  } finally {
    removeFolder(place)
  }
}

function seconds(args: readonly string[]): number {
  return run(args).seconds
}

/** Beside the clock on the wall the processor's: what others do on the machine meanwhile leaves no trace in it. */
function timed(args: readonly string[]): { readonly seconds: number; readonly cpuMs: number } {
  const { seconds: wall, stdout } = run(args)
  const { cpuMs } = JSON.parse(stdout) as { cpuMs: number } // printed above
  return { seconds: wall, cpuMs }
}

function run(args: readonly string[]): { readonly seconds: number; readonly stdout: string } {
  const start = performance.now()
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
  return { seconds: (performance.now() - start) / 1000, stdout }
}
