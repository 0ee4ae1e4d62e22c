/**
 * Which of the platform's choices explain what a service answers? Two jobs show what fee and slippage each set of conventions needs to explain
 * them. Every set under such costs is a hypothesis; the sweep engine predicts what each of them says of a config; test backtests are chosen one after
 * another so that their answers leave as few hypotheses as possible.
 *
 *     two cost tests ─► hypotheses × candidates ─ predict ─► choose a test backtest ─ the service answers ─► hypotheses that remain ─► choose … ─► explain
 *
 * Nothing is predicted that no decision needs: test backtests are decided by a sample of those that remain.
 */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { metricValue } from '../../../contract/metrics.ts'
import { createRandom } from '../../../engine/random.ts'
import { type CandidateTerms, drawCandidates, pointsOf } from './candidates.ts'
import { type Gauge, gaugesOf, isMoney, isSame, slackAt } from './compared-metrics.ts'
import { type Explanation, explain, findRemaining, type Remaining, type TestAnswer } from './explain.ts'
import { type CostFit, chooseCostTests, createCostFit, type StatedProfit } from './fit-costs.ts'
import { type AssumedTerms, listHypotheses, listSets, TRAITS, traitOf } from './hypotheses.ts'
import { createPredictions, type Predicted, type Predictions, type PredictionTerms } from './predictions.ts'

// Which candidate decides most about the hypotheses that remain.

interface Choice {
  readonly candidates: readonly DcaSpotConfig[]
  readonly hypotheses: readonly number[]
  /** What the answer will give, and how exactly. */
  readonly gauges: readonly Gauge[]
}

/** The candidate whose answer leaves the fewest hypotheses on average; null where no answer would tell any two of them apart. */
async function chooseTest(
  predictions: Predictions,
  { candidates, hypotheses, gauges }: Choice,
): Promise<DcaSpotConfig | null> {
  await predictions.compute(candidates, hypotheses)
  let best: DcaSpotConfig | null = null
  let fewest = hypotheses.length
  for (const config of candidates) {
    const left = leftOnAverage(classesOf(predictions.of(config), { hypotheses, gauges }))
    if (left >= fewest) continue
    fewest = left
    best = config
  }
  return best
}

/** By place in `hypotheses`: the number of its class. Those of one class predict values that the service would report alike. */
function classesOf(predicted: Predicted, { hypotheses, gauges }: Omit<Choice, 'candidates'>): readonly number[] {
  const byGauge = gauges.map(({ metric, resolution }) =>
    numberAlike(
      hypotheses.map((hypothesis) => predicted(hypothesis, metric)),
      resolution,
    ),
  )
  const numbers = new Map<string, number>()
  return hypotheses.map((_, place) => {
    const key = byGauge.map((ofGauge) => ofGauge[place]).join()
    const number = numbers.get(key) ?? numbers.size
    numbers.set(key, number)
    return number
  })
}

/** One number for values that could be reported alike: from the lowest on, as long as the next is no two resolutions away. Null is 0. */
function numberAlike(values: readonly (number | null)[], resolution: number): readonly number[] {
  const numbers = values.map(() => 0)
  const order = values
    .flatMap((value, place) => (value === null ? [] : [{ value, place }]))
    .sort((one, other) => one.value - other.value)
  let before = Number.NEGATIVE_INFINITY
  let number = 0
  for (const { value, place } of order) {
    if (value - before > 2 * (resolution + slackAt(value))) number++
    numbers[place] = number
    before = value
  }
  return numbers
}

/** Σ n² / N over the sizes of the classes, when each hypothesis may be the right one. */
function leftOnAverage(classes: readonly number[]): number {
  const sizes = new Map<number, number>()
  for (const number of classes) sizes.set(number, (sizes.get(number) ?? 0) + 1)
  return [...sizes.values()].reduce((sum, size) => sum + size * size, 0) / classes.length
}

// What a service may compute by after some answers: every set of conventions under the costs that fit it, fitted anew as answers come in.

interface LineUp {
  /** All that was compared so far; answers add to them. */
  readonly all: readonly AssumedTerms[]
  numberOf(settings: AssumedTerms): number
  /** By number. */
  after(answers: readonly TestAnswer[]): Promise<readonly number[]>
}

interface LineUpTerms extends Pick<PredictionTerms, 'prepared' | 'symbol' | 'pause'> {
  readonly sets: readonly AssumedTerms['conventions'][]
  /** Where nothing is solved for. */
  readonly usual: readonly AssumedTerms[]
  /** Of `chooseCostTests`. */
  readonly costTests: readonly [DcaSpotConfig, DcaSpotConfig]
}

/** Sets that are fitted between two pauses. */
const SETS_PER_PAUSE = 20

/** What the two cost tests show. */
interface Solution {
  readonly costFit: CostFit
  readonly solved: readonly AssumedTerms[]
  /** By the other answers. */
  readonly refined: Map<string, Refined>
}

interface Refined {
  readonly left: readonly Fitted[]
  /** They explain all answers. */
  readonly isMatch: boolean
}

/** A settings as the cost tests alone show it, and as all answers do. */
interface Fitted {
  readonly first: AssumedTerms
  readonly now: AssumedTerms
}

function createLineUp({ sets, usual, costTests, prepared, symbol, pause }: LineUpTerms): LineUp {
  const all: AssumedTerms[] = []
  const numbers = new Map<string, number>()
  const known = new Map<string, readonly AssumedTerms[]>()
  const solutions = new Map<string, Solution>()
  return { all, numberOf, after }

  async function after(answers: readonly TestAnswer[]): Promise<readonly number[]> {
    const stated = statedProfits(answers)
    const key = JSON.stringify(stated)
    const found = known.get(key) ?? (await lineUp(stated))
    known.set(key, found)
    return [...new Set(found.map(numberOf))]
  }

  function numberOf(settings: AssumedTerms): number {
    const name = JSON.stringify(settings)
    const number = numbers.get(name) ?? all.push(settings) - 1
    numbers.set(name, number)
    return number
  }

  async function lineUp(stated: readonly StatedProfit[]): Promise<readonly AssumedTerms[]> {
    const [held, stopped] = costTests.map((test) => stated.find(({ config }) => isEqual(config, test)))
    if (held === undefined || stopped === undefined) return usual
    const key = JSON.stringify([held, stopped])
    const solution = solutions.get(key) ?? (await solve([held, stopped]))
    solutions.set(key, solution)
    const { solved } = solution
    const pair = solved.at(0)?.costs
    if (pair === undefined) return usual
    const unsolved = sets.filter((set) => !solved.some(({ conventions }) => conventions === set))
    const others = stated.filter((each) => each !== held && each !== stopped)
    const { left, isMatch } = await refineAll(solution, others)
    return [
      ...left.map(({ now }) => now),
      ...solved.filter((settings) => !left.some(({ first }) => first === settings)),
      ...unsolved.map((conventions) => ({ conventions, costs: pair })),
      // The service may mean something else by its profits, so that what was solved for is no fee.
      ...(isMatch ? [] : usual),
    ]
  }

  async function solve(tests: readonly [StatedProfit, StatedProfit]): Promise<Solution> {
    const costFit = createCostFit(tests, { prepared, symbol })
    const solve = (conventions: AssumedTerms['conventions']) =>
      costFit.solve(conventions).map((costs) => ({ conventions, costs }))
    const solved = await overSets(sets, solve, pause)
    return { costFit, solved, refined: new Map() }
  }

  /** Those that explain the first answers, as many of these as any explains. */
  async function refineAll(solution: Solution, others: readonly StatedProfit[]): Promise<Refined> {
    const key = JSON.stringify(others)
    const found = solution.refined.get(key) ?? (await refineAnew(solution, others))
    solution.refined.set(key, found)
    return found
  }

  async function refineAnew(solution: Solution, others: readonly StatedProfit[]): Promise<Refined> {
    const { costFit, solved } = solution
    if (others.length === 0)
      return { left: solved.map((settings) => ({ first: settings, now: settings })), isMatch: true }
    const before = await refineAll(solution, others.slice(0, -1))
    if (!before.isMatch) return before
    const firsts = [...new Set(before.left.map(({ first }) => first))]
    const refine = (first: AssumedTerms): readonly Fitted[] =>
      costFit.refine(first, others).map((costs) => ({ first, now: { ...first, costs } }))
    const left = await overSets(firsts, refine, pause)
    return left.length === 0 ? { ...before, isMatch: false } : { left, isMatch: true }
  }
}

async function overSets<From, To>(
  from: readonly From[],
  make: (each: From) => readonly To[],
  pause: () => Promise<void>,
): Promise<readonly To[]> {
  const made: To[] = []
  for (const [at, each] of from.entries()) {
    if (at % SETS_PER_PAUSE === 0) await pause()
    made.push(...make(each))
  }
  return made
}

function statedProfits(answers: readonly TestAnswer[]): readonly StatedProfit[] {
  const gauges = gaugesOf(answers.flatMap(({ metrics }) => metrics ?? []))
  const gauge = gauges.find(({ metric }) => metric === 'netProfit' || metric === 'roiPercent')
  if (gauge === undefined) return []
  return answers.flatMap(({ config, metrics }): StatedProfit[] => {
    const value = metrics === null ? null : metricValue(metrics, gauge.metric)
    if (value === null) return []
    const unit = gauge.metric === 'roiPercent' ? config.investment / 100 : 1
    return [{ config, profit: value * unit, tolerance: (gauge.resolution + slackAt(value)) * unit }]
  })
}

function isEqual(one: DcaSpotConfig, other: DcaSpotConfig): boolean {
  return CONFIG_FIELDS.every((field) => one[field] === other[field])
}

interface CalibratorTerms extends CandidateTerms {
  /** The study's own settings: always suspected, and preferred among those that explain the answers alike. */
  readonly own: AssumedTerms
}

export interface Calibrator {
  /** The config to ask the service for next; null when nothing more can be told apart, or MOST_TESTS were asked for. */
  nextTest(answers: readonly TestAnswer[]): Promise<DcaSpotConfig | null>
  /** What the answers show; null when none of them states a profit. */
  conclude(answers: readonly TestAnswer[]): Promise<Explanation | null>
}

/** Jobs a calibration spends at most. */
export const MOST_TESTS = 6

/** Of all hypotheses, how many decide about a test backtest. */
const SAMPLE = 100
/** Where none matches, how many of the nearest. */
const NEAREST = 50

/** Where the cost tests failed. */
const PRESUMED: readonly Gauge[] = [{ metric: 'netProfit', resolution: 0.01 }]

/** A match is confirmed by so many jobs: two are explained by fitted costs, and several hundred sets may give one more profit to the cent. */
const CONFIRMED_BY = 4
/** And one of them has this share of the deals of the busiest candidate: one that ends early hardly meets the candles. */
const BUSY_SHARE = 0.5

/**
 * Work is done when it is needed, between calls of `pause`; a rejection of it ends the work. The same terms and answers give the same test backtests.
 */
export async function createCalibrator(terms: CalibratorTerms): Promise<Calibrator> {
  const { own, prepared, symbol, seed, pause } = terms
  const candidates = await drawCandidates(terms)
  const sets = listSets(own)
  const costTests = chooseCostTests(pointsOf(terms.space, seed)[0], terms)
  const lineUp = createLineUp({ sets, usual: listHypotheses(own), costTests, prepared, symbol, pause })
  const predictions = createPredictions({ prepared, symbol, hypotheses: lineUp.all, pause })
  const sampleOf = (among: readonly number[]) =>
    sampleHypotheses(lineUp.all, among, { most: SAMPLE, uniform: createRandom(seed).uniform })
  return { nextTest, conclude }

  async function remainingAfter(answers: readonly TestAnswer[]): Promise<Remaining> {
    return findRemaining(answers, { predictions, hypotheses: await lineUp.after(answers) })
  }

  async function nextTest(answers: readonly TestAnswer[]): Promise<DcaSpotConfig | null> {
    const isOpen = (config: DcaSpotConfig) => !answers.some((answer) => isEqual(answer.config, config))
    const open = candidates.filter(isOpen)
    if (answers.length >= MOST_TESTS || open.length === 0) return null
    // A service that states no profit would not state one the next time.
    if (answers.some(({ metrics }) => metrics !== null) && !answers.some(statesProfit)) return null
    const costTest = costTests.find(isOpen)
    if (costTest !== undefined) return costTest
    const remaining = await remainingAfter(answers)
    const telling = await chooseTest(predictions, { candidates: open, ...decisive(remaining) })
    return telling ?? (await confirmingTest(open, remaining))
  }

  /** The hypotheses that decide about the next test, and what its answer will give. */
  function decisive(remaining: Remaining): Omit<Choice, 'candidates'> {
    if (!remaining.isMatch)
      return { hypotheses: remaining.hypotheses.slice(0, NEAREST), gauges: coarserGauges(remaining) }
    const gauges = remaining.gauges.length === 0 ? PRESUMED : remaining.gauges
    return { hypotheses: sampleOf(remaining.hypotheses), gauges }
  }

  /** Where none matches, differences smaller than those that the nearest leaves show nothing. */
  function coarserGauges({ gauges, hypotheses: [nearest], answered }: Remaining): readonly Gauge[] {
    return gauges.slice(0, 1).map(({ metric }) => {
      const left = answered.map(({ metrics, config }) => {
        const [service, predicted] = [metricValue(metrics, metric), predictions.of(config)(nearest, metric)]
        return service === null || predicted === null ? 0 : Math.abs(service - predicted)
      })
      return { metric, resolution: Math.max(...left) }
    })
  }

  /** The busiest open candidate, while too few or too idle jobs have shown whether what matches does so by chance. */
  async function confirmingTest(open: readonly DcaSpotConfig[], remaining: Remaining): Promise<DcaSpotConfig | null> {
    const { answered, gauges } = remaining
    if (gauges.length === 0) return null
    const [hypothesis] = remaining.hypotheses
    await predictions.compute(candidates, [hypothesis])
    const deals = (config: DcaSpotConfig) => predictions.of(config)(hypothesis, 'closedDeals') ?? 0
    const most = Math.max(...candidates.map(deals))
    const isBusy = answered.some(({ config }) => deals(config) >= BUSY_SHARE * most)
    return isBusy && answered.length >= CONFIRMED_BY
      ? null
      : open.reduce((one, other) => (deals(other) > deals(one) ? other : one))
  }

  async function conclude(answers: readonly TestAnswer[]): Promise<Explanation | null> {
    const remaining = await remainingAfter(answers)
    if (remaining.gauges.length === 0) return null
    const alike = findAlike(remaining, predictions)
    const { gauges } = remaining
    const telling = await chooseTest(predictions, { candidates, hypotheses: sampleOf(alike), gauges })
    const findings = {
      own,
      hypotheses: lineUp.all,
      sets: sets.length,
      predictions,
      remaining,
      isSettled: telling === null,
      isConfirmed: remaining.answered.length >= CONFIRMED_BY,
      numberOf: lineUp.numberOf,
    }
    return explain(alike, findings)
  }
}

/**
 * About `most` hypotheses, by number: drawn ones, each with all that differ from it in one trait. These are the hardest to tell apart, so a
 * test backtest that is good for them is good for all.
 */
export function sampleHypotheses(
  hypotheses: readonly AssumedTerms[],
  among: readonly number[],
  { most, uniform }: { readonly most: number; readonly uniform: () => number },
): readonly number[] {
  if (among.length <= most) return among
  const sample = new Set<number>()
  while (sample.size < most) {
    const drawn = among[Math.floor(uniform() * among.length)]
    sample.add(drawn)
    for (const other of among) if (differInOne(hypotheses[drawn], hypotheses[other])) sample.add(other)
  }
  return [...sample]
}

function differInOne(one: AssumedTerms, other: AssumedTerms): boolean {
  let differences = 0
  for (const trait of TRAITS) {
    if (traitOf(one, trait) !== traitOf(other, trait) && ++differences > 1) return false
  }
  return differences === 1
}

/**
 * Of the hypotheses that remain those that explain the answers alike, by number: all, where they match; else those that predict the same as
 * the nearest.
 */
function findAlike(remaining: Remaining, predictions: Predictions): readonly number[] {
  const { answered, hypotheses, isMatch, gauges } = remaining
  if (isMatch) return hypotheses
  const [nearest] = hypotheses
  return hypotheses.filter((hypothesis) =>
    answered.every(({ config }) =>
      gauges.every((gauge) => {
        const [one, other] = [nearest, hypothesis].map((each) => predictions.of(config)(each, gauge.metric))
        return one === null ? other === null : isSame(one, other, gauge)
      }),
    ),
  )
}

function statesProfit({ metrics }: TestAnswer): boolean {
  return metrics !== null && gaugesOf([metrics]).some(({ metric }) => isMoney(metric))
}
