/** `dcalab prune`: drops what is large and old from the store, never what was paid for. */
import { Failure } from '../../errors.ts'
import type { PruneReport } from '../../workbench/store/prune.ts'
import { type CommonOptions, type Register, withExamples, withStore } from '../context.ts'
import { option } from '../option.ts'
import { countOf, formatTime, printJson, printLines, say } from '../output.ts'
import { pathsOf, withKnownStore } from '../workbench.ts'

interface PruneOptions extends CommonOptions {
  readonly olderThan: string
  readonly dryRun?: boolean
}

export const pruneCommand: Register = (program, context) => {
  const command = program
    .command('prune')
    .description('drops replies, deals and daily equity of old results; metrics, jobs and the ledger stay')
    .addOption(option('--older-than <age>', 'of results that ended longer ago: 1y, 12w, 90d').makeOptionMandatory())
    .option('--dry-run', 'say what would be dropped, drop nothing')
  withExamples(withStore(command), [
    'dcalab prune --older-than 1y --dry-run',
    'dcalab prune --older-than 90d --json',
  ]).action((options: PruneOptions) =>
    withKnownStore(context, pathsOf(context, options).store, async (store) => {
      const before = context.system.clock.wall() - ageOf(options.olderThan)
      const { pruneStore } = await import('../../workbench/store/prune.ts')
      const { terminal, clock } = context.system
      const dryRun = options.dryRun ?? false
      const report = await pruneStore(store, { before, dryRun, pause: () => clock.sleep(0, context.signal) })
      if (options.json) return printJson(terminal, report)
      await printLines(terminal, describe(report))
      if (report.file.after === null && !dryRun && !isNothing(report)) {
        say(terminal, 'the file keeps its size and uses the space again: another process reads it, or little was freed')
      }
    }),
  )
}

const DAY_MS = 86_400_000
const UNIT_DAYS = { d: 1, w: 7, y: 365 } as const

/** In ms. @throws Failure usage */
function ageOf(text: string): number {
  const [, count, unit] = /^([1-9]\d{0,4})([dwy])$/.exec(text) ?? []
  if (unit === 'd' || unit === 'w' || unit === 'y') return Number(count) * UNIT_DAYS[unit] * DAY_MS
  throw new Failure('usage', `--older-than expects a number of days, weeks or years (90d, 12w, 1y), found "${text}"`)
}

function isNothing({ replies, series, endpointReplies }: PruneReport): boolean {
  return replies.rows + series.results + endpointReplies.rows === 0
}

function describe(report: PruneReport): string[] {
  const { before, dryRun, replies, series, endpointReplies, file } = report
  const drops = dryRun ? 'would drop' : 'dropped'
  const cut = formatTime(Date.parse(before))
  if (isNothing(report)) return [`nothing to drop from before ${cut}`]
  return [
    `${drops} what is from before ${cut}:`,
    `  ${repliesOf(replies.rows)} of jobs, ${sizeOf(replies.bytes)}`,
    `  deals and daily equity of ${countOf(series.results, 'result')}: ${countOf(series.deals, 'deal')}, about ${sizeOf(series.bytes)}`,
    `  ${repliesOf(endpointReplies.rows)} of other endpoints, ${sizeOf(endpointReplies.bytes)}`,
    'metrics, jobs, attempts and looks stay',
    ...(file.after === null ? [] : [`the file is ${sizeOf(file.after)} now, it was ${sizeOf(file.before)}`]),
  ]
}

function sizeOf(bytes: number): string {
  return bytes < 1_000_000 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}

function repliesOf(count: number): string {
  return count === 1 ? '1 reply' : `${count} replies`
}
