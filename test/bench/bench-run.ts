/** What one run of `npm run bench` measured, and where: printed, and kept as JSON with `--json`. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { z } from 'zod'
import { HEADLINE_MARKET_NAMES, HEADLINE_NAMES, type HeadlineMarket, type HeadlineName } from './headline.ts'
import type { LoadWatch } from './load-watch.ts'
import { table as printTable } from './measure.ts'

const printed = z.strictObject({
  title: z.string(),
  head: z.array(z.string()),
  lines: z.array(z.array(z.string())),
})

/** The JSON of a run. */
export const benchRun = z.strictObject({
  measuredAt: z.iso.datetime(),
  /** What was measured; with `+` there were changes that no commit has. */
  commit: z.string().regex(/^[0-9a-f]{7,40}\+?$/),
  /** Of figures that are older than these files: where they stand. */
  takenFrom: z.string().nullable(),
  machine: z.strictObject({ processor: z.string(), cores: z.int().min(1), memoryGb: z.number() }).nullable(),
  node: z.string().nullable(),
  /** Runnable tasks per core while it ran. */
  load: z.strictObject({ runnablePerCore: z.number() }).nullable(),
  headline: z.partialRecord(
    z.enum(HEADLINE_NAMES),
    z.partialRecord(z.enum(HEADLINE_MARKET_NAMES), z.number().positive()),
  ),
  tables: z.array(printed),
})
export type BenchRun = z.infer<typeof benchRun>

/** What the parts of the bench tell as they measure. */
export interface BenchLog {
  table(title: string, head: readonly string[], lines: readonly (readonly string[])[]): void
  headline(name: HeadlineName, market: HeadlineMarket, value: number): void
}

export function createBenchLog(load: LoadWatch): BenchLog & { write(file: string): void } {
  const tables: BenchRun['tables'] = []
  const headline: BenchRun['headline'] = {}
  const measuredAt = new Date().toISOString()
  const commit = commitHere()
  return {
    table(title, head, lines) {
      printTable(title, head, lines)
      tables.push({ title, head: [...head], lines: lines.map((line) => [...line]) })
    },
    headline(name, market, value) {
      if (Number.isFinite(value)) headline[name] = { ...headline[name], [market]: Number(value.toPrecision(4)) }
    },
    write(file) {
      const memoryGb = Number((totalmem() / 2 ** 30).toFixed(1))
      const run: BenchRun = {
        measuredAt,
        commit,
        takenFrom: null,
        machine: { processor: cpus()[0]?.model.trim() ?? 'unknown', cores: availableParallelism(), memoryGb },
        node: process.version,
        load: { runnablePerCore: Number(load.perCoreSince().toFixed(2)) },
        headline,
        tables,
      }
      writeFileSync(file, `${JSON.stringify(benchRun.parse(run), null, 2)}\n`)
    },
  }
}

function commitHere(): string {
  const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).trim()
  const isChanged = git('status', '--porcelain', '--untracked-files=no', '--', 'src', 'test/bench') !== ''
  return `${git('rev-parse', '--short', 'HEAD')}${isChanged ? '+' : ''}`
}
