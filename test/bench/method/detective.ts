/**
 * (d) Whether the detective finds what a service computes by: hidden sets of conventions and costs, drawn by a seed that is not known when the
 * code is written, asked through at most six jobs. The truth is computed by whole backtests; the detective predicts by sweeps.
 */
import { sliceCandles } from '../../../src/engine/candles.ts'
import { NO_SYMBOL_RULES } from '../../../src/engine/conventions.ts'
import { MOST_TESTS } from '../../../src/workbench/search/calibration/calibrator.ts'
import { readCsvCandles } from '../../support/csv-candles.ts'
import { sharedData } from '../../support/shared-data.ts'
import {
  calibratorAt,
  countPredicted,
  drawTruths,
  moveCandles,
  type Place,
  roundedProfit,
  rulesAt,
  serviceAt,
  uncover,
  type Verdict,
} from '../../workbench/search/calibration/hidden-service.ts'
import { DETECTIVE_STRETCHES, type DetectiveStretch } from './detective-stretches.ts'

/** Drawn for each stretch. */
export const HIDDEN_SETS = 6
const OTHER_CONFIGS = 40
const DAY_MS = 86_400_000

export interface DetectiveFigures {
  /** yyyy-mm-dd. */
  readonly measuredOn: string
  readonly seed: string
  /** Sets per stretch. */
  readonly hidden: number
  /** Of one set, at most. */
  readonly mostJobs: number
  readonly places: readonly DetectivePlace[]
}

export interface DetectivePlace {
  readonly name: string
  /** Everything that a result tells; net profit alone, to two decimals. */
  readonly exact: Found
  readonly rounded: Found
  /** Other configurations of the grid, of all sets: so many has the best set predicted with the same net profit and deals. */
  readonly predicted: Part
  /** Services on other candles: the truth is the best or ties with it. */
  readonly movedRight: Part
  /** Of those on other candles whose answer is wrong: said to be a poor match. */
  readonly movedFlagged: Part
  /** Services on equal candles, exact and rounded: said to be a poor match all the same. */
  readonly falselyPoor: Part
  /** All services: wrong, and called a good match. */
  readonly wrongCalledGood: Part
  /** The processor's time of finding one set from exact results. */
  readonly cpuSeconds: number
}

interface Part {
  readonly count: number
  readonly of: number
}

/** Sets that were found up to ties. */
interface Found extends Part {
  /** Of one set, on average. */
  readonly jobs: number
}

/**
 * @param seed hex digits, such as a commit's hash; the first eight count
 * @param of when it is measured, and on how many sets of each stretch
 */
export async function measureDetective(
  seed: string,
  { measuredOn, hidden }: Pick<DetectiveFigures, 'measuredOn' | 'hidden'>,
): Promise<DetectiveFigures> {
  const number = Number.parseInt(seed.slice(0, 8), 16)
  if (!Number.isSafeInteger(number)) throw new Error(`the seed is to be hex digits, found "${seed}"`)
  const places: DetectivePlace[] = []
  for (const stretch of DETECTIVE_STRETCHES) {
    const place = readPlace(stretch)
    if (place !== undefined) places.push(await measurePlace(stretch.name, place, { seed: number, hidden }))
  }
  return { measuredOn, seed, hidden, mostJobs: MOST_TESTS, places }
}

function readPlace({ file, intervalMs, days, hasRules }: DetectiveStretch): Place | undefined {
  const path = sharedData(`candles/${file}.csv.gz`)
  if (path === undefined) return undefined
  const all = readCsvCandles(path, intervalMs)
  const candles = sliceCandles(all, all.openTime[0], all.openTime[0] + days * DAY_MS)
  return { candles, symbol: hasRules ? rulesAt(candles.open[0]) : NO_SYMBOL_RULES }
}

async function measurePlace(
  name: string,
  place: Place,
  { seed, hidden }: { readonly seed: number; readonly hidden: number },
): Promise<DetectivePlace> {
  const truths = drawTruths(hidden, seed)
  const exact: Verdict[] = []
  const rounded: Verdict[] = []
  const moved: Verdict[] = []
  let predicted = 0
  const before = process.cpuUsage()
  for (const truth of truths) exact.push(await uncover(await calibratorAt(place), serviceAt(place, truth), truth))
  const { user, system } = process.cpuUsage(before)
  const detective = await calibratorAt(place)
  for (const [at, truth] of truths.entries()) {
    predicted += countPredicted(place, { best: exact[at].explanation.best, truth, configs: OTHER_CONFIGS })
    rounded.push(await uncover(detective, roundedProfit(serviceAt(place, truth)), truth))
    const elsewhere = { ...place, candles: moveCandles(place.candles, seed + at) }
    moved.push(await uncover(detective, serviceAt(elsewhere, truth), truth))
  }
  const isWrong = ({ isRight }: Verdict) => !isRight
  const isPoor = ({ explanation }: Verdict) => explanation.isPoor
  return {
    name,
    exact: foundOf(exact),
    rounded: foundOf(rounded),
    predicted: { count: predicted, of: hidden * OTHER_CONFIGS },
    movedRight: partOf(moved, ({ isRight }) => isRight),
    movedFlagged: partOf(moved.filter(isWrong), isPoor),
    falselyPoor: partOf([...exact, ...rounded], isPoor),
    wrongCalledGood: partOf([...exact, ...rounded, ...moved], (verdict) => isWrong(verdict) && !isPoor(verdict)),
    cpuSeconds: Number(((user + system) / 1e6 / hidden).toFixed(1)),
  }
}

function foundOf(verdicts: readonly Verdict[]): Found {
  const jobs = verdicts.reduce((sum, each) => sum + each.jobs, 0) / verdicts.length
  return { ...partOf(verdicts, ({ isFound }) => isFound), jobs: Number(jobs.toFixed(1)) }
}

function partOf(verdicts: readonly Verdict[], is: (verdict: Verdict) => boolean): Part {
  return { count: verdicts.filter(is).length, of: verdicts.length }
}
