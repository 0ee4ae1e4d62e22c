/** What of the wanted figures the newest run misses, and the profile that says why: a section of the page of speeds. */
import type { BenchRun } from './bench-run.ts'
import { HEADLINE_MARKET_NAMES, HEADLINE_MARKETS, HEADLINE_NAMES, HEADLINES, wantedOf } from './headline.ts'
import { pageRow } from './page-row.ts'

/** Parts of the time of a sweep of the grid, as they are profiled. */
const PARTS = [
  'walk',
  'levels',
  'order of peak and fall',
  'records',
  'days',
  'memo and rare candles',
  'outside the kernel',
] as const

/**
 * Samples of `perf record -e cpu-clock` in whole sweeps of the grid, preparing the candles apart. As many sweeps of each, so that numbers of one
 * market can be compared: in the order of PARTS.
 */
const PROFILE_COMMIT = 'bd37a98'
const PROFILES = [
  { market: 'synthetic', of: 'bare', samples: [4605, 0, 0, 0, 0, 132, 322] },
  { market: 'synthetic', of: 'with drawdowns and Sharpe', samples: [5908, 0, 909, 545, 467, 157, 307] },
  { market: 'eth', of: 'bare', samples: [1416, 0, 0, 0, 0, 46, 311] },
  { market: 'eth', of: 'with drawdowns and Sharpe', samples: [2008, 0, 361, 227, 119, 40, 381] },
  { market: 'eth', of: 'with rules and dear ladders', samples: [1771, 798, 0, 0, 0, 28, 323] },
  { market: 'doge', of: 'bare', samples: [5509, 0, 0, 0, 0, 399, 251] },
  { market: 'doge', of: 'with rules and dear ladders', samples: [7194, 3541, 0, 0, 0, 397, 265] },
] as const

/** @param runs the oldest first; of each figure counts the newest that was measured here */
export function missedSection(runs: readonly BenchRun[]): string {
  const measured = runs.filter(({ machine }) => machine !== null)
  if (measured.length === 0) return ''
  const head = ['time of the grid, samples', '', ...PARTS]
  const rows = PROFILES.map(({ market, of, samples }) =>
    pageRow([HEADLINE_MARKETS[market], of, ...samples.map((count) => (count === 0 ? '' : String(count)))]),
  )
  return `## What is missed, and why

Of each figure's newest run, over or under what is wanted:

${missedFigures(measured).join('\n')}

Where the time of the grid goes, by a profile of \`${PROFILE_COMMIT}\`: samples of the clock over as many sweeps in each line of a market.

${[pageRow(head), pageRow(head.map(() => '---')), ...rows].join('\n')}

${WHY}
`
}

function missedFigures(runs: readonly BenchRun[]): string[] {
  return HEADLINE_NAMES.flatMap((name) =>
    HEADLINE_MARKET_NAMES.flatMap((market) => {
      const wanted = wantedOf(name)[market]
      const newest = runs.findLast(({ headline }) => headline[name]?.[market] !== undefined)
      const figure = newest?.headline[name]?.[market]
      if (newest === undefined || wanted === undefined || figure === undefined || isReached(figure, wanted)) return []
      return [
        `- ${HEADLINES[name].title}, ${HEADLINE_MARKETS[market]}: ${figure}, wanted ${wanted} (\`${newest.commit}\`)`,
      ]
    }),
  )
}

/** @param wanted `≤ 1.5` or `≥ 6` */
export function isReached(figure: number, wanted: string): boolean {
  const limit = Number(wanted.slice(1))
  if (Number.isNaN(limit)) throw new Error(`a wanted figure is "≤ number" or "≥ number", not "${wanted}"`)
  return wanted.startsWith('≤') ? figure <= limit : figure >= limit
}

const WHY = `**Risk.** Two fifths of what it adds is in the walk itself: bounds of every deal, and the deals that are walked by themselves although a relative made them. The rest
is work that only risk has: finding in which order peak and fall came, what the records became, equities at day ends. On ETH 102,000 of the 128,000 deals whose candles are searched do set a new
deepest fall, in 712,000 that are walked: each configuration has a short history, so its early deals are its records, and a tighter bound would not pass them over. 72,000 deals that a relative
had made are walked again for the same reason, as highest and lowest worth do not say which came first. What would be left to try is to keep such a deal as a candidate and to search
only those that are still candidates when the block ends.

**Ladders dearer than the budget.** Levels are rounded at every fill (\`enterRows\`, three quarters of the part on ETH), and which orders the cash pays is counted at every start (\`countOrders\`); where a lot
decides that, all rows are written. The walk takes longer because a deal whose ladder is cut cannot be taken in the short loop of deals from the memo: on ETH that loop takes 1.2 million deals
instead of 2.5.

**A whole screen.** It takes what its sweep takes. In one run (\`ef0eadee\`) the sweep of 30,720 points did 4.1 M config-years in a minute of CPU on the synthetic year, a whole screen of
153,600 points of the same kind 4.3 M, the program's start, its candles and its top among them; on ETH 2.3 M and 2.3 M. Only a shorter walk would bring it nearer.

**One boarding for each configuration.** A distinct configuration is boarded twice, to find its key and to fly. The second time is some 4 % of the bare grid on ETH. Keeping the first one would hold
the tables of all points of a sweep at once, half a kilobyte a point where a batch is small today, and save at most that.`
