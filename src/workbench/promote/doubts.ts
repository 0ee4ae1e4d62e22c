/** What speaks against promoting a trial, in words. Nothing here forbids: `--yes` accepts what was shown (H53). */
import type { TrialRecord } from '../store/records.ts'
import { type AskedSettings, compareSettings } from '../study/settings.ts'

export interface Doubt {
  readonly code: string
  readonly message: string
}

/** Where the trial stands in its study; null for a trial that belongs to none. */
export interface Standing {
  readonly study: string
  /** Trials with a result: each was a look at the same data. */
  readonly tried: number
  /** 1 = best; null when it lies outside the objective's bounds or has no finite objective. */
  readonly rank: number | null
  readonly outsideBounds: boolean
  /** The costs and conventions that the study asks about. */
  readonly asked: AskedSettings
  /** Best of the other ranked trials. */
  readonly rival: TrialRecord | null
}

/** Gainium's grades below C: fewer than 164 deals that say something. */
const WEAK_GRADES: readonly string[] = ['F', 'E', 'D']
const ambiguousShare = 0.01

export function findDoubts(trial: TrialRecord, standing: Standing | null): Doubt[] {
  return [
    ...doubtsOfResult(trial),
    ...doubtsOfData(trial),
    ...(standing === null ? [] : doubtsOfChoice(trial, standing)),
  ]
}

function doubtsOfResult({ metrics, metricFlags, openDeal }: TrialRecord): Doubt[] {
  if (metrics === null) return [{ code: 'unreadable', message: 'the result could not be read' }]
  const doubts: Doubt[] = []
  const unread = Object.keys(metricFlags)
  if (unread.length > 0) {
    doubts.push({ code: 'unreadable', message: `${unread.slice(0, 5).join(', ')} could not be read` })
  }
  if (metrics.netProfit <= 0) doubts.push({ code: 'noProfit', message: `it made ${shown(metrics.netProfit)}` })
  if (metrics.confidence === null || WEAK_GRADES.includes(metrics.confidence)) {
    const grade = metrics.confidence ?? 'unknown'
    const message = `${metrics.closedDeals} closed deals (confidence ${grade}): chance decides much of the result`
    doubts.push({ code: 'fewDeals', message })
  }
  if (metrics.unrealizedProfit < 0) {
    const safetyOrders = openDeal === null ? '' : ` after ${openDeal.safetyOrders} safety orders`
    const message = `the data end with an open deal${safetyOrders} at a loss of ${shown(-metrics.unrealizedProfit)}`
    doubts.push({ code: 'openLoss', message })
  }
  if (metrics.outOfCash) doubts.push({ code: 'outOfCash', message: 'it ran out of cash and stopped trading' })
  return doubts
}

function doubtsOfData({ metrics, candles, simulated }: TrialRecord): Doubt[] {
  const doubts: Doubt[] = []
  if (simulated) {
    doubts.push({
      code: 'simulated',
      message: 'the embedded service computed it, not the service of an exchange account',
    })
  }
  if (candles?.synthetic) doubts.push({ code: 'syntheticCandles', message: 'its market is generated, not real' })
  if (candles?.missing) {
    const inDeals = metrics?.missingInDeals ? `, ${metrics.missingInDeals} of them while a deal was open` : ''
    doubts.push({ code: 'missingCandles', message: `${candles.missing} candles were missing${inDeals}` })
  }
  if (metrics !== null && candles?.count && metrics.ambiguousCandles / candles.count >= ambiguousShare) {
    const percent = shown((metrics.ambiguousCandles / candles.count) * 100)
    doubts.push({ code: 'ambiguousCandles', message: `on ${percent} % of the candles the order of fills is a guess` })
  }
  return doubts
}

function doubtsOfChoice(trial: TrialRecord, standing: Standing): Doubt[] {
  const settings = compareSettings(standing.asked, { results: [trial] })
  const doubts: Doubt[] = [
    ...settings.map(({ code, message }) => ({ code, message })),
    {
      code: 'noHoldout',
      message: `it was chosen and measured on the same ${shownPeriod(trial)}; nothing was held back`,
    },
  ]
  if (standing.tried > 1) {
    const message = `it is one of ${standing.tried} tried: the best of many looks better than it is`
    doubts.push({ code: 'manyLooks', message })
  }
  if (standing.outsideBounds) {
    doubts.push({ code: 'outsideBounds', message: `it lies outside the bounds of ${standing.study}’s objective` })
  } else if (standing.rank === null) {
    doubts.push({ code: 'unranked', message: `${standing.study}’s objective has no number for it` })
  } else if (standing.rank > 1) {
    doubts.push({ code: 'notBest', message: `${standing.rank - 1} trials of ${standing.study} rank above it` })
  }
  const noise = noiseOf(trial)
  const gap = gapTo(trial, standing.rival)
  if (noise !== null && gap !== null && gap < noise) {
    const message = `the next best differs by ${shown(gap)}, less than the ${shown(noise)} that chance alone moves its profit`
    doubts.push({ code: 'withinNoise', message })
  }
  return doubts
}

/** One standard error of the summed deal profits: sample deviation · √n. null under two deals. */
function noiseOf({ deals }: TrialRecord): number | null {
  if (deals === null || deals.length < 2) return null
  const n = deals.length
  const mean = deals.reduce((sum, { profit }) => sum + profit, 0) / n
  const variance = deals.reduce((sum, { profit }) => sum + (profit - mean) * (profit - mean), 0) / (n - 1)
  return Math.sqrt(variance * n)
}

function gapTo(trial: TrialRecord, rival: TrialRecord | null): number | null {
  if (rival === null || rival.metrics === null || trial.metrics === null) return null
  return Math.abs(trial.metrics.netProfit - rival.metrics.netProfit)
}

const dayMs = 86_400_000

function shownPeriod({ period: { from, to } }: TrialRecord): string {
  const day = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  return `${shown((to - from) / dayMs)} days (${day(from)} to ${day(to)})`
}

function shown(value: number): string {
  return String(Number(value.toPrecision(4)))
}
