/** What the last examination found, as cards in groups: exact numbers, where the profit came from, chance. */
import { PEAK_AFTERWARDS } from '../../../analysis/certainty/arbitrariness.ts'
import type { OverfittingCheck } from '../../../analysis/certainty/checks.ts'
import type { KeptExamination } from '../../../store/verdicts.ts'
import type { Facts } from '../../facts.ts'
import { formatCount, formatGain, formatNumber, formatPercent, percentValue } from '../../format.ts'
import { html } from '../../html.ts'
import { bars, type CheckGroup, checkCard, envelope, intervals, sentences } from './check.ts'
import { readCheck } from './read-checks.ts'

export function exactness(examination: KeptExamination, facts: Facts): CheckGroup {
  return {
    id: 'exactness',
    title: 'Does it depend on exact numbers?',
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
        return html`<p>Yes: fill order never matters on these candles. Whatever came first inside a candle, it made ${formatGain(pessimistic, facts.quote)}.</p>`
      }
      const places =
        rankReason === null
          ? `Of ${formatNumber(of, 0)} configurations it has place ${rankPessimistic ?? '–'} by the worse order, ${rankOptimistic ?? '–'} by the better.`
          : `Its place under either order is not known: ${rankReason}.`
      const text = sentences(
        `On ${formatCount(ambiguousCandles, 'candle')} the order of prices inside decides what is filled. Two whole runs, one always by the worse order, one always by the better; neither is a bound.`,
        places,
        pair.signFlips && 'These candles cannot answer whether it won or lost: use shorter ones.',
        pair.leavesTopTenth && 'By one of the two it is not among the best tenth.',
      )
      return html`<p>${text}</p>${intervals('Net profit by the order of prices inside candles', [
        {
          label: 'worse to better',
          low: pessimistic,
          at: null,
          high: optimistic,
          text: `${formatGain(pessimistic, facts.quote)} to ${formatGain(optimistic, facts.quote)}`,
        },
      ])}`
    },
  })
}

function starts(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'Does the minute of the start matter?',
    answer: readCheck(examination, 'starts'),
    say: ({ of, reported, percentile, low5, q1, median, q3, high95, otherSignPercent, botsAfterTenDays }) => {
      const text = sentences(
        `${formatGain(reported, facts.quote)} is at percentile ${formatNumber(percentile, 0)} of the ${formatCount(of, 'start')} of the first day.`,
        otherSignPercent > 0 && `${formatNumber(otherSignPercent, 1)} % of them have the other sign.`,
        botsAfterTenDays === 1 && 'Ten days later all starts traded alike.',
        botsAfterTenDays !== null &&
          botsAfterTenDays > 1 &&
          `Ten days later the starts traded as ${formatCount(botsAfterTenDays, 'different bot')}.`,
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
    question: 'Does the last digit of the take profit matter?',
    answer: readCheck(examination, 'takeProfitCurve'),
    say: ({ from, to, pieces, certified, best, basin, band, envelope: columns }) => {
      const text = sentences(
        `The best ${certified.reason === null ? 'take profit' : 'take profit tried'} between ${percentValue(from)} and ${percentValue(to)} is ${percentValue(best.to)}: ${formatGain(best.netProfit, facts.quote)} (${formatCount(pieces, 'range')} compared).`,
        certified.reason !== null && `Not proved: ${certified.reason}.`,
        `Within 10 % of it: ${percentValue(basin.from)} to ${percentValue(basin.to)}.`,
        band !== null &&
          `Its own take profit is at percentile ${formatNumber(band.percentile, 0)} of the values within ± ${band.within} %.`,
        `Do not choose the peak: ${PEAK_AFTERWARDS}.`,
      )
      const own = facts.best?.config.takeProfit ?? Number.NaN
      const near = band === null ? null : { from: own * (1 - band.within / 100), to: own * (1 + band.within / 100) }
      return html`<p>${text}</p>${near !== null && envelope(columns, near)}${band !== null && intervals(`Net profit with take profits within ± ${band.within} % of its own`, [row('middle half', band.q1, band.median, band.q3, facts)])}`
    },
  })
}

function row(label: string, low: number, at: number, high: number, facts: Facts) {
  return { label, low, at, high, text: `${formatGain(low, facts.quote)} to ${formatGain(high, facts.quote)}` }
}

// Where the profit came from: parts of the time, single deals, the market itself, the capital; and what a fall would take.

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
          `The ${THIRDS[largestThird.index] ?? 'largest'} third made ${formatPercent(largestThird.sharePercent, 0)} of the net profit.`,
        largestMonth !== null && `${largestMonth.month} made ${formatPercent(largestMonth.sharePercent, 0)}.`,
        largestDeal !== null && `The largest deal made ${formatPercent(largestDeal.sharePercent, 0)}.`,
        largestThird === null && 'There is no profit of which a part could be a share.',
      )
      const ofThirds = thirds.map((profit, index) => ({
        label: `${THIRDS[index] ?? index + 1} third`,
        value: profit,
        text: formatGain(profit, facts.quote),
      }))
      const ofMonths = months.map(({ month, profit }) => ({
        label: month,
        value: profit,
        text: formatGain(profit, facts.quote),
      }))
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
        { label: 'holding the same average amount', ...exposedHold },
        { label: 'bought daily', ...periodic.daily },
        { label: 'bought weekly', ...periodic.weekly },
      ].map(({ label, profit, maxDrawdownPercent }) => ({
        label,
        value: profit,
        text: `${formatGain(profit, facts.quote)} (${formatPercent(maxDrawdownPercent, 1)})`,
      }))
      const { best } = facts
      const own = best?.metrics.netProfit ?? null
      const drawdown = best?.metrics.maxDrawdownPercent ?? null
      const bot = {
        label: 'this bot',
        value: own ?? 0,
        text: `${formatGain(own, facts.quote)} (${formatPercent(drawdown, 1)})`,
      }
      const all = own === null ? rows : [bot, ...rows]
      return html`<p>The same average amount: as much as the bot had invested on average, the rest in cash.</p>${bars('Profit over the same period, drawdown behind it', all)}`
    },
  })
}

function capital(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'What did it earn on the capital it used?',
    answer: readCheck(examination, 'capital'),
    say: (found) => {
      const { average, averagePercent, max, netProfit, netProfitPerUsedPercent, profitFollowsCapital, reason } = found
      const { decimals, asset } = facts.quote
      const rows = [
        { label: 'invested on average', value: average, text: `${formatNumber(average, decimals)} ${asset}` },
        { label: 'invested at most', value: max, text: `${formatNumber(max, decimals)} ${asset}` },
      ]
      return html`<p>${sentences(
        `${formatGain(netProfit, facts.quote)} with ${formatPercent(averagePercent, 0)} of the capital invested on average. ${netProfitPerUsedPercent === null ? 'Profit per amount invested is undefined, because nothing was invested' : `That is ${formatPercent(netProfitPerUsedPercent, 1)} of the average amount invested`}.`,
        `It held a position ${formatPercent(found.timeInDealPercent, 0)} of the time.`,
        profitFollowsCapital === null
          ? `Whether profit follows capital in this study is not known: ${reason ?? 'no reason was kept'}.`
          : `Over the study’s configurations, net profit follows the capital used with r ${formatNumber(profitFollowsCapital, 2)} (1 = entirely).`,
      )}</p>${bars('Capital invested', rows)}`
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
      <thead><tr>${['Fall', 'Invested', 'Result', 'Orders filled', 'Rise to break even'].map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>${rows.map(
        ({ dropPercent, tied, loss, breakEvenRisePercent: rise, rungsFilled, stopped }) =>
          html`<tr><th scope="row">−${formatPercent(dropPercent, 0)}</th><td>${formatNumber(tied, decimals)}</td><td>${formatGain(-loss, facts.quote)}</td><td>${formatNumber(rungsFilled, 0)}</td><td>${stopped ? 'sold by the stop' : rise === null ? 'nothing held' : `+${formatPercent(rise, 1)}`}</td></tr>`,
      )}</tbody></table></div>`
    },
  })
}

// How much of the result may be chance: its standard error, how many were tried, and the statistics that can only say no.

export function chanceOfIt(examination: KeptExamination, facts: Facts): CheckGroup {
  return {
    id: 'chance',
    title: 'Is it more than chance?',
    cards: [noise(examination, facts), sharpe(examination), tried(examination), overfittingTests(examination)],
  }
}

function noise(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'How large is the profit, and the lead, against its own ups and downs?',
    answer: readCheck(examination, 'noise'),
    say: ({ netProfit, standardError, lead, leadStandardError, leadReason }) => {
      const within = (value: number, error: number) => ({
        low: value - error,
        at: value,
        high: value + error,
        text: `${formatGain(value, facts.quote)} ± ${formatNumber(error, facts.quote.decimals)}`,
      })
      const rows = [
        { label: 'net profit', ...within(netProfit, standardError) },
        ...(lead === null || leadStandardError === null
          ? []
          : [
              {
                label: lead < 0 ? 'net profit less that of the best other' : 'ahead of the best other by',
                ...within(lead, leadStandardError),
              },
            ]),
      ]
      const isTie = lead !== null && leadStandardError !== null && Math.abs(lead) < leadStandardError
      return html`<p>${sentences(
        'The lines reach one standard error to each side.',
        lead === null && `Lead over the best other: not known (${leadReason ?? 'no reason was kept'}).`,
        isTie && 'The lead is smaller than its error: take the two as a tie.',
      )}</p>${intervals('Net profit and lead with one standard error', rows)}`
    },
  })
}

function sharpe(examination: KeptExamination) {
  return checkCard({
    question: 'How uncertain is the Sharpe ratio?',
    answer: readCheck(examination, 'sharpe'),
    say: ({ value, standardError, days }) =>
      html`<p>From ${formatCount(days, 'day')}; ± 1.65 standard errors is a 90 % interval.</p>${intervals(
        'Sharpe ratio with one standard error',
        [
          {
            label: 'Sharpe',
            low: value - standardError,
            at: value,
            high: value + standardError,
            text: `${formatNumber(value, 2)} ± ${formatNumber(standardError, 2)}`,
          },
        ],
      )}`,
  })
}

function tried(examination: KeptExamination) {
  return checkCard({
    question: 'The best of how many?',
    answer: readCheck(examination, 'tried'),
    say: ({ shown, scanned, total }) =>
      html`<p>When it was examined, ${scanned > 0 && 'at most '}${formatCount(total, 'configuration had been', 'configurations had been')} tried on this market and time: ${formatNumber(shown, 0)} on the service, ${formatNumber(scanned, 0)} here. The best of many seems better than it is.</p>`,
  })
}

const PROBABILITIES = [
  { name: 'psr', label: 'PSR', reason: 'psrReason' },
  { name: 'dsr', label: 'DSR', reason: 'dsrReason' },
  { name: 'pbo', label: 'PBO', reason: 'pboReason' },
] as const satisfies readonly {
  readonly name: keyof OverfittingCheck
  readonly label: string
  readonly reason: keyof OverfittingCheck
}[]

function overfittingTests(examination: KeptExamination) {
  return checkCard({
    question: 'Could this be luck?',
    answer: readCheck(examination, 'overfitting'),
    say: (found) => {
      const rows = PROBABILITIES.flatMap(({ name, label }) => {
        const value = found[name]
        return value === null ? [] : [{ label, low: value, at: value, high: value, text: formatNumber(value, 3) }]
      })
      const refused = PROBABILITIES.filter(({ name }) => found[name] === null).map(
        ({ label, reason }) => `No ${label}: ${found[reason] ?? 'no reason was kept'}.`,
      )
      return html`<p>${sentences(
        'PSR: probability that the true Sharpe ratio is above 0. DSR: the same above what the best of all configurations tried reaches by chance; below 0.95 is a bad sign. PBO: how often the best of one half of the days is below the middle in the other. High values prove nothing.',
        ...refused,
      )}</p>${intervals(`Probabilities from ${formatCount(found.dailyReturns, 'daily return')}`, rows, [0, 1])}`
    },
  })
}
