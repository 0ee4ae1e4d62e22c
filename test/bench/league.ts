/**
 * `npm run bench:league`: what a rule of choosing, a grade and a baseline are worth on spans nobody looked at. Windows are drawn by the seed,
 * the hash of a commit, over all candles of a folder (`--candles`, default the shared ones); `--windows` and `--markets` say how many,
 * `--write` puts the tables into the guide.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sharedData } from '../support/shared-data.ts'
import { drawWindows, type LeagueWindow, madeUpWindow, readRecordings } from './league/markets.ts'
import { playWindow, type WindowRecord } from './league/play.ts'
import { type LeagueTable, leagueTables } from './league/tables.ts'
import { print, table } from './measure.ts'

const PAGE = join(process.cwd(), 'src/guide/evidence.md')

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    candles: { type: 'string' },
    windows: { type: 'string', default: '400' },
    markets: { type: 'string', default: '200' },
    write: { type: 'boolean', default: false },
  },
})
main()

function main(): void {
  const { seed } = values
  const folder = values.candles ?? sharedData('candles')
  const recorded = folder === undefined ? [] : drawWindows(readRecordings(folder), seed, Number(values.windows))
  const records: WindowRecord[] = []
  const play = (window: LeagueWindow) => {
    const record = playWindow(window, seed)
    if (record !== undefined) records.push(record)
    if (records.length % 20 === 0) process.stderr.write(`${records.length} windows played\n`)
  }
  for (const window of recorded) play(window)
  for (const kind of ['noEdge', 'planted'] as const) {
    for (let number = 0; number < Number(values.markets); number++) play(madeUpWindow(kind, seed, number))
  }
  const tables = leagueTables(records)
  print(`seed ${seed}, ${recorded.length} windows drawn\n`)
  for (const { title, head, lines } of tables) table(title, head, lines)
  if (values.write) writeFileSync(PAGE, pageOf(tables, seed))
}

function pageOf(tables: readonly LeagueTable[], seed: string): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const parts = tables.map(({ title, head, lines }) =>
    [`## ${title}`, '', row(head), row(head.map(() => '---')), ...lines.map(row)].join('\n'),
  )
  return `# Evidence

What rules of choosing and grades of a verdict were worth on later days that nobody had looked at. Each rule chooses on 45 days and is scored on the next 15, with worst-case fills. A percentile is the place among 1,000 random ladders on the same days.
Brackets are 90 % intervals, drawn by months or by made-up markets. Written by \`npm run bench:league\` (see \`test/bench/league/\`). Seed \`${seed}\`, the hash of the commit that wrote the rules.

${parts.join('\n\n')}
`
}
