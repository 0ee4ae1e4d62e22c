/**
 * Whether the detective finds what a service computes by: hidden sets of conventions and costs, drawn by a seed that is not known when the code
 * is written, asked through at most six jobs. The truth is computed by whole backtests; the detective predicts by sweeps.
 */
import { sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { MOST_PROBES } from '../../../src/workbench/search/detective/detective.ts'
import { listSuspects } from '../../../src/workbench/search/detective/suspects.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { sharedData } from '../../support/shared-data.ts'
import {
  countPredicted,
  detectiveAt,
  drawTruths,
  moveCandles,
  OWN,
  type Place,
  reporting,
  roundedProfit,
  rulesAt,
  serviceAt,
  uncover,
  type Verdict,
} from '../../workbench/search/detective/hidden-service.ts'

const HIDDEN = 30
const OTHER_CONFIGS = 40
const DAY_MS = 86_400_000

interface Stretch {
  readonly name: string
  readonly file: string
  readonly intervalMs: number
  readonly days: number
  readonly hasRules: boolean
}

/** The detective was built on the first three; the others it had not seen when it was finished. */
const STRETCHES: readonly Stretch[] = [
  {
    name: 'ETH minutes, 90 days of 2025',
    file: 'binance_ETH-USDT_1m_2025-05-20_2025-08-18',
    intervalMs: 60_000,
    days: 90,
    hasRules: true,
  },
  {
    name: 'XVG 5 minutes, 90 days of 2025',
    file: 'binance_XVG-USDT_5m_2025-01_2025-06',
    intervalMs: 300_000,
    days: 90,
    hasRules: false,
  },
  {
    name: 'BTC hours, a year from August 2017',
    file: 'binance_BTC-USDT_1h_2017-08_2024-04',
    intervalMs: 3_600_000,
    days: 365,
    hasRules: true,
  },
  {
    name: 'SOL 5 minutes, 90 days from August 2022, not seen before',
    file: 'binance_SOL-USDT_5m_2022-08_2023-09',
    intervalMs: 300_000,
    days: 90,
    hasRules: true,
  },
  {
    name: 'BTC-PERP minutes, January 2022, not seen before',
    file: 'ftx_BTC-PERP_1m_2021-12-31_2022-02-01',
    intervalMs: 60_000,
    days: 31,
    hasRules: false,
  },
]

/** @param seed hex digits, such as a commit's hash; the first eight count */
export async function benchDetective(seed: string): Promise<readonly string[]> {
  const number = Number.parseInt(seed.slice(0, 8), 16)
  if (!Number.isSafeInteger(number)) throw new Error(`the seed is to be hex digits, found "${seed}"`)
  const lines = [
    `detective: ${HIDDEN} hidden sets for each line, drawn by seed ${seed.slice(0, 8)}, at most ${MOST_PROBES} jobs`,
  ]
  for (const { name, file, intervalMs, days, hasRules } of STRETCHES) {
    const path = sharedData(`candles/${file}.csv.gz`)
    if (path === undefined) continue
    const all = readCsvCandles(path, intervalMs)
    const candles = sliceCandles(all, all.openTime[0], all.openTime[0] + days * DAY_MS)
    const symbol = hasRules ? rulesAt(candles.open[0]) : NO_SYMBOL_RULES
    lines.push(
      `${name}, ${hasRules ? 'tick and lot' : 'no symbol rules'}`,
      ...(await measure({ candles, symbol }, number)),
    )
  }
  return lines
}

async function measure(place: Place, seed: number): Promise<readonly string[]> {
  const before = process.cpuUsage()
  const detective = await detectiveAt(place)
  const truths = drawTruths(listSuspects(OWN), HIDDEN, seed)
  const first = await uncover(detective, serviceAt(place, truths[0]), truths[0])
  const { user, system } = process.cpuUsage(before)

  const exact: Verdict[] = []
  const rounded: Verdict[] = []
  const counted: Verdict[] = []
  const moved: Verdict[] = []
  let predicted = 0
  for (const [at, truth] of truths.entries()) {
    const service = serviceAt(place, truth)
    const verdict = await uncover(detective, service, truth)
    exact.push(verdict)
    predicted += countPredicted(place, { best: verdict.explanation.best, truth, configs: OTHER_CONFIGS })
    rounded.push(await uncover(detective, roundedProfit(service), truth))
    counted.push(await uncover(detective, reporting(service, ['closedDeals', 'stopLosses', 'winRatePercent']), truth))
    const elsewhere = { ...place, candles: moveCandles(place.candles, seed + at) }
    moved.push(await uncover(detective, serviceAt(elsewhere, truth), truth))
  }
  const wrong = moved.filter(({ isRight }) => !isRight)
  const flagged = wrong.filter(({ explanation }) => explanation.isPoor).length
  const falselyPoor = [...exact, ...rounded].filter(({ explanation }) => explanation.isPoor).length
  return [
    `  exact results       ${sayFound(exact)}; on other configs of the grid the best predicts ${predicted} of ${HIDDEN * OTHER_CONFIGS}`,
    `  profit to the cent  ${sayFound(rounded)}`,
    `  counts of deals     ${sayFound(counted)}`,
    `  moved candles       ${HIDDEN - wrong.length} of ${HIDDEN} right; of ${wrong.length} wrong ones ${flagged} said to be a poor match (1 % of candles by at most 1 %)`,
    `  equal candles       ${falselyPoor} of ${exact.length + rounded.length} said to be a poor match`,
    `  CPU of one alone    ${((user + system) / 1e6).toFixed(1)} s with ${first.jobs} jobs`,
  ]
}

function sayFound(verdicts: readonly Verdict[]): string {
  const found = verdicts.filter(({ isFound }) => isFound).length
  const jobs = verdicts.reduce((sum, each) => sum + each.jobs, 0) / verdicts.length
  return `${found} of ${verdicts.length} found up to ties by ${jobs.toFixed(1)} jobs on average`
}
