/** An examination as it is printed: what each check found, and what is refused with its reason. */
import { METRICS } from '../../../contract/metrics.ts'
import type { StartsFact, TakeProfitFact } from '../../../workbench/analysis/certainty/arbitrariness.ts'
import type { CheckName, Checks } from '../../../workbench/analysis/certainty/checks.ts'
import type { PlainLine } from '../../output.ts'
import type { TimeWords } from '../../reader-time.ts'
import type { ShownExamination } from './shown-examination.ts'

/** One text for each line. */
type Say<Name extends CheckName> = (check: NonNullable<Checks[Name]>) => readonly string[]

const TERMS_FROM = {
  result: 'as the result states',
  calibration: 'as calibration found',
  poorCalibration: 'as a calibration that explains little found',
  study: 'as the study says; the service does not tell',
} as const

const SAY: { readonly [Name in CheckName]: { readonly title: string; readonly say: Say<Name> } } = {
  twin: {
    title: 'service',
    say: ({ difference, differencePercent, deals, termsFrom, sameCandles }) => [
      [
        Math.abs(difference) < 0.005
          ? 'equal to the local engine to the cent'
          : `${Math.abs(difference).toFixed(2)} ${difference < 0 ? 'less' : 'more'} than the local engine says (${number(Math.abs(differencePercent))} % of the investment)`,
        ...(deals === null || deals === 0 ? [] : [`${signed(deals)} deals`]),
        `computed ${TERMS_FROM[termsFrom]}`,
        ...(sameCandles === false ? ['on other candles than lie here'] : []),
        ...(sameCandles === null ? ['on candles it does not name'] : []),
      ].join(', '),
    ],
  },
  ambiguity: {
    title: 'ambiguity',
    say: ({
      pessimistic,
      optimistic,
      ambiguousCandles,
      rankPessimistic,
      rankOptimistic,
      of,
      signFlips,
      leavesTopTenth,
    }) => [
      ambiguousCandles === 0
        ? 'no candle leaves a choice of fills'
        : `${money(pessimistic)} pessimistic, ${money(optimistic)} optimistic over ${ambiguousCandles} ambiguous candles`,
      ...(of === 0 || ambiguousCandles === 0
        ? []
        : [`place ${rankPessimistic ?? '–'} or ${rankOptimistic ?? '–'} of ${of}`]),
      ...(signFlips || leavesTopTenth ? ['these candles cannot answer; use finer ones'] : []),
    ],
  },
  starts: { title: 'start', say: describeStarts },
  takeProfitCurve: { title: 'take profit', say: describeTakeProfits },
  thirds: {
    title: 'thirds',
    say: ({ thirds, largestMonth, largestDeal }) => [
      `${thirds.map(money).join(', ')}`,
      ...(largestMonth === null ? [] : [`${largestMonth.month} made ${Math.round(largestMonth.sharePercent)} %`]),
      ...(largestDeal === null ? [] : [`the largest deal ${Math.round(largestDeal.sharePercent)} %`]),
    ],
  },
  nextSpan: {
    title: 'next span',
    say: ({ rho, n }) => [`ranks of the first half against the second: ρ ${number(rho)} over ${n} configurations`],
  },
  walkForward: {
    title: 'walk-forward',
    say: ({ folds, meanPercentile, worstFold, profit, configs }) => [
      `${folds.length} folds, each chosen among ${configs}: percentile ${number(meanPercentile)} on average of what followed`,
      `${money(profit)} in all tests${worstFold === null ? '' : `, ${money(folds[worstFold - 1].netProfit)} in the worst (${folds[worstFold - 1].test.from.slice(0, 10)})`}`,
    ],
  },
  fall: {
    title: 'fall',
    say: (falls) =>
      falls.map(({ dropPercent, tied, loss, breakEvenRisePercent: rise, stopped }) => {
        const left = stopped
          ? 'sold by the stop'
          : rise === null
            ? 'nothing held'
            : `even again after +${number(rise)} %`
        return `−${dropPercent} %: ${number(tied)} tied, ${money(-loss)}, ${left}`
      }),
  },
  benchmark: {
    title: 'benchmark',
    say: ({ hold, exposedHold, periodic }) => [
      `buy & hold ${money(hold.profit)}, drawdown ${number(hold.maxDrawdownPercent)} %`,
      `at the same exposure ${money(exposedHold.profit)}, drawdown ${number(exposedHold.maxDrawdownPercent)} %`,
      `bought daily ${money(periodic.daily.profit)}, weekly ${money(periodic.weekly.profit)}`,
    ],
  },
  capital: {
    title: 'capital',
    say: ({ average, max, averagePercent, netProfit, netProfitPerUsedPercent: perUsed, profitFollowsCapital: r }) => [
      `${money(netProfit)} on ${number(average)} in use on average (${number(averagePercent)} %), ${number(max)} at most`,
      `${perUsed === null ? '–' : `${number(perUsed)} %`} of the capital in use`,
      ...(r === null ? [] : [`profit follows capital by r ${number(r)}`]),
    ],
  },
  noise: {
    title: 'noise',
    say: ({ netProfit, standardError, lead, leadStandardError }) => [
      `${money(netProfit)} ± ${number(standardError)} (one standard error)`,
      ...(lead === null ? [] : [`lead over the next ${money(lead)} ± ${number(leadStandardError)}`]),
    ],
  },
  sharpe: {
    title: METRICS.sharpe.title,
    say: ({ value, standardError, days }) => [`${number(value)} ± ${number(standardError)} over ${days} days`],
  },
  looks: {
    title: 'tried',
    say: ({ shown, scanned, total }) => [
      `best of ${total} tried${scanned === 0 ? '' : ` at most (${shown} on the service, ${scanned} here)`}`,
    ],
  },
  veto: {
    title: 'overfitting',
    say: ({ psr, dsr, dsrReason, dsrEffective, pbo, pboReason }) => [
      `PSR ${number(psr)}`,
      dsr === null ? `no DSR: ${dsrReason}` : `DSR ${number(dsr)}`,
      ...(dsrEffective === null
        ? []
        : [
            `${number(dsrEffective.dsr)} where alike configurations count once (${number(dsrEffective.count)} of them)`,
          ]),
      pbo === null ? `no PBO: ${pboReason}` : `PBO ${number(pbo)}`,
      'high values prove nothing',
    ],
  },
  direction: {
    title: 'market',
    say: ({ changePercent, rangePercent }) => [
      `${changePercent < 0 ? 'fell' : 'rose'} by ${number(Math.abs(changePercent))} % in a range of ${number(rangePercent)} %`,
    ],
  },
}

/** How much of the profit is the minute of the start, one text for each line. */
export function describeStarts(fact: StartsFact): string[] {
  const { of, reported, percentile, q1, q3, otherSignPercent, botsAfterTenDays } = fact
  return [
    `${money(reported)} is at percentile ${Math.round(percentile)} of the ${of.toLocaleString('en')} starts of the first day`,
    `the middle half makes ${money(q1)} to ${money(q3)}${otherSignPercent === 0 ? '' : `; ${Number(otherSignPercent.toPrecision(2))} % of the starts have the other sign`}`,
    ...(botsAfterTenDays === null
      ? []
      : [`after ten days these were ${botsAfterTenDays} different bot${botsAfterTenDays === 1 ? '' : 's'}`]),
  ]
}

/** How much of it is the last digit of the take profit, one text for each line. */
export function describeTakeProfits(fact: TakeProfitFact): string[] {
  const { from, to, pieces, certified, best, basin, band } = fact
  const isProved = certified.reason === null
  const bound = isProved
    ? `no value between ${number(from)} and ${percent(to)} makes more than`
    : `best of ${number(from)} to ${percent(to)}:`
  return [
    `${bound} ${money(best.netProfit)}, at ${percent(best.to)} (${pieces.toLocaleString('en')} pieces${isProved ? ', proved' : ''})`,
    ...(certified.reason === null ? [] : [certified.reason]),
    `within 10 % of it: ${percent(basin.from)} to ${percent(basin.to)}`,
    ...(band === null
      ? []
      : [
          `its own is at percentile ${Math.round(band.percentile)} of the values within ± ${band.within} %; their middle half makes ${money(band.q1)} to ${money(band.q3)}`,
        ]),
    'the peak is no advice: over 119 windows choosing it earned nothing more afterwards',
  ]
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))} %`
}

/** @param when how its times are told */
export function describeExamination(shown: ShownExamination, when: TimeWords): PlainLine[] {
  const { trial, study, market, candlesHash, interval, examinedAt } = shown
  return [
    `trial ${trial.slice(0, 12)}${study === null ? '' : ` of ${study}`} on ${market}, ${interval} candles ${candlesHash.slice(0, 12)}, examined ${when(examinedAt)}`,
    '',
    ...linesOf(shown),
  ]
}

function linesOf({ checks, reasons }: ShownExamination): readonly string[] {
  const names = Object.keys(SAY) as CheckName[] // keys of a mapped type
  return names.flatMap((name) => {
    const found = sayOne(name, checks) ?? [`refused: ${reasons[name] ?? 'it was not looked at'}`]
    return found.map((text, line) => `${(line === 0 ? SAY[name].title : '').padEnd(TITLE_WIDTH)} ${text}`)
  })
}

function sayOne<Name extends CheckName>(name: Name, checks: Checks): readonly string[] | undefined {
  const check = checks[name]
  const { say }: { readonly say: Say<Name> } = SAY[name]
  return check === null ? undefined : say(check)
}

const TITLE_WIDTH = 12

function number(value: number | null): string {
  return value === null ? '–' : String(Number(value.toPrecision(4))).replace('-', '−')
}

function signed(value: number): string {
  return value > 0 ? `+${value}` : String(value).replace('-', '−')
}

/** Quote, to the cent. */
function money(value: number | null): string {
  return value === null ? '–' : `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(2)}`
}
