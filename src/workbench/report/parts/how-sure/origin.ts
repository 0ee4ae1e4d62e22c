/** Where the profit came from: parts of the time, single deals, the market itself, the capital; and what a fall would take. */
import type { KeptExamination } from '../../../store/examinations.ts'
import type { Facts } from '../../facts.ts'
import { formatNumber, formatPercent } from '../../format.ts'
import { html } from '../../html.ts'
import { type CheckGroup, checkCard, money, sentences, sharePercent } from './check.ts'
import { bars } from './pictures.ts'
import { readCheck } from './read-checks.ts'

const THIRDS = ['first', 'second', 'last'] as const

export function originOfProfit(examination: KeptExamination, facts: Facts): CheckGroup {
  return {
    id: 'origin',
    title: 'Where did the profit come from, and what would it take?',
    cards: [
      parts(examination, facts),
      market(examination),
      benchmark(examination, facts),
      capital(examination, facts),
      falls(examination, facts),
    ],
  }
}

function parts(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Did one part of the time, or one deal, make the profit?',
    answer: readCheck(examination, 'thirds'),
    say: ({ thirds, months, largestThird, largestMonth, largestDeal }) => {
      const text = sentences(
        largestThird !== null &&
          `The ${THIRDS[largestThird.index] ?? 'largest'} third made ${sharePercent(largestThird.sharePercent)} of the net profit.`,
        largestMonth !== null && `${largestMonth.month} made ${sharePercent(largestMonth.sharePercent)}.`,
        largestDeal !== null && `The largest deal made ${sharePercent(largestDeal.sharePercent)}.`,
        largestThird === null && 'There is no profit of which a part could be a share.',
      )
      const ofThirds = thirds.map((profit, index) => ({
        label: `${THIRDS[index] ?? index + 1} third`,
        value: profit,
        text: money(profit, facts),
      }))
      const ofMonths = months.map(({ month, profit }) => ({ label: month, value: profit, text: money(profit, facts) }))
      return html`<p>${text}</p>${bars('Profit by thirds of the period', ofThirds)}${bars('Profit by months', ofMonths)}`
    },
  })
}

function benchmark(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'What would the money have made without a bot?',
    answer: readCheck(examination, 'benchmark'),
    say: ({ hold, exposedHold, periodic }) => {
      const rows = [
        { label: 'held', ...hold },
        { label: 'held, same exposure', ...exposedHold },
        { label: 'bought daily', ...periodic.daily },
        { label: 'bought weekly', ...periodic.weekly },
      ].map(({ label, profit, maxDrawdownPercent }) => ({
        label,
        value: profit,
        text: `${money(profit, facts)} (${formatPercent(maxDrawdownPercent, 1)})`,
      }))
      const { best } = facts
      const own = best?.metrics.netProfit ?? null
      const drawdown = best?.metrics.maxDrawdownPercent ?? null
      const bot = {
        label: 'this bot',
        value: own ?? 0,
        text: `${money(own, facts)} (${formatPercent(drawdown, 1)})`,
      }
      const all = own === null ? rows : [bot, ...rows]
      return html`<p>Same exposure: as much of it as the bot had in use on average, the rest in cash.</p>${bars('Profit over the same period, drawdown behind it', all)}`
    },
  })
}

function capital(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Did the ladder earn more, or did it only spend more?',
    answer: readCheck(examination, 'capital'),
    say: (found) => {
      const { average, averagePercent, max, netProfit, netProfitPerUsedPercent, profitFollowsCapital, reason } = found
      const { decimals, asset } = facts.quote
      const rows = [
        { label: 'in use on average', value: average, text: `${formatNumber(average, decimals)} ${asset}` },
        { label: 'in use at most', value: max, text: `${formatNumber(max, decimals)} ${asset}` },
      ]
      return html`<p>${sentences(
        `${money(netProfit, facts)} with ${formatPercent(averagePercent, 0)} of the investment in use on average: ${netProfitPerUsedPercent === null ? 'its share of that is undefined, because nothing was used' : `${formatPercent(netProfitPerUsedPercent, 1)} of the capital in use`}.`,
        `It held a position ${formatPercent(found.timeInDealPercent, 0)} of the time.`,
        profitFollowsCapital === null
          ? `Whether profit follows capital in this study is not known: ${reason ?? 'no reason was kept'}.`
          : `Over the study’s configurations, net profit follows the capital in use with r ${formatNumber(profitFollowsCapital, 2)} (1 = entirely).`,
      )}</p>${bars('Capital in use', rows)}`
    },
  })
}

function market(examination: KeptExamination) {
  return checkCard({
    question: 'What did the market itself do?',
    answer: readCheck(examination, 'direction'),
    say: ({ changePercent, rangePercent }) =>
      html`<p>It ${changePercent < 0 ? 'fell' : 'rose'} by ${formatPercent(Math.abs(changePercent), 1)}, in a range of ${formatPercent(rangePercent, 1)} from its lowest to its highest price.</p>`,
  })
}

function falls(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'What if the price falls after the base order?',
    answer: readCheck(examination, 'fall'),
    say: (rows) => {
      const { decimals, asset } = facts.quote
      return html`<div class="scroll" role="group" aria-label="After a fall" tabindex="0"><table class="plain falls"><caption>Without any rise on the way, amounts in ${asset}</caption>
      <thead><tr>${['Fall', 'Tied', 'Result', 'Orders filled', 'Even again after'].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ dropPercent, tied, loss, breakEvenRisePercent: rise, rungsFilled, stopped }) =>
          html`<tr><th scope="row">−${formatPercent(dropPercent, 0)}</th><td>${formatNumber(tied, decimals)}</td><td>${money(-loss, facts)}</td><td>${formatNumber(rungsFilled, 0)}</td><td>${stopped ? 'sold by the stop' : rise === null ? 'nothing held' : `+${formatPercent(rise, 1)}`}</td></tr>`,
      )}</tbody></table></div>`
    },
  })
}
