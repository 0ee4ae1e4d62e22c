/**
 * Whether the numbers of one result agree with each other and with what the job invests: a number that was misread, or that a service
 * states wrongly, contradicts another. Each finding has both figures. Pure; what is not known is not compared.
 */
import type { CostsBody, DealBody } from '../../../contract/bodies.ts'
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { MetricsAsRead } from '../../../contract/metrics.ts'

/** What is compared: the store's record of a trial fits. */
export interface ResultNumbers {
  readonly config: Pick<DcaSpotConfig, 'investment' | 'dcaInitialOrderSize'>
  readonly metrics: MetricsAsRead | null
  readonly metricFlags: Readonly<Record<string, string>>
  readonly deals: readonly Pick<DealBody, 'profit'>[] | null
  readonly costs: CostsBody | null
}

/** Two figures that contradict each other. Amounts in quote, percentages in percent. */
export type Inconsistency =
  | {
      readonly kind: 'roi'
      readonly netProfit: number
      readonly roiPercent: number
      readonly base: number | null
      readonly investment: number
    }
  | { readonly kind: 'deals'; readonly deals: number; readonly sum: number; readonly realizedProfit: number }
  | { readonly kind: 'fees'; readonly feesPaid: number; readonly volume: number; readonly mostPercent: number }
  | {
      readonly kind: 'parts'
      readonly realizedProfit: number
      readonly unrealizedProfit: number
      readonly netProfit: number
    }
  | { readonly kind: 'wins'; readonly winRatePercent: number; readonly closedDeals: number }
  | {
      readonly kind: 'roiOfStudy'
      readonly netProfit: number
      readonly roiPercent: number
      readonly base: number
      readonly others: number
      readonly usualBase: number
    }

/** Of one result by itself. */
export function findInconsistencies(result: ResultNumbers): readonly Inconsistency[] {
  if (result.metrics === null) return []
  const { metrics } = result
  const checks = [
    checkRoi(result, metrics),
    checkDeals(result, metrics),
    checkFees(result, metrics),
    checkParts(metrics),
  ]
  return [...checks, checkWins(metrics)].filter((found) => found !== null)
}

/** An ROI is of something between half the first order and twice the investment. */
const BASE_FROM_FIRST_ORDER = 0.5
const BASE_TO_INVESTMENT = 2

function checkRoi({ config }: ResultNumbers, { netProfit, roiPercent }: MetricsAsRead): Inconsistency | null {
  if (netProfit === null || roiPercent === null) return null
  const { investment, dcaInitialOrderSize } = config
  const span = baseSpan(netProfit, roiPercent)
  if (
    span !== null &&
    span.to >= BASE_FROM_FIRST_ORDER * dcaInitialOrderSize &&
    span.from <= BASE_TO_INVESTMENT * investment
  )
    return null
  const base = roiPercent === 0 ? null : (netProfit / roiPercent) * 100
  return { kind: 'roi', netProfit, roiPercent, base: span === null ? null : base, investment }
}

/** What the ROI can be of, both numbers being rounded to the digits that they show; null where their signs contradict. */
function baseSpan(netProfit: number, roiPercent: number): { readonly from: number; readonly to: number } | null {
  const [profitUnit, roiUnit] = [lastDigitOf(netProfit) / 2, lastDigitOf(roiPercent) / 2]
  const [profit, roi] = [Math.abs(netProfit), Math.abs(roiPercent)]
  const isSure = profit > profitUnit && roi > roiUnit
  if (isSure && netProfit > 0 !== roiPercent > 0) return null
  return {
    from: (Math.max(0, profit - profitUnit) / (roi + roiUnit)) * 100,
    to: roi > roiUnit ? ((profit + profitUnit) / (roi - roiUnit)) * 100 : Number.POSITIVE_INFINITY,
  }
}

/** The unit of the last digit that a number shows: 0.01 of 18.53, 1 of 7. */
function lastDigitOf(value: number): number {
  const [mantissa, power = '0'] = String(value).split('e')
  return Number(`1e${Number(power) - (mantissa.split('.').at(1)?.length ?? 0)}`)
}

/** Every deal may be rounded to cents, and so may their sum. */
const CENT_HALVED = 0.005
const RELATIVE = 0.001

function checkDeals(
  { deals, metricFlags }: ResultNumbers,
  { realizedProfit, closedDeals }: MetricsAsRead,
): Inconsistency | null {
  if (deals === null || deals.length === 0 || realizedProfit === null || 'deals' in metricFlags) return null
  if (closedDeals !== deals.length) return null // not all of them are there
  const sum = deals.reduce((total, { profit }) => total + profit, 0)
  const slack = (deals.length + 1) * CENT_HALVED + RELATIVE * Math.abs(realizedProfit)
  return Math.abs(sum - realizedProfit) <= slack ? null : { kind: 'deals', deals: deals.length, sum, realizedProfit }
}

/** No exchange takes more, unless the result says so. */
const MOST_FEE_PERCENT = 1

function checkFees({ costs }: ResultNumbers, { feesPaid, volume }: MetricsAsRead): Inconsistency | null {
  if (feesPaid === null || volume === null) return null
  const mostPercent = Math.max(MOST_FEE_PERCENT, costs?.feePercent ?? 0)
  const most = ((volume + lastDigitOf(volume)) * mostPercent * (1 + RELATIVE)) / 100
  return feesPaid <= most + Math.min(lastDigitOf(feesPaid), 0.01)
    ? null
    : { kind: 'fees', feesPaid, volume, mostPercent }
}

function checkParts({ realizedProfit, unrealizedProfit, netProfit }: MetricsAsRead): Inconsistency | null {
  if (realizedProfit === null || unrealizedProfit === null || netProfit === null) return null
  const parts = [realizedProfit, unrealizedProfit, netProfit]
  const slack = 3 * CENT_HALVED + RELATIVE * Math.max(...parts.map(Math.abs))
  const isWhole = Math.abs(realizedProfit + unrealizedProfit - netProfit) <= slack
  return isWhole ? null : { kind: 'parts', realizedProfit, unrealizedProfit, netProfit }
}

function checkWins({ winRatePercent, closedDeals }: MetricsAsRead): Inconsistency | null {
  if (winRatePercent === null || closedDeals === null || closedDeals === 0) return null
  const wins = (winRatePercent * closedDeals) / 100
  const slack = (lastDigitOf(winRatePercent) * closedDeals) / 100 + 1e-6
  const isWhole = Math.abs(wins - Math.round(wins)) <= slack && wins >= -slack && wins <= closedDeals + slack
  return isWhole ? null : { kind: 'wins', winRatePercent, closedDeals }
}

/** Fewer show nothing. */
const FEWEST_JOBS = 5
/** How far from the middle one may lie that is read alike. */
const APART = 0.5
/** So many of them have to lie near it: some services divide by the capital that each job used. */
const MOST = 0.8

type RoiNumbers = Pick<ResultNumbers, 'config' | 'metrics'>

/** What an ROI is of as a part of the investment; null where its digits do not say it to a tenth. */
function roiBaseOf({ config, metrics }: RoiNumbers): number | null {
  if (metrics === null || metrics.netProfit === null || metrics.roiPercent === null) return null
  const span = baseSpan(metrics.netProfit, metrics.roiPercent)
  if (span === null || span.from <= 0 || span.to > 1.1 * span.from) return null
  return (100 * metrics.netProfit) / metrics.roiPercent / config.investment
}

/** Whether a result's ROI is of something else than that of the other results of its study. */
export function findOtherRoiBase(result: ResultNumbers, otherResults: readonly RoiNumbers[]): Inconsistency | null {
  const { netProfit = null, roiPercent = null } = result.metrics ?? {}
  const own = roiBaseOf(result)
  const others = otherResults.flatMap((other) => roiBaseOf(other) ?? [])
  const usual = others.toSorted((a, b) => a - b).at(Math.floor(others.length / 2))
  if (own === null || netProfit === null || roiPercent === null || usual === undefined) return null
  const isNear = (base: number) => Math.abs(base - usual) <= APART * usual
  const isSteady = others.filter(isNear).length >= MOST * others.length
  if (others.length + 1 < FEWEST_JOBS || !isSteady || isNear(own)) return null
  return {
    kind: 'roiOfStudy',
    netProfit,
    roiPercent,
    base: own * result.config.investment,
    others: others.length,
    usualBase: usual * result.config.investment,
  }
}
