/** What an examination says against believing a result. */
import type { DcaSpotConfig } from '../../../contract/bot.ts'
import type { CheckName, Checks, Move } from '../certainty/checks.ts'
import { DOUBTS, type Doubt, doubt } from './doubts.ts'

export interface ExaminedTrial {
  readonly config: DcaSpotConfig
  /** Of the local run. */
  readonly netProfit: number
  /** Of the candles that it was examined on. */
  readonly intervalMs: number
}

type Finder<Name extends CheckName> = (check: NonNullable<Checks[Name]>, trial: ExaminedTrial) => readonly Doubt[]

/** Fewer configurations say nothing of how long ranks last. */
const FEWEST_RANKED = 20
/** Out of these best is a change of place that counts. */
const TOP = 5
/** Of its range: a market that moved so far went one way. */
const ONE_WAY = 1 / 3

const FINDERS: { readonly [Name in CheckName]?: Finder<Name> } = {
  twin: (twin, { intervalMs }) => [
    ...(twin.termsFrom === 'study' || twin.termsFrom === 'poorCalibration'
      ? [doubt('uncalibrated', { termsFrom: twin.termsFrom, intervalMs })]
      : []),
    ...(Math.abs(twin.differencePercent) > DOUBTS.twinDiffers.threshold
      ? [doubt('twinDiffers', { difference: twin.difference, percent: Math.abs(twin.differencePercent) })]
      : []),
  ],
  ambiguity: (found) => {
    if (found.signFlips) return [doubt('signFlips', found)]
    if (!found.leavesTopTenth) return []
    const { rankPessimistic: pessimistic, rankOptimistic: optimistic, of } = found
    return [doubt('ambiguousRank', { pessimistic, optimistic, of })]
  },
  nudge: ({ spike, median, edges, axes, moves }, { netProfit, config }) => {
    const costly = moves.flatMap((move) =>
      move.lossPercent !== null && move.lossPercent > DOUBTS.sensitive.threshold
        ? [{ ...move, lossPercent: move.lossPercent, from: config[move.field] }]
        : [],
    )
    const worst = costly.toSorted((a, b) => b.lossPercent - a.lossPercent).at(0)
    return [
      ...(spike ? [doubt('spike', { median, netProfit })] : []),
      ...(edges.length > 0 ? [doubt('edge', { edges, axes })] : []),
      ...(worst === undefined
        ? []
        : [doubt('sensitive', { ...worst, otherLossPercent: lossOfOtherSide(moves, worst) })]),
    ]
  },
  shift: ({ shifts, rank }, { netProfit }) => {
    const weight = (shift: (typeof shifts)[number]) => Math.abs(shift.netProfit - netProfit)
    const changing = shifts.filter(
      (shift) =>
        Math.sign(shift.netProfit) !== Math.sign(netProfit) ||
        weight(shift) > (DOUBTS.oneDayChangesIt.threshold / 100) * Math.abs(netProfit) ||
        (rank !== null && rank <= TOP && (shift.rank === null || shift.rank > TOP)),
    )
    const most = changing.toSorted((a, b) => weight(b) - weight(a)).at(0)
    return most === undefined ? [] : [doubt('oneDayChangesIt', { netProfit, shift: most, rank })]
  },
  thirds: ({ largestThird, largestMonth, largestDeal, months }) => [
    ...(largestThird !== null && largestThird.sharePercent > DOUBTS.onePart.threshold
      ? [doubt('onePart', largestThird)]
      : []),
    ...(largestMonth !== null && months.length > 1 && largestMonth.sharePercent > DOUBTS.oneMonth.threshold
      ? [doubt('oneMonth', largestMonth)]
      : []),
    ...(largestDeal !== null && largestDeal.sharePercent > DOUBTS.oneDeal.threshold
      ? [doubt('oneDeal', largestDeal)]
      : []),
  ],
  nextSpan: ({ rho, n }) =>
    n >= FEWEST_RANKED && rho < DOUBTS.rankDoesNotLast.threshold ? [doubt('rankDoesNotLast', { rho, n })] : [],
  benchmark: ({ hold, exposedHold }, { netProfit }) => [
    ...(hold.profit > netProfit ? [doubt('belowHold', { netProfit, hold: hold.profit })] : []),
    ...(exposedHold.profit > netProfit ? [doubt('belowExposedHold', { netProfit, hold: exposedHold.profit })] : []),
  ],
  capital: ({ profitFollowsCapital: r, averagePercent, timeInDealPercent: percent }) => [
    ...(r !== null && r >= DOUBTS.followsCapital.threshold ? [doubt('followsCapital', { r })] : []),
    ...(averagePercent < DOUBTS.idleCapital.threshold ? [doubt('idleCapital', { averagePercent })] : []),
    ...(percent > DOUBTS.alwaysInvested.threshold ? [doubt('alwaysInvested', { percent })] : []),
  ],
  noise: ({ lead, leadStandardError }) =>
    lead !== null && leadStandardError !== null && lead >= 0 && lead < leadStandardError
      ? [doubt('withinNoise', { gap: lead, noise: leadStandardError })]
      : [],
  veto: ({ dsr, dsrOf, pbo }) => [
    ...(dsr !== null && dsrOf !== null && dsr < DOUBTS.luckOfLooks.threshold
      ? [doubt('luckOfLooks', { dsr, looks: dsrOf.looks })]
      : []),
    ...(pbo !== null && 100 * pbo > DOUBTS.likelyOverfit.threshold ? [doubt('likelyOverfit', { pbo })] : []),
  ],
  direction: ({ changePercent, shareOfRange }) =>
    Math.abs(shareOfRange) > ONE_WAY ? [doubt('directionOnly', { changePercent })] : [],
}

/** Of the same step to the other side; null where there is none, or it loses nothing. */
function lossOfOtherSide(
  moves: readonly Move[],
  { field, value, from }: Pick<Move, 'field' | 'value'> & { readonly from: number },
): number | null {
  const isOther = (move: Move) =>
    move.field === field && Math.abs(move.value + value - 2 * from) <= 1e-9 * Math.abs(from) && move.value !== value
  const loss = moves.find(isOther)?.lossPercent ?? 0
  return loss > 0 ? loss : null
}

/** In the order of the checks. */
export function findExaminationDoubts(checks: Checks, trial: ExaminedTrial): readonly Doubt[] {
  const names = Object.keys(checks) as CheckName[] // its keys are names of checks
  return names.flatMap((name) => findIn(name, checks, trial))
}

function findIn<Name extends CheckName>(name: Name, checks: Checks, trial: ExaminedTrial): readonly Doubt[] {
  const check = checks[name]
  const find: Finder<Name> | undefined = FINDERS[name]
  return check === null || find === undefined ? [] : find(check, trial)
}
