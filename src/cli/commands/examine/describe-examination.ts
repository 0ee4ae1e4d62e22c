/** An examination as it is printed: what each check found, and what is refused with its reason. */
import { METRICS } from '../../../contract/metrics.ts'
import type { CheckName, Checks } from '../../../workbench/analysis/certainty/checks.ts'
import type { PlainLine } from '../../output.ts'
import type { TimeWords } from '../../reader-time.ts'
import type { ShownExamination } from './shown-examination.ts'

/** One text for each line. */
type Say<Name extends CheckName> = (check: NonNullable<Checks[Name]>) => readonly string[]

const TERMS_FROM = {
  result: 'as the result states',
  calibration: 'as calibration found',
  poorCalibration: 'as a poor calibration found',
  study: 'as the study says (the service does not state it)',
} as const

const SAY: { readonly [Name in CheckName]: { readonly title: string; readonly say: Say<Name> } } = {
  twin: {
    title: 'service',
    say: ({ difference, differencePercent, deals, termsFrom, sameCandles }) => [
      [
        Math.abs(difference) < 0.005
          ? 'equal to the local engine to the cent'
          : `${Math.abs(difference).toFixed(2)} ${difference < 0 ? 'less' : 'more'} than the local engine (${number(Math.abs(differencePercent))} % of the investment)`,
        ...(deals === null || deals === 0 ? [] : [`${signed(deals)} deals`]),
        `computed ${TERMS_FROM[termsFrom]}`,
        ...(sameCandles === false ? ['on other candles than the stored ones'] : []),
        ...(sameCandles === null ? ['on candles it does not name'] : []),
      ].join(', '),
    ],
  },
  ambiguity: {
    title: 'fill order',
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
        ? 'fill order never matters on these candles'
        : `${money(pessimistic)} to ${money(optimistic)}, worst to best fill order inside ${ambiguousCandles} candles`,
      ...(of === 0 || ambiguousCandles === 0
        ? []
        : [`place ${rankPessimistic ?? '–'} or ${rankOptimistic ?? '–'} of ${of}`]),
      ...(signFlips || leavesTopTenth ? ['too coarse to decide; use shorter candles (1m)'] : []),
    ],
  },
  nudge: {
    title: 'sensitivity',
    say: ({ median, worst, edges, axes, spike, moves }) => {
      const costly = moves.toSorted((a, b) => (b.lossPercent ?? 0) - (a.lossPercent ?? 0)).at(0)
      return [
        `nearby settings: median ${money(median)}, worst ${money(worst)} of ${moves.length}${spike ? ': sensitive' : ''}`,
        ...(costly?.lossPercent != null && costly.lossPercent > 0
          ? [`${costly.field} ${number(costly.value)} makes ${Math.round(costly.lossPercent)} % less`]
          : []),
        edges.length === 0
          ? 'not at an edge of the tested range'
          : `at the edge of the tested range: ${edges.join(', ')} (${edges.length} of ${axes})`,
      ]
    },
  },
  shift: {
    title: 'dates',
    say: ({ low, high, rank, rankWorst, left }) => [
      `${money(low)} to ${money(high)} when it starts or ends a day earlier or later`,
      ...(rank === null ? [] : [`rank ${rank}, worst ${rankWorst ?? 'excluded by limits'}`]),
      ...left.map(({ moved, reason }) => `${moved}: ${reason}`),
    ],
  },
  thirds: {
    title: 'parts',
    say: ({ thirds, largestMonth, largestDeal }) => [
      `${thirds.map(money).join(', ')}`,
      ...(largestMonth === null ? [] : [`${largestMonth.month} made ${Math.round(largestMonth.sharePercent)} %`]),
      ...(largestDeal === null ? [] : [`the largest deal ${Math.round(largestDeal.sharePercent)} %`]),
    ],
  },
  nextSpan: {
    title: 'persistence',
    say: ({ rho, n }) => [`rank correlation, first half with second: ${number(rho)} (${n} configurations)`],
  },
  walkForward: {
    title: 'walk-forward',
    say: ({ folds, meanPercentile, worstFold, profit, configs }) => [
      `${folds.length} windows, each the best of ${configs}: percentile ${number(meanPercentile)} out of sample (50 = chance)`,
      `${money(profit)} in all tests${worstFold === null ? '' : `, ${money(folds[worstFold - 1].netProfit)} in the worst (${folds[worstFold - 1].test.from.slice(0, 10)})`}`,
    ],
  },
  fall: {
    title: 'price drop',
    say: (falls) =>
      falls.map(({ dropPercent, tied, loss, breakEvenRisePercent: rise, stopped }) => {
        const left = stopped
          ? 'sold by the stop loss'
          : rise === null
            ? 'nothing held'
            : `breaks even after +${number(rise)} %`
        return `−${dropPercent} %: ${number(tied)} invested, ${money(-loss)}, ${left}`
      }),
  },
  benchmark: {
    title: 'holding',
    say: ({ hold, exposedHold, periodic }) => [
      `buy & hold ${money(hold.profit)}, drawdown ${number(hold.maxDrawdownPercent)} %`,
      `the same average amount held ${money(exposedHold.profit)}, drawdown ${number(exposedHold.maxDrawdownPercent)} %`,
      `bought daily ${money(periodic.daily.profit)}, weekly ${money(periodic.weekly.profit)}`,
    ],
  },
  capital: {
    title: 'capital',
    say: ({ average, max, averagePercent, netProfit, netProfitPerUsedPercent: perUsed, profitFollowsCapital: r }) => [
      `${money(netProfit)} with ${number(average)} invested on average (${number(averagePercent)} %), peak ${number(max)}`,
      `${perUsed === null ? '–' : `${number(perUsed)} %`} of the capital used`,
      ...(r === null ? [] : [`profit and capital used correlate: r ${number(r)}`]),
    ],
  },
  noise: {
    title: 'error',
    say: ({ netProfit, standardError, lead, leadStandardError }) => [
      `${money(netProfit)} ± ${number(standardError)} (one standard error)`,
      ...(lead === null ? [] : [`ahead of #2 by ${money(lead)} ± ${number(leadStandardError)}`]),
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
      'high values are no proof',
    ],
  },
  direction: {
    title: 'market',
    say: ({ changePercent, rangePercent }) => [
      `${changePercent < 0 ? 'fell' : 'rose'} by ${number(Math.abs(changePercent))} % in a range of ${number(rangePercent)} %`,
    ],
  },
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
    const found = sayOne(name, checks) ?? [`n/a: ${reasons[name] ?? 'not computed'}`]
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
