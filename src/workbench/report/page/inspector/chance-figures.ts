/** Two pictures of how much is chance, computed while the reader rests: net profit over one field, and over the starts of the first day. */
import { CONFIG, type ConfigField } from '../../../../contract/bot.ts'
import { METRICS } from '../../../../contract/metrics.ts'
import { PEAK_AFTERWARDS, type TakeProfitFact } from '../../../analysis/certainty/arbitrariness.ts'
import { ascending, quantile } from '../../../analysis/quantiles.ts'
import { formatCount, formatGain, formatNumber, formatValue, percentValue, tooltipText } from '../../format.ts'
import {
  type BotOnCandles,
  binsOf,
  findStarts,
  findTakeProfits,
  findValues,
  type StartsFound,
} from '../../model/every-start.ts'
import { sliderRange } from '../../model/what-if.ts'
import { type ChartRows, liveChart } from '../draw-chart.ts'
import { inIdleSlices } from '../idle.ts'
import { makeElement } from '../make-element.ts'
import type { SectionView } from '../section-view.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'

/** Computes what a figure shows in idle slices, from when the candles are prepared; what was begun before is given up. */
function computing(figure: HTMLElement, caption: HTMLElement) {
  let stop = (): void => undefined
  let begun = 0
  return {
    stop() {
      begun++
      stop()
    },
    start({ sectionView, terms, config }: Exhibit, what: string, steps: (asked: BotOnCandles) => Iterable<void>): void {
      stop()
      const mine = ++begun
      caption.textContent = `${what}: computing …`
      figure.setAttribute('aria-busy', 'true')
      void sectionView.kernelCandles().then((prepared) => {
        if (begun !== mine) return
        if (typeof prepared === 'string') {
          caption.textContent = `${what} is not computed: ${prepared}.`
          figure.setAttribute('aria-busy', 'false')
        } else stop = inIdleSlices(steps({ prepared, market: terms, config }))
      })
    },
    /** Dim until then: what is drawn is of other values. */
    end(drawn: Promise<unknown>): void {
      const mine = begun
      void drawn.then(() => begun === mine && figure.setAttribute('aria-busy', 'false'))
    },
  }
}

interface ProfitCurve {
  readonly element: HTMLElement
  /** Begins anew; what was being computed is given up. */
  readonly show: (exhibit: Exhibit, field: ConfigField) => void
  /** Gives up what is being computed. */
  readonly stop: () => void
}

export function profitCurve(read: SectionView['chart']): ProfitCurve {
  const chart = liveChart(() => read('neighbours'))
  const caption = makeElement('figcaption')
  const element = makeElement('figure', { class: 'panel neighbours', children: [caption, chart.element] })
  const work = computing(element, caption)
  return {
    element,
    stop: work.stop,
    show(exhibit, field) {
      const { sectionView, config, stored, run } = exhibit
      element.hidden = run === null
      const range = sliderRange(sectionView.table, field, stored[field])
      if (run === null || range === null) return work.stop()
      const draw = (rows: ChartRows, words: string): void => {
        caption.textContent = words
        work.end(chart.draw(rows, words))
      }
      work.start(exhibit, `${METRICS.netProfit.title} over ${CONFIG[field].title}`, (asked) =>
        field === 'takeProfit'
          ? findTakeProfits(asked, range, (found) =>
              draw(takeProfitRows(found, exhibit), takeProfitWords(found, exhibit)),
            )
          : findValues(asked, field, range, (found) => {
              const rows = found.map(([value, profit]) =>
                rowOf(`${CONFIG[field].title} ${formatValue(value)}`, [value, profit, profit], exhibit),
              )
              const now = rows.filter(({ value }) => value === config[field])
              draw({ points: rows, band: [], now }, valuesWords(found, field, exhibit))
            }),
      )
    },
  }
}

/** A value with the least and the most that is earned there. */
function rowOf(title: string, [value, low, high]: readonly [number, number, number], exhibit: Exhibit) {
  const earned = low === high ? money(high, exhibit) : `${money(low, exhibit)} to ${money(high, exhibit)}`
  return { value, low, high, tooltip: tooltipText(title, [[METRICS.netProfit.title, earned]]) }
}

function takeProfitRows({ envelope, band, from, to }: TakeProfitFact, exhibit: Exhibit): ChartRows {
  const { config, run } = exhibit
  const own = config.takeProfit
  const near = (share: number) => Math.min(to, Math.max(from, own * share))
  const profit = run?.metrics.netProfit ?? Number.NaN
  return {
    points: envelope.map((column) => rowOf(`Take profit ${percentValue(column[0])}`, column, exhibit)),
    band: band === null ? [] : [{ from: near(1 - band.within / 100), to: near(1 + band.within / 100) }],
    now: [rowOf(`Take profit ${formatValue(own)}\u00a0%`, [own, profit, profit], exhibit)],
  }
}

function takeProfitWords({ from, to, certified, best, basin, band }: TakeProfitFact, exhibit: Exhibit): string {
  const most = `${money(best.netProfit, exhibit)}, at ${percentValue(best.to)}`
  const range = `${percentValue(from)} and ${percentValue(to)}`
  return [
    certified.reason === null
      ? `No take profit between ${range} earns more than ${most} (proved).`
      : `The best take profit found between ${range} earns ${most}; ${certified.reason}.`,
    `Within 10\u00a0% of that: ${percentValue(basin.from)} to ${percentValue(basin.to)}.`,
    ...(band === null
      ? []
      : [
          `◆ ${formatValue(exhibit.config.takeProfit)}\u00a0% is at percentile ${formatNumber(band.percentile, 0)} of the values within ±\u00a0${band.within}\u00a0% (shaded); their middle half earns ${money(band.q1, exhibit)} to ${money(band.q3, exhibit)}.`,
        ]),
    `Do not choose the peak: ${PEAK_AFTERWARDS}.`,
  ].join(' ')
}

function valuesWords(
  found: readonly (readonly [value: number, netProfit: number])[],
  field: ConfigField,
  exhibit: Exhibit,
): string {
  const sorted = found.toSorted(([, a], [, b]) => a - b)
  const text = ([value, profit]: readonly [number, number]) => `${money(profit, exhibit)} at ${formatValue(value)}`
  const [least, most] = [sorted.at(0), sorted.at(-1)]
  const ends = least === undefined || most === undefined ? '' : `: from ${text(least)} to ${text(most)}`
  return `${METRICS.netProfit.title} over ${CONFIG[field].title}, everything else as set${ends}. ◆ is the value set.`
}

export function startsFigure(read: SectionView['chart']): ExhibitPart {
  const [strip, bins] = [liveChart(() => read('starts')), liveChart(() => read('startBins'))]
  const caption = makeElement('figcaption')
  const element = makeElement('figure', { class: 'panel starts', children: [caption, strip.element, bins.element] })
  const work = computing(element, caption)
  return {
    element,
    show(exhibit) {
      const isNothing = exhibit.run === null
      for (const { element: plot } of [strip, bins]) plot.hidden = isNothing
      if (isNothing) {
        work.stop()
        caption.textContent = `No starts: ${exhibit.whyNotRun}.`
        return
      }
      work.start(exhibit, `${METRICS.netProfit.title} from every start of the first day`, (asked) =>
        findStarts(asked, (found) => {
          const words = startsWords(found, exhibit)
          caption.textContent = words
          const rows = startsRows(found, exhibit, asked)
          work.end(Promise.all([strip.draw(rows.strip, words), bins.draw(rows.bins, 'The same as a histogram.')]))
        }),
      )
    },
  }
}

function startsWords({ of, reported, percentile, q1, q3, otherSignPercent }: StartsFound, exhibit: Exhibit): string {
  return [
    `◆ ${money(reported, exhibit)} is at percentile ${formatNumber(percentile, 0)} of the ${formatCount(of, 'start')} of the first day.`,
    `The middle half (shaded) earned ${money(q1, exhibit)} to ${money(q3, exhibit)}.`,
    ...(otherSignPercent === 0
      ? []
      : [`${formatCount(Math.round((otherSignPercent * of) / 100), 'start')} ended with the other sign.`]),
  ].join(' ')
}

function startsRows({ profits, q1, q3 }: StartsFound, exhibit: Exhibit, { prepared }: BotOnCandles) {
  const [reported] = profits
  const tooltip = tooltipText('As reported', [[METRICS.netProfit.title, money(reported, exhibit)]])
  const band = [{ from: q1, to: q3 }]
  const now = [{ time: prepared.openTime[0], profit: reported, tooltip }]
  const sorted = ascending(profits)
  const quartiles = { lower: quantile(sorted, 0.25) ?? 0, upper: quantile(sorted, 0.75) ?? 0 }
  const bins = binsOf(profits, quartiles).map((bin) => ({
    ...bin,
    tooltip: tooltipText(`${money(bin.from, exhibit)} to ${money(bin.to, exhibit)}`, [['Starts', String(bin.count)]]),
  }))
  return {
    strip: { points: profits.map((profit, n) => ({ time: prepared.openTime[n], profit })), band, now },
    bins: { bins, band, now },
  }
}

function money(value: number, { sectionView: { section } }: Exhibit): string {
  return formatGain(value, section.quote)
}
