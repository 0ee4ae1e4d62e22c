/** What a service may compute by after some answers: every set of conventions under the costs that fit it, fitted anew as answers come in. */
import { CONFIG_FIELDS, type DcaSpotConfig } from '../../../contract/bot.ts'
import { metricValue } from '../../../contract/metric-values.ts'
import { gaugesOf, slackAt } from './compared-metrics.ts'
import { type CostFit, createCostFit, type StatedProfit } from './fit-costs.ts'
import type { PredictionTerms } from './predictions.ts'
import type { ProbeAnswer } from './remaining.ts'
import type { AssumedTerms } from './suspects.ts'

export interface LineUp {
  /** All that was compared so far; answers add to them. */
  readonly all: readonly AssumedTerms[]
  numberOf(settings: AssumedTerms): number
  /** By number. */
  after(answers: readonly ProbeAnswer[]): Promise<readonly number[]>
}

export interface LineUpTerms extends Pick<PredictionTerms, 'prepared' | 'symbol' | 'pause'> {
  readonly sets: readonly AssumedTerms['conventions'][]
  /** Where nothing is solved for. */
  readonly usual: readonly AssumedTerms[]
  /** Of `chooseCostProbes`. */
  readonly costProbes: readonly [DcaSpotConfig, DcaSpotConfig]
}

/** Sets that are fitted between two pauses. */
const SETS_PER_PAUSE = 20

/** What the two cost probes show. */
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

/** A settings as the cost probes alone show it, and as all answers do. */
interface Fitted {
  readonly first: AssumedTerms
  readonly now: AssumedTerms
}

export function createLineUp({ sets, usual, costProbes, prepared, symbol, pause }: LineUpTerms): LineUp {
  const all: AssumedTerms[] = []
  const numbers = new Map<string, number>()
  const known = new Map<string, readonly AssumedTerms[]>()
  const solutions = new Map<string, Solution>()
  return { all, numberOf, after }

  async function after(answers: readonly ProbeAnswer[]): Promise<readonly number[]> {
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
    const [held, stopped] = costProbes.map((probe) => stated.find(({ config }) => isEqual(config, probe)))
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

  async function solve(probes: readonly [StatedProfit, StatedProfit]): Promise<Solution> {
    const costFit = createCostFit(probes, { prepared, symbol })
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

function statedProfits(answers: readonly ProbeAnswer[]): readonly StatedProfit[] {
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

export function isEqual(one: DcaSpotConfig, other: DcaSpotConfig): boolean {
  return CONFIG_FIELDS.every((field) => one[field] === other[field])
}
