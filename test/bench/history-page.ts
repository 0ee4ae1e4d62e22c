/** The page that says how the headline figures came to be what they are: written from the JSON of runs in `history/`. */
import type { BenchRun } from './bench-run.ts'
import {
  HEADLINE_MARKET_NAMES,
  HEADLINE_MARKETS,
  HEADLINE_NAMES,
  HEADLINES,
  type HeadlineMarket,
  type HeadlineName,
  wantedOf,
} from './headline.ts'
import { NOT_MEASURED, QUIET_PER_CORE } from './load-watch.ts'
import { missedSection } from './missed.ts'
import { pageRow } from './page-row.ts'

/** @param runs the oldest first */
export function historyPage(runs: readonly BenchRun[]): string {
  const sections = HEADLINE_NAMES.map((name) => sectionOf(name, runs)).filter((section) => section !== null)
  return `${HEAD}
${sections.join('\n')}
${missedSection(runs)}
## Where each was measured

${[pageRow(['commit', 'measured', 'where']), pageRow(['---', '---', '---']), ...runs.map(placeOf)].join('\n')}
`
}

const HEAD = `# How fast it is, and since when

What a screen costs in processor time, commit by commit, the oldest first. A *config-year* is one configuration over a year of minute candles. Configurations that are *unrelated* share nothing; in a *grid* many differ
in one value only, and a deal that they have in common is computed once. The loops in C do the same work one candle after the other, to compare with. "wanted" is what we aim at; what misses it stands below, with the reason.

"not kept" is a figure that was measured and not written down, "${NOT_MEASURED}" one that an older bench did not know yet; ratios are of one run. Figures by the clock on the wall stand in no table: the bench prints them on a quiet machine only, and "${NOT_MEASURED}" above ${QUIET_PER_CORE} runnable tasks per core.
Processor time is less delicate, but not free of what others do: two threads that share a core, or its cache, slow each other. The load of each run stands at the end; compare runs of like load.

Every commit can be measured again: \`npm run bench -- --json FILE\`. The tables are written from the runs kept in \`test/bench/history/\`
(\`npx vitest run --config test/vitest.config.ts test/bench/history.test.ts -u\`), none of them by hand.
`

function sectionOf(name: HeadlineName, runs: readonly BenchRun[]): string | null {
  const first = runs.findIndex(({ headline }) => headline[name] !== undefined)
  if (first === -1) return null
  // Some figures are of one market alone.
  const isOn = (market: HeadlineMarket) => runs.some(({ headline }) => headline[name]?.[market] !== undefined)
  // Runs of an older bench did not measure it; where figures were taken from elsewhere, nobody knows.
  const shown = runs.filter(
    ({ headline, takenFrom }, at) => headline[name] !== undefined || (at < first && takenFrom === null),
  )
  const lines = shown.map(({ commit, headline, takenFrom }) => {
    const missing = takenFrom === null ? NOT_MEASURED : 'not kept'
    const figures = HEADLINE_MARKET_NAMES.map((market) =>
      isOn(market) ? String(headline[name]?.[market] ?? missing) : '',
    )
    return pageRow([`\`${commit}\``, ...figures])
  })
  const wanted = wantedOf(name)
  const last = pageRow(['wanted', ...HEADLINE_MARKET_NAMES.map((market) => wanted[market] ?? '')])
  const head = ['commit', ...HEADLINE_MARKET_NAMES.map((market) => HEADLINE_MARKETS[market])]
  const table = [
    pageRow(head),
    pageRow(head.map(() => '---')),
    ...lines,
    ...(Object.keys(wanted).length === 0 ? [] : [last]),
  ]
  return `## ${HEADLINES[name].title}\n\n${table.join('\n')}\n`
}

function placeOf({ commit, measuredAt, takenFrom, machine, node, load }: BenchRun): string {
  const where =
    machine === null || load === null
      ? `taken from ${takenFrom}; machine and load were not kept`
      : `${machine.processor}, ${machine.cores} cores, ${machine.memoryGb} GB, Node ${node}, ${load.runnablePerCore} runnable tasks per core`
  return pageRow([`\`${commit}\``, measuredAt.slice(0, 10), where])
}
