/** Whether the result hangs on exact numbers: the order of prices inside candles, the values of the ladder, the days of the period. */
import type { KeptExamination } from '../../../store/examinations.ts'
import type { Facts } from '../../facts.ts'
import { formatCount, formatNumber, formatValue } from '../../format.ts'
import { html } from '../../html.ts'
import { fieldName } from '../field-name.ts'
import { type CheckGroup, change, checkCard, money, sentences } from './check.ts'
import { bars, intervals } from './pictures.ts'
import { readCheck } from './read-checks.ts'

export function exactness(examination: KeptExamination, facts: Facts): CheckGroup {
  return {
    id: 'exactness',
    title: 'Does it hang on exact numbers?',
    cards: [ambiguity(examination, facts), nudges(examination, facts), shifts(examination, facts)],
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

function nudges(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Does a slightly different ladder do as well?',
    answer: readCheck(examination, 'nudge'),
    say: ({ median, worst, moves, edges, axes, spike }) => {
      const text = sentences(
        `${formatCount(moves.length, 'small move')}, each of one value: ${money(median, facts)} in the middle, ${money(worst, facts)} at worst.`,
        spike && 'A spike: the middle move loses more than half of the profit.',
        edges.length === 0
          ? 'It lies at no edge of the grid.'
          : `At the edge of the grid in ${edges.length} of ${formatCount(axes, 'field')}: ${edges.join(', ')}. What lies beyond was not tried.`,
      )
      const rows = moves.map(({ field, value, netProfit, lossPercent }) => ({
        label: html`${fieldName(field)} ${formatValue(value)}${edges.includes(field) && ' (edge)'}`,
        value: lossPercent === null ? netProfit : -lossPercent,
        text: lossPercent === null ? money(netProfit, facts) : change(-lossPercent),
      }))
      const isShare = moves.every(({ lossPercent }) => lossPercent !== null)
      return html`<p>${text}</p>${bars(isShare ? 'Change of the net profit by one small move' : 'Net profit after one small move', rows)}`
    },
  })
}

function shifts(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Does a day more or less change it?',
    answer: readCheck(examination, 'shift'),
    say: ({ low, high, rank, rankWorst, rankReason, shifts: moved, left }) => {
      const text = sentences(
        `From ${money(low, facts)} to ${money(high, facts)}.`,
        rank === null
          ? `Its places are not known: ${rankReason ?? 'it is unranked'}.`
          : `Place ${formatNumber(rank, 0)} of its study, at worst ${rankWorst === null ? 'outside the bounds' : formatNumber(rankWorst, 0)}.`,
        ...left.map(({ moved: which, reason }) => `Not run with ${which}: ${reason}.`),
      )
      const rows = moved.map(({ moved: which, netProfit, rank: place }) => ({
        label: which,
        low: netProfit,
        at: netProfit,
        high: netProfit,
        text: `${money(netProfit, facts)}${place === null ? '' : `, place ${formatNumber(place, 0)}`}`,
      }))
      return html`<p>${text}</p>${intervals('Net profit with other ends of the period', rows)}`
    },
  })
}
