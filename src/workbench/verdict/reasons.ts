/** Why a verdict is what it is: one row per reason, with its number, its error, where to look and what to do. */
import { LEAST_IN_DEAL_PERCENT, STRESS } from '../../contract/metrics.ts'
import { DAY_MS } from '../../engine/daily-equity.ts'
import type { Evidence } from './evidence.ts'
import { type AgainstHolding, leastDisjoint } from './stretches.ts'
import { amountText, fieldInWords, gain, ofProfit, share } from './words.ts'

export interface Reason {
  readonly code: ReasonCode
  /** It alone forbids the use. */
  readonly hard: boolean
  readonly value: number
  readonly unit: 'quote' | 'percent' | 'count'
  /** One standard error of the value; null = it has none. */
  readonly error: number | null
  /** What was found, in one line. */
  readonly sentence: string
  /** What to do about it. */
  readonly remedy: string
  /** Shows the evidence. */
  readonly command: string
}

/** `size`: how much it weighs among the soft ones, in errors or multiples of its threshold. */
interface Found extends Pick<Reason, 'value' | 'unit' | 'sentence'> {
  readonly error?: number
  readonly size?: number
}

interface Row {
  /** A hard one names itself in the headline: "Do not use: …". null = soft. */
  readonly bars: string | null
  readonly remedy: string
  readonly command: (names: Names) => string
  readonly find: (evidence: Evidence) => Found | null
}

/** What commands call it. */
export interface Names {
  /** First digits of the trial. */
  readonly trial: string
  /** Its study, else the trial. */
  readonly study: string
}

/** Of what the service reported. */
const mostOptimisticPercent = 25
const mostOpenLossPercent = 25
const mostThirdPercent = 60
/** Of what it earned: above the median start, starts with the other sign, above the median of its neighbours. */
const mostOverStartsPercent = 10
const mostOtherSignPercent = 25
const mostOverNearPercent = 25
/** Of the investment. */
const mostDifferencePercent = 0.2
/** A grade of a plain ladder or better wants a lead of one error over it. */
export const leastLeadOverPlain = 1

const examine = ({ trial }: Names) => `dcalab examine ${trial}`
const show = ({ trial }: Names) => `dcalab show ${trial}`

const ROWS = {
  dataFault: {
    bars: 'its data are faulty',
    remedy: 'mend the data or the reading of it, then judge again',
    command: show,
    find: ({ faults }) =>
      faults.length === 0 ? null : { value: faults.length, unit: 'count', sentence: faults.join('; ') },
  },
  disagrees: {
    bars: 'the local engine gets another result',
    remedy: 'find the fees and fill rules of the service again',
    command: ({ study }) => `dcalab service calibrate ${study}`,
    find: ({ agreementFailed, localDifference, trial: { config } }) => {
      if (agreementFailed)
        return { value: 1, unit: 'count', sentence: 'the local engine did not repeat results of the service' }
      if ('missing' in localDifference) return null
      const percent = (100 * localDifference.value) / config.investment
      if (Math.abs(percent) <= mostDifferencePercent) return null
      return {
        value: localDifference.value,
        unit: 'quote',
        sentence: `service and local engine differ by ${amountText(Math.abs(localDifference.value))} (${share(Math.abs(percent))} of the investment)`,
      }
    },
  },
  stopped: {
    bars: 'it stops trading',
    remedy: 'choose a configuration that keeps trading: a wider stop loss, or none',
    command: show,
    find: ({ honest }) => {
      if ('missing' in honest || honest.value.inDealPercent >= LEAST_IN_DEAL_PERCENT) return null
      const { inDealPercent } = honest.value
      return {
        value: inDealPercent,
        unit: 'percent',
        sentence: `it was in a deal on ${share(inDealPercent)} of the candles only`,
      }
    },
  },
  signDepends: {
    bars: 'fill order decides whether it earns',
    remedy: 'use finer candles, or a configuration that earns with worst-case fills',
    command: examine,
    find: ({ honest }) => {
      if ('missing' in honest) return null
      const { worstCase, bestCase, interval } = honest.value
      // By another order of prices a later deal may open elsewhere, so that either may be the better one.
      if (worstCase < 0 === bestCase < 0) return null
      return {
        value: worstCase,
        unit: 'quote',
        sentence: `fill order decides: ${gain(worstCase)} worst case, ${gain(bestCase)} best case on ${interval} candles`,
      }
    },
  },
  losesHonest: {
    bars: 'it loses however orders fill',
    remedy: 'choose a configuration that earns with worst-case fills',
    command: examine,
    find: ({ honest }) => {
      if ('missing' in honest || honest.value.worstCase >= 0 || honest.value.bestCase >= 0) return null
      const { worstCase, bestCase, interval } = honest.value
      const [worst, best] = [gain(worstCase), gain(bestCase)]
      return {
        value: worstCase,
        unit: 'quote',
        sentence: `it loses however orders fill: ${worst === best ? worst : `${worst} to ${best}`} on ${interval} candles`,
      }
    },
  },
  losesStressed: {
    bars: 'it loses at slightly higher costs',
    remedy: 'choose a configuration that earns under slightly higher costs',
    command: examine,
    find: ({ honest }) => {
      if ('missing' in honest || honest.value.worstCase < 0 || honest.value.stressed >= 0) return null
      const { stressed } = honest.value
      return {
        value: stressed,
        unit: 'quote',
        sentence: `fee +${STRESS.feePercent} % and slippage +${STRESS.slippagePercent} % turn it into ${gain(stressed)}`,
      }
    },
  },
  optimisticFills: {
    bars: null,
    remedy: 'compare by worst-case fills, or use finer candles',
    command: examine,
    find: ({ honest }) => {
      if ('missing' in honest) return null
      const { service, worstCase } = honest.value
      if (service === null || service === 0) return null
      const percent = (100 * (service - worstCase)) / Math.abs(service)
      if (percent <= mostOptimisticPercent) return null
      return {
        value: service - worstCase,
        unit: 'quote',
        // Before all other soft ones.
        size: Number.POSITIVE_INFINITY,
        sentence: `fills: ${gain(service)} as the service counts, ${gain(worstCase)} in the worst case`,
      }
    },
  },
  belowHolding: {
    bars: null,
    remedy: 'hold, or search for a ladder that earns more than holding its capital',
    command: ({ trial }) => `dcalab verdict ${trial} --stretches`,
    find: (evidence) => {
      const { heldSameDays, trial } = evidence
      const excess = judgedBy(evidence)?.excess
      if (excess === undefined || excess.mean >= 0) return null
      const own = trial.metrics.netProfit
      const sentence =
        'missing' in heldSameDays || own === null
          ? `${amountText(-excess.mean)} ± ${amountText(excess.error)} less a stretch than holding the same amount`
          : `${own > heldSameDays.value ? 'ahead only on the days of the study' : 'same days'}: bot ${gain(own)}, holding the same amount ${gain(heldSameDays.value)}`
      return { value: excess.mean, unit: 'quote', error: excess.error, size: -excess.t, sentence }
    },
  },
  plainAsGood: {
    bars: null,
    remedy: 'run the plain ladder, or test other ranges',
    command: ({ trial }) => `dcalab verdict ${trial} --stretches`,
    find: (evidence) => {
      const against = judgedBy(evidence)
      if (against === undefined) return null
      const { overPlain, excessPercent, plainExcessPercent } = against
      if (overPlain.t >= leastLeadOverPlain) return null
      const as = overPlain.t <= -leastLeadOverPlain ? 'was better' : 'was as good'
      return {
        value: overPlain.mean,
        unit: 'percent',
        error: overPlain.error,
        size: leastLeadOverPlain - overPlain.t,
        sentence: `a plain ladder ${as}: ${share(plainExcessPercent)} a stretch vs holding, this ${share(excessPercent)}`,
      }
    },
  },
  holdoutBelowPlain: {
    bars: null,
    remedy: 'do not expect more than a plain ladder earns',
    command: ({ study }) => `dcalab holdout ${study}`,
    find: ({ holdout }) => {
      if (holdout === null || 'missing' in holdout) return null
      const { perUsedPercent, plainPerUsedPercent, days } = holdout.value
      if (perUsedPercent >= plainPerUsedPercent) return null
      return {
        value: perUsedPercent - plainPerUsedPercent,
        unit: 'percent',
        size: 1,
        sentence: `on ${days} held-out days ${share(perUsedPercent)} of its capital, plain ladder ${share(plainPerUsedPercent)}`,
      }
    },
  },
  openLoss: {
    bars: null,
    remedy: 'count the open deal as lost before you compare',
    command: show,
    find: ({ trial: { metrics } }) => {
      const { unrealizedProfit, realizedProfit } = metrics
      if (unrealizedProfit === null || realizedProfit === null || unrealizedProfit >= 0 || realizedProfit <= 0)
        return null
      const percent = (-100 * unrealizedProfit) / realizedProfit
      if (percent <= mostOpenLossPercent) return null
      return {
        value: unrealizedProfit,
        unit: 'quote',
        size: percent / mostOpenLossPercent,
        sentence: `the open deal is down ${amountText(-unrealizedProfit)}: ${share(percent)} of what closed deals earned`,
      }
    },
  },
  onePart: {
    bars: null,
    remedy: 'judge it on a longer period',
    command: examine,
    find: ({ thirdsPercent }) => {
      const most = Math.max(0, ...thirdsPercent)
      if (most <= mostThirdPercent) return null
      const name = ['first', 'second', 'last'][thirdsPercent.indexOf(most)]
      return {
        value: most,
        unit: 'percent',
        size: most / mostThirdPercent,
        sentence: `the ${name} third of the period earned ${ofProfit(most)}`,
      }
    },
  },
  startDecides: {
    bars: null,
    remedy: 'rely on the median start, not on this one',
    command: examine,
    find: (evidence) => {
      const chance = evidence.chance()
      if ('missing' in chance) return null
      const { reported, median, otherSignPercent } = chance.value.starts
      const percent = (100 * (reported - median)) / Math.abs(reported)
      if (!(percent > mostOverStartsPercent || otherSignPercent > mostOtherSignPercent)) return null
      return {
        value: reported - median,
        unit: 'quote',
        size: Math.max(percent / mostOverStartsPercent, otherSignPercent / mostOtherSignPercent),
        sentence:
          percent > mostOverStartsPercent
            ? `over all starts of the first day the median is ${gain(median)}, this one ${gain(reported)}`
            : `${share(otherSignPercent)} of the starts of the first day end with the other sign than ${gain(reported)}`,
      }
    },
  },
  knifeEdge: {
    bars: null,
    remedy: 'rely on the median of the values near it',
    command: examine,
    find: (evidence) => {
      const chance = evidence.chance()
      if ('missing' in chance) return null
      const { starts, near } = chance.value
      const short = starts.reported - near.median
      const percent = (100 * short) / Math.abs(starts.reported)
      if (!(percent > mostOverNearPercent)) return null
      return {
        value: short,
        unit: 'quote',
        size: percent / mostOverNearPercent,
        sentence: `within 5 % of its ${fieldInWords(near.field).replace(/ %$/, '')} the median is ${gain(near.median)}, this one ${gain(starts.reported)}`,
      }
    },
  },
  tie: {
    bars: null,
    remedy: 'take the one that uses least capital',
    command: ({ study }) => `dcalab leaderboard ${study}`,
    find: ({ tie }) => {
      if ('missing' in tie) return null
      const { others, isAtLeast, usesLeast, lead, error } = tie.value
      const less = others === 1 ? 'it uses less capital' : 'some use less capital'
      const least = usesLeast === null ? '' : `; ${usesLeast ? 'this one uses least capital' : less}`
      const count = others === 1 ? '1 other is' : `${others}${isAtLeast ? ' or more' : ''} others are`
      return {
        value: others,
        unit: 'count',
        size: Math.abs(lead) / error,
        sentence: `${count} within one error of it (lead ${gain(lead)} ± ${amountText(error)})${least}`,
      }
    },
  },
  uncalibrated: {
    bars: null,
    remedy: 'work out the fees and fill rules of the service',
    command: ({ study }) => `dcalab service calibrate ${study}`,
    find: ({ isCalibrated, foreignService }) =>
      isCalibrated
        ? null
        : {
            value: 1,
            unit: 'count',
            size: 1,
            sentence: `fees and fill rules of ${foreignService ?? 'the service'} are not known`,
          },
  },
  spentHoldout: {
    bars: null,
    remedy: 'take newer days as the hold-out of the next study',
    command: ({ study }) => `dcalab holdout ${study}`,
    find: ({ holdout }) => {
      if (holdout === null || 'missing' in holdout || holdout.value.seenConfigs === 0) return null
      const { seenConfigs } = holdout.value
      return {
        value: seenConfigs,
        unit: 'count',
        size: 0.5,
        sentence: `${seenConfigs} configurations had been tried or judged on the hold-out before it was opened`,
      }
    },
  },
} as const satisfies Record<string, Row>

type ReasonCode = keyof typeof ROWS

export const REASON_CODES = Object.keys(ROWS) as readonly ReasonCode[] // keys of a const literal

/** As a headline says a hard one. */
export function headlineOf(code: ReasonCode): string {
  const row: Row = ROWS[code]
  return row.bars ?? ''
}

/** What the stretches say, where they may judge. */
function judgedBy(evidence: Evidence): AgainstHolding | undefined {
  const { stretches } = evidence
  return 'missing' in stretches || whyNotJudged(evidence) !== null ? undefined : stretches.value.against
}

/** All that hold: hard ones first, then the soft ones by size. */
export function findReasons(evidence: Evidence, names: Names): readonly Reason[] {
  const isBarred = REASON_CODES.some((code) => {
    const { bars, find }: Row = ROWS[code]
    return bars !== null && find(evidence) !== null
  })
  // Thousands of runs, of what is not to be used anyway.
  const known: Evidence = isBarred ? { ...evidence, chance: () => ({ missing: 'a hard reason decides' }) } : evidence
  const found = REASON_CODES.flatMap((code) => {
    const row: Row = ROWS[code]
    const one = row.find(known)
    if (one === null) return []
    const { value, unit, sentence, error = null, size = 1 } = one
    const { bars, remedy } = row
    const hard = bars !== null
    return [{ size, reason: { code, hard, value, unit, error, sentence, remedy, command: row.command(names) } }]
  })
  return found
    .toSorted((a, b) => Number(b.reason.hard) - Number(a.reason.hard) || (a.reason.hard ? 0 : b.size - a.size || 0))
    .map(({ reason }) => reason)
}

/** Of stored candles. */
const leastHistoryDays = 90

/** null = it can be judged. `short` ends a headline. */
export function whyNotJudged({
  stretches,
  study,
}: Pick<Evidence, 'stretches' | 'study'>): { readonly short: string; readonly sentence: string } | null {
  if ('missing' in stretches) return { short: 'no candles to judge it on', sentence: stretches.missing }
  const { from, to, lengthMs, disjoint, inside, against, interval, stretches: all } = stretches.value
  const length = Math.round(lengthMs / DAY_MS)
  const days = Math.floor((to - from) / DAY_MS)
  const short = 'too little history'
  if (days < leastHistoryDays) {
    return {
      short,
      sentence: `${days} days of ${interval} candles ${study?.holdout == null ? 'are stored' : 'lie before its hold-out'}, at least ${leastHistoryDays} needed`,
    }
  }
  if (disjoint < leastDisjoint) {
    const held = `${all.length} stretch${all.length === 1 ? '' : 'es'} of ${length} days`
    const found =
      all.length === disjoint
        ? `the ${interval} candles hold ${held}`
        : `of ${held} that the ${interval} candles hold, ${disjoint} ${disjoint === 1 ? 'does' : 'do'} not overlap`
    return { short, sentence: `${found}, at least ${leastDisjoint} needed` }
  }
  if (2 * inside > all.length) {
    return {
      short: 'it was chosen on most of the history',
      sentence: `${inside} of ${all.length} stretches lie in the period of the study`,
    }
  }
  return against === undefined
    ? {
        short: 'all stretches are alike',
        sentence: 'it earned the same in every stretch, or one of the two ladders used no capital',
      }
    : null
}
