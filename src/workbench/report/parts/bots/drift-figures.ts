/** The pictures of a bot beside its backtest. Its rows were kept as JSON: what is no time or no number is left out. */
import type { DriftDealRow, DriftEquityRows, DriftSeries } from '../../../store/drift-checks.ts'
import type { BotDealMark, BotDealsInput } from '../../charts/bot-deals.ts'
import type { BotEquityInput } from '../../charts/bot-equity.ts'
import { CHARTS } from '../../charts/charts.ts'
import { tooltipText } from '../../charts/columns.ts'
import type { Facts } from '../../facts.ts'
import { formatCount, formatInstant, formatNumber } from '../../format.ts'
import { html } from '../../html.ts'
import type { DriftInput } from '../../input.ts'
import { priceDecimals } from '../../model/deal-marks.ts'
import { money } from '../how-sure/check.ts'
import { figure, type Part, type Place } from '../part.ts'

type Who = BotDealMark['who']

const SIDES: readonly Who[] = ['bot', 'backtest']
const DAY_MS = 86_400_000

export function driftFigures(
  { check: { series }, price }: DriftInput,
  facts: Facts,
  { place, nth }: { readonly place: Place; readonly nth: number },
): Part {
  if (series === null) {
    return { body: html`<p class="empty">No picture: ${CHARTS['bot-deals'].without}.</p>`, charts: [] }
  }
  const { asset } = facts.quote
  const marks = SIDES.flatMap((who) => series[who].deals.flatMap((deal) => marksOf(deal, who, facts)))
  const points = SIDES.flatMap((who) => pointsOf(series[who].equity, who, facts))
  const isTold = 'reason' in price ? price.reason : null
  const parts = [
    ...(marks.length === 0 ? [] : [dealsFigure({ price, marks, spans: spansOf(series) })]),
    ...(points.length === 0 ? [] : [equityFigure(points)]),
  ]
  const none =
    marks.length + points.length === 0 && html`<p class="empty">No picture: no deal and no whole day yet.</p>`
  return { body: html`${parts.map(({ body }) => body)}${none}`, charts: parts.flatMap(({ charts }) => charts) }

  function dealsFigure(drawn: Pick<BotDealsInput, 'marks' | 'spans'> & Pick<DriftInput, 'price'>): Part {
    const of = (who: Who) => formatCount(series?.[who].deals.length ?? 0, 'deal')
    const without = isTold === null ? '' : ` The price itself is not drawn: ${isTold}.`
    return figure({
      place,
      nth,
      name: 'bot-deals',
      drawn: { ...drawn, yTitle: `Price, ${asset}`, price: 'reason' in drawn.price ? [] : drawn.price },
      summary: `${of('bot')} of the bot, ${of('backtest')} of the backtest.`,
      legend: [
        { swatch: 'trial', label: 'bot' },
        { swatch: 'hollow', label: 'backtest' },
        { swatch: 'unmatched', label: 'not matched by the other' },
      ],
      caption: `▲ opened, ▼ closed: a filled mark in a hollow one is a deal that both have on the same candles.${without}`,
    })
  }

  function equityFigure(days: BotEquityInput['points']): Part {
    const whose = SIDES.filter((who) => days.some((day) => day.who === who))
    const only = whose.length === 1 ? ` Of the ${whose[0] === 'bot' ? 'backtest' : 'bot'} no day is known.` : ''
    return figure({
      place,
      nth,
      name: 'bot-equity',
      drawn: { yTitle: `Equity, ${asset}`, points: days },
      summary: `Equity at the ends of days of ${whose.join(' and ')}.${only}`,
      legend: [
        { swatch: 'line trial', label: 'bot' },
        { swatch: 'line series-hold', label: 'backtest' },
      ],
      caption: `At the end of each UTC day, open deals at what selling would bring.${only}`,
    })
  }
}

function marksOf(deal: DriftDealRow, who: Who, facts: Facts): BotDealMark[] {
  const tooltip = tooltipText(`${who === 'bot' ? 'Bot' : 'Backtest'}: ${deal.kind}`, [
    ['opened', `${formatInstant(deal.openedAt)} at ${priceText(deal.openPrice)}`],
    ['closed', deal.closedAt === null ? 'open' : `${formatInstant(deal.closedAt)} at ${priceText(deal.closePrice)}`],
    ['safety orders', formatNumber(deal.safetyOrders, 0)],
    ['profit', money(deal.profit, facts)],
  ])
  const about = { who, isMatched: deal.kind === 'matched', tooltip }
  const ends = [
    { end: 'opened' as const, time: Date.parse(deal.openedAt), price: deal.openPrice },
    { end: 'closed' as const, time: Date.parse(deal.closedAt ?? ''), price: deal.closePrice ?? Number.NaN },
  ]
  return ends
    .filter(({ time, price }) => Number.isFinite(time) && Number.isFinite(price))
    .map((end) => ({ ...about, ...end }))
}

function priceText(price: number | null): string {
  return price === null ? '–' : formatNumber(price, priceDecimals(price))
}

/** Of deals that have closed. */
function spansOf(series: DriftSeries): BotDealsInput['spans'] {
  return SIDES.toReversed().flatMap((who) =>
    series[who].deals
      .map((deal) => ({
        who,
        from: Date.parse(deal.openedAt),
        to: Date.parse(deal.closedAt ?? ''),
        fromPrice: deal.openPrice,
        toPrice: deal.closePrice ?? Number.NaN,
      }))
      .filter(({ from, to, fromPrice, toPrice }) => [from, to, fromPrice, toPrice].every(Number.isFinite)),
  )
}

function pointsOf(days: DriftEquityRows, who: Who, facts: Facts): BotEquityInput['points'] {
  return days
    .map(({ date, equity }) => ({
      who,
      time: Date.parse(date) + DAY_MS,
      value: equity,
      tooltip: tooltipText(date, [[who, `${formatNumber(equity, facts.quote.decimals)} ${facts.quote.asset}`]]),
    }))
    .filter(({ time, value }) => Number.isFinite(time) && Number.isFinite(value))
}
