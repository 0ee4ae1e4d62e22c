/** Whether the result hangs on exact numbers: the order of prices inside candles, the minute of the start, the last digit of the take profit. */

import { PEAK_AFTERWARDS } from '../../../analysis/certainty/arbitrariness.ts'
import type { KeptExamination } from '../../../store/examinations.ts'
import type { Facts } from '../../facts.ts'
import { formatCount, formatNumber } from '../../format.ts'
import { html } from '../../html.ts'
import { type CheckGroup, checkCard, money, sentences } from './check.ts'
import { envelope, intervals } from './pictures.ts'
import { readCheck } from './read-checks.ts'

export function exactness(examination: KeptExamination, facts: Facts): CheckGroup {
  return {
    id: 'exactness',
    title: 'Does it hang on exact numbers?',
    cards: [ambiguity(examination, facts), starts(examination, facts), takeProfits(examination, facts)],
  }
}

function ambiguity(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Can these candles decide the result at all?',
    answer: readCheck(examination, 'ambiguity'),
    say: (pair) => {
      const { pessimistic, optimistic, ambiguousCandles, rankPessimistic, rankOptimistic, rankReason, of } = pair
      if (ambiguousCandles === 0) {
        return html`<p>Yes: no candle leaves a choice of fills. Whatever came first inside a candle, it made ${money(pessimistic, facts)}.</p>`
      }
      const places =
        rankReason === null
          ? `Place ${rankPessimistic ?? '–'} or ${rankOptimistic ?? '–'} of ${formatNumber(of, 0)} configurations.`
          : `Its place under either order is not known: ${rankReason}.`
      const text = sentences(
        `On ${formatCount(ambiguousCandles, 'candle')} the order of prices inside decides what is filled. Two whole runs, always by the worse order and always by the better; neither is a bound.`,
        places,
        pair.signFlips && 'These candles cannot answer whether it won or lost: use finer ones.',
        pair.leavesTopTenth && 'By one of the two it is not among the best tenth.',
      )
      return html`<p>${text}</p>${intervals('Net profit by the order of prices inside candles', [
        {
          label: 'worse to better',
          low: pessimistic,
          at: null,
          high: optimistic,
          text: `${money(pessimistic, facts)} to ${money(optimistic, facts)}`,
        },
      ])}`
    },
  })
}

function starts(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Does it hang on the minute of the start?',
    answer: readCheck(examination, 'starts'),
    say: ({ of, reported, percentile, low5, q1, median, q3, high95, otherSignPercent, botsAfterTenDays }) => {
      const text = sentences(
        `${money(reported, facts)} is at percentile ${formatNumber(percentile, 0)} of the ${formatCount(of, 'start')} of the first day.`,
        otherSignPercent > 0 && `${formatNumber(otherSignPercent, 1)} % of them have the other sign.`,
        botsAfterTenDays !== null && `After ten days these were ${formatCount(botsAfterTenDays, 'different bot')}.`,
      )
      return html`<p>${text}</p>${intervals('Net profit from every start of the first day', [
        row('middle half', q1, median, q3, facts),
        row('9 of 10', low5, median, high95, facts),
      ])}`
    },
  })
}

function takeProfits(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Does it hang on the last digit of the take profit?',
    answer: readCheck(examination, 'takeProfitCurve'),
    say: ({ from, to, pieces, certified, best, basin, band, envelope: columns }) => {
      const text = sentences(
        `${certified.reason === null ? 'No value' : 'Of the tried values none'} between ${percentText(from)} and ${percentText(to)} makes more than ${money(best.netProfit, facts)}, at ${percentText(best.to)} (${formatCount(pieces, 'piece')}).`,
        certified.reason !== null && `Not proved: ${certified.reason}.`,
        `Within 10 % of it: ${percentText(basin.from)} to ${percentText(basin.to)}.`,
        band !== null &&
          `Its own is at percentile ${formatNumber(band.percentile, 0)} of the values within ± ${band.within} %.`,
        `Do not choose the peak: ${PEAK_AFTERWARDS}.`,
      )
      const rows = band === null ? [] : [row('middle half', band.q1, band.median, band.q3, facts)]
      const own = facts.best?.config.takeProfit ?? Number.NaN
      const near = band === null ? null : { from: own * (1 - band.within / 100), to: own * (1 + band.within / 100) }
      return html`<p>${text}</p>${near !== null && envelope(columns, near)}${rows.length > 0 && intervals('Net profit within 5 % of its take profit', rows)}`
    },
  })
}

function row(label: string, low: number, at: number, high: number, facts: Facts) {
  return { label, low, at, high, text: `${money(low, facts)} to ${money(high, facts)}` }
}

function percentText(value: number): string {
  return `${Number(value.toFixed(3))} %`
}
