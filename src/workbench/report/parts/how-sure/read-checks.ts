/** Reads the kept checks of an examination: JSON, perhaps of another's store or of another program, of which only what has the right form is shown. */
import * as z from 'zod'
import type { CheckAnswer, CheckName, Checks } from '../../../analysis/certainty/checks.ts'
import type { KeptExamination } from '../../../store/verdicts.ts'

const number = z.number()
const text = z.string()
const maybeNumber = number.nullable()
const maybeText = text.nullable()
const share = { profit: number, sharePercent: number }
const benchmark = z.object({ profit: number, maxDrawdownPercent: number })
const spread = z.object({ low5: number, q1: number, median: number, q3: number, high95: number })
const range = z.object({ from: number, to: number })
const span = z.object({ from: text, to: text })

const SCHEMAS: { readonly [Name in CheckName]: z.ZodType<NonNullable<Checks[Name]>> } = {
  localRun: z.object({
    difference: number,
    differencePercent: number,
    deals: maybeNumber,
    termsFrom: z.enum(['result', 'calibration', 'poorCalibration', 'study']),
    sameCandles: z.boolean().nullable(),
  }),
  ambiguity: z.object({
    pessimistic: number,
    optimistic: number,
    ambiguousCandles: number,
    rankPessimistic: maybeNumber,
    rankOptimistic: maybeNumber,
    rankReason: maybeText,
    of: number,
    signFlips: z.boolean(),
    leavesTopTenth: z.boolean(),
  }),
  starts: spread.extend({
    of: number,
    reported: number,
    percentile: number,
    otherSignPercent: number,
    botsAfterTenDays: maybeNumber,
    excess: spread,
    drawdown: spread,
  }),
  takeProfitCurve: range.extend({
    pieces: number,
    certified: z.object({ percent: number, reason: maybeText }),
    best: range.extend({ netProfit: number }),
    basin: range,
    band: z.object({ within: number, percentile: number, q1: number, median: number, q3: number }).nullable(),
    envelope: z.array(z.tuple([number, number, number])),
  }),
  thirds: z.object({
    thirds: z.array(number),
    months: z.array(z.object({ month: text, profit: number })),
    largestThird: z.object({ index: number, ...share }).nullable(),
    largestMonth: z.object({ month: text, ...share }).nullable(),
    largestDeal: z.object({ openedAt: text, ...share }).nullable(),
  }),
  nextSpan: z.object({ rho: number, n: number, splitAt: text }),
  walkForward: z.object({
    folds: z.array(
      z.object({
        train: span,
        test: span,
        chosen: maybeText,
        why: maybeText,
        trainValue: maybeNumber,
        testValue: maybeNumber,
        netProfit: maybeNumber,
        percentile: maybeNumber,
        trainMarketPercent: maybeNumber,
        testMarketPercent: maybeNumber,
      }),
    ),
    configs: number,
    meanPercentile: maybeNumber,
    worstFold: maybeNumber,
    profit: maybeNumber,
    value: maybeNumber,
    valueReason: maybeText,
  }),
  fall: z.array(
    z.object({
      dropPercent: number,
      tied: number,
      loss: number,
      breakEvenRisePercent: maybeNumber,
      rungsFilled: number,
      stopped: z.boolean(),
    }),
  ),
  benchmark: z.object({
    hold: benchmark,
    exposedHold: benchmark,
    periodic: z.object({ daily: benchmark, weekly: benchmark }),
  }),
  capital: z.object({
    average: number,
    max: number,
    averagePercent: number,
    netProfit: number,
    netProfitPerUsedPercent: maybeNumber,
    timeInDealPercent: number,
    profitFollowsCapital: maybeNumber,
    reason: maybeText,
  }),
  noise: z.object({
    standardError: number,
    netProfit: number,
    lead: maybeNumber,
    leadStandardError: maybeNumber,
    leadReason: maybeText,
  }),
  sharpe: z.object({ value: number, standardError: number, days: number }),
  tried: z.object({ shown: number, scanned: number, total: number }),
  overfitting: z.object({
    dailyReturns: number,
    psr: maybeNumber,
    psrReason: maybeText,
    dsr: maybeNumber,
    dsrReason: maybeText,
    dsrOf: z.object({ tried: number, variance: number }).nullable(),
    pbo: maybeNumber,
    pboReason: maybeText,
  }),
  direction: z.object({ changePercent: number, rangePercent: number, shareOfRange: number }),
}

/** A check's answer, or why there is none to show. */
export function readCheck<Name extends CheckName>({ checks }: KeptExamination, name: Name): CheckAnswer<Name> {
  const kept = checks.get(name)
  if (kept === undefined) return { refused: 'not computed' }
  if ('refused' in kept) return kept
  const schema: z.ZodType<NonNullable<Checks[Name]>> = SCHEMAS[name]
  const { data } = schema.safeParse(kept.value)
  return data === undefined ? { refused: 'it was kept in a form that this program cannot read' } : { value: data }
}
