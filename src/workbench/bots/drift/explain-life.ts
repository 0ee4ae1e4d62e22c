/**
 * By which other conventions and costs a bot's deeds follow from its candles. The hypotheses are those of calibration; one that fails on
 * the first deals is not replayed further. An explanation is exact when every fill, every order and the profit agree; of exact ones
 * only those are kept of which no smaller change is exact too. Where there is none, the best single changes are proposed. Pure.
 */
import { type Candles, sliceCandles } from '../../../engine/candles.ts'
import type { Conventions, Costs } from '../../../engine/conventions.ts'
import {
  type AssumedTerms,
  countDifferences,
  listHypotheses,
  TRAITS,
  traitOf,
} from '../../search/calibration/hypotheses.ts'
import { countKinds, matchDeals, matchFills, type PairCounts } from './match-deals.ts'
import {
  type BotLife,
  type Decimals,
  dealsOfFills,
  decimalsOfLife,
  isSameLife,
  type LifeInput,
  type ReplayedLife,
  replayLife,
  type TradedFill,
} from './replay-life.ts'

/** One change: a convention's name, `feePercent` or `slippagePercent`, and its other value. */
type TermChanges = Readonly<Record<string, string | number | null>>

export interface DriftAlternative {
  readonly conventions: Conventions
  readonly costs: Costs
  /** What differs from the terms of the replay. */
  readonly changes: TermChanges
  /** Deals that match under these, of all that the bot or this backtest has. */
  readonly matched: number
  readonly of: number
  /** Fills, orders and profit agree, as finely as they are reported. */
  readonly isExact: boolean
}

export interface LifeExplanation {
  /** The one with the fewest changes first; empty where the replay agrees already, or nothing explains more. */
  readonly alternatives: readonly DriftAlternative[]
  /** False: there were more hypotheses than time; what was not tried may explain it too. */
  readonly isComplete: boolean
}

/** Candles that all replays together may pass: about ten seconds. */
const MOST_STEPS = 200_000_000
/** Changes at once, when none explains everything. */
const MOST_CHANGES = 4
/** More would be a list of ties nobody reads. */
const MOST_ALTERNATIVES = 12

interface Search {
  readonly input: LifeInput
  readonly bot: BotLife
  readonly decimals: Decimals
  readonly own: AssumedTerms
  /** Ends of ever longer beginnings of the bot's life, ms UTC. */
  readonly beginnings: readonly number[]
  steps: number
}

/** @param own what the replay was computed under, which explains it not */
export function explainLife(input: LifeInput, bot: BotLife, own: AssumedTerms): LifeExplanation {
  const beginnings = beginningsOf(input, bot.fills)
  const search: Search = { input, bot, own, beginnings, decimals: decimalsOfLife(bot), steps: 0 }
  const assumed = hypothesesOf(search)
    .map((hypothesis) => ({ hypothesis, changes: changesBetween(own, hypothesis) }))
    .filter(({ changes }) => Object.keys(changes).length > 0)
    .sort((a, b) => sizeOf(a) - sizeOf(b))
  const exact: Tried[] = []
  let isComplete = true
  for (const tried of assumed) {
    const fewest = exact.at(0)
    if (sizeOf(tried) > (fewest === undefined ? MOST_CHANGES : Math.max(2, sizeOf(fewest)))) break
    if (search.steps > MOST_STEPS) {
      isComplete = false
      break
    }
    if (exact.some((smaller) => isPartOf(smaller.changes, tried.changes))) continue
    if (isExactly(search, tried.hypothesis)) exact.push(tried)
  }
  const found = exact.length > 0 ? exact.filter((tried) => !isRoundabout(tried, exact)) : bestSingles(search, assumed)
  const alternatives = found.slice(0, MOST_ALTERNATIVES).map(({ hypothesis, changes }) => ({
    ...hypothesis,
    changes,
    ...countMatched(scoreOf(search, hypothesis)),
    isExact: exact.length > 0,
  }))
  return { alternatives, isComplete: isComplete && found.length <= MOST_ALTERNATIVES }
}

function countMatched({ deals }: LifeScore): Pick<DriftAlternative, 'matched' | 'of'> {
  return { matched: deals.matched, of: Object.values(deals).reduce((sum, count) => sum + count, 0) }
}

interface Tried {
  readonly hypothesis: AssumedTerms
  readonly changes: TermChanges
}

function sizeOf({ changes }: Tried): number {
  return Object.keys(changes).length
}

function isPartOf(smaller: TermChanges, larger: TermChanges): boolean {
  return Object.entries(smaller).every(([name, value]) => larger[name] === value)
}

/** A size of its own says nothing where a sizing without one explains the same: every ladder has some first size. */
function isRoundabout({ changes }: Tried, exact: readonly Tried[]): boolean {
  const { safetyOrderSizing, ...rest } = changes
  if (safetyOrderSizing !== 'explicit') return false
  return exact.some(
    (other) =>
      other.changes.safetyOrderSizing !== 'explicit' &&
      isPartOf(rest, other.changes) &&
      Object.keys(other.changes).length === Object.keys(changes).length,
  )
}

/** The size of the first safety order belongs to explicit sizing: together they are one change. */
export function changesBetween(own: AssumedTerms, other: AssumedTerms): TermChanges {
  const changes: Record<string, string | number | null> = {}
  for (const trait of TRAITS) {
    if (traitOf(own, trait) !== traitOf(other, trait)) changes[trait] = traitOf(other, trait)
  }
  const { safetyOrderSize } = other.conventions
  const isOwn = safetyOrderSize === own.conventions.safetyOrderSize
  if (!isOwn && changes.safetyOrderSizing === undefined) changes.safetyOrderSize = safetyOrderSize
  return changes
}

/** All sets of conventions, under the costs that the fills show, or, where they show none, under every pair that is suspected. */
function hypothesesOf({ bot, own, input, decimals }: Search): readonly AssumedTerms[] {
  const { feePercent, slippagePercent: seen } = shownCosts(bot, input.candles, own.costs)
  const slippagePercent = seen ?? own.costs.slippagePercent
  const sizes = [own.conventions.safetyOrderSize, firstSafetySize(bot, decimals)].filter((size) => size !== null)
  const found = (sizes.length === 0 ? [null] : [...new Set(sizes)]).flatMap((safetyOrderSize) =>
    listHypotheses({
      conventions: { ...own.conventions, safetyOrderSize },
      costs: { feePercent: feePercent ?? own.costs.feePercent, slippagePercent },
    }),
  )
  const unique = new Map(found.map((hypothesis) => [JSON.stringify(hypothesis), hypothesis]))
  return [...unique.values()].filter(({ costs }) => feePercent === null || costs.feePercent === feePercent)
}

/** Of a bot's fills, percent. */
export interface ShownCosts {
  /** Null where the service states neither the fees of fills nor their sum. */
  readonly feePercent: number | null
  /** Null without a base order, or where most were cheaper than the open. */
  readonly slippagePercent: number | null
}

/** @param own a fee that the fills do not contradict is this one */
export function shownCosts(bot: BotLife, candles: Candles, { feePercent }: Costs): ShownCosts {
  return {
    feePercent: reportedFee(bot, decimalsOfLife(bot), feePercent),
    slippagePercent: slippageOf(bot.fills, { candles }),
  }
}

function reportedFee({ fills, feePercent }: BotLife, decimals: Decimals, own: number): number | null {
  const rates = fills.flatMap(({ fee, price, quantity }) => {
    const quote = price * quantity
    return fee === null ? [] : [{ rate: (100 * fee) / quote, slack: (100 * decimals.fee) / quote }]
  })
  if (rates.length === 0) return feePercent === null ? null : shortest(feePercent, 1e-7, own)
  const middle = rates.toSorted((a, b) => a.rate - b.rate)[Math.floor(rates.length / 2)]
  return shortest(middle.rate, middle.slack, own)
}

/** Of the numbers that a rounded amount may stand for, one's own, or the one with the fewest digits. */
function shortest(value: number, slack: number, own: number | null): number {
  const isNear = (number: number) => Math.abs(number - value) <= slack + 1e-9 * Math.abs(value)
  if (own !== null && isNear(own)) return own
  for (let digits = 1; digits < 15; digits++) {
    const rounded = Number(value.toPrecision(digits))
    if (isNear(rounded)) return rounded
  }
  return value
}

function middleOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
}

/** How much dearer than the open the base orders were, percent; null without one, or where most were cheaper. */
export function slippageOf(fills: readonly TradedFill[], { candles }: Pick<LifeInput, 'candles'>): number | null {
  const opens = new Map(Array.from(candles.openTime, (at, index) => [at, candles.open[index]]))
  const rates = fills.flatMap(({ role, at, price }) => {
    const open = opens.get(at)
    return role === 'base' && open !== undefined ? 100 * (price / open - 1) : []
  })
  if (rates.length === 0) return null
  const rate = Number(middleOf(rates).toFixed(4))
  return rate < 0 ? null : rate
}

/** Quote of the first safety order, where the bot placed one: with explicit sizing it is a size of its own. */
function firstSafetySize({ fills, orders }: BotLife, decimals: Decimals): number | null {
  const isFirst = ({ role, safetyOrder }: { role: string; safetyOrder: number | null }) =>
    role === 'safety' && safetyOrder === 1
  const placed = (orders ?? []).find(isFirst)
  const first = placed ?? fills.find(isFirst)
  if (first === undefined) return null
  const { price, quantity } = first
  const units =
    placed === undefined ? [decimals.price, decimals.quantity] : [decimals.orderPrice, decimals.orderQuantity]
  return shortest(price * quantity, quantity * units[0] + price * units[1], null)
}

/** After the first deal, four times as many deals, and so on; without a closed deal only the whole. */
function beginningsOf({ candles }: LifeInput, fills: readonly TradedFill[]): readonly number[] {
  const ends = dealsOfFills(fills).flatMap(({ closedAt }) => closedAt ?? [])
  const found: number[] = []
  for (let count = 1; count < ends.length; count *= 4) found.push(ends[count - 1] + candles.intervalMs)
  return found
}

function isExactly(search: Search, hypothesis: AssumedTerms): boolean {
  const { input, bot, decimals, beginnings } = search
  const { candles, commands } = input
  const { intervalMs } = candles
  for (const until of beginnings) {
    const part = sliceCandles(candles, 0, until)
    search.steps += part.openTime.length
    const sent = commands.filter(({ at }, index) => index === 0 || at < until)
    const replay = replayLife({ ...input, candles: part, commands: sent }, hypothesis)
    if (!isSameLife({ bot, decimals, intervalMs, until }, replay)) return false
  }
  search.steps += candles.openTime.length
  return isSameLife({ bot, decimals, intervalMs }, replayLife(input, hypothesis))
}

interface LifeScore {
  readonly deals: PairCounts
  readonly fills: number
  readonly gap: number
}

function scoreOf(search: Search, hypothesis: AssumedTerms): LifeScore {
  search.steps += search.input.candles.openTime.length
  return scoreReplay(search.input, search.bot, replayLife(search.input, hypothesis))
}

function scoreReplay({ candles }: LifeInput, bot: BotLife, replay: ReplayedLife): LifeScore {
  const pairs = matchDeals(dealsOfFills(bot.fills), replay.deals, candles)
  return {
    deals: countKinds(pairs.map(({ kind }) => kind)),
    fills: matchFills(pairs, candles).matched,
    gap: bot.netProfit === null ? 0 : Math.abs(bot.netProfit - replay.netProfit),
  }
}

/** Single changes under which more deals match, or as many and more fills; the best first. None where nothing helps. */
function bestSingles(search: Search, hypotheses: readonly Tried[]): readonly Tried[] {
  const before = scoreOf(search, search.own)
  const singles = hypotheses.filter(({ hypothesis }) => countDifferences(search.own, hypothesis) === 1)
  return singles
    .map((tried) => ({ tried, score: scoreOf(search, tried.hypothesis) }))
    .filter(({ score }) => compareScores(score, before) < 0)
    .sort((a, b) => compareScores(a.score, b.score))
    .slice(0, 3)
    .map(({ tried }) => tried)
}

/** Negative when `one` explains more. */
function compareScores(one: LifeScore, other: LifeScore): number {
  return other.deals.matched - one.deals.matched || other.fills - one.fills
}
