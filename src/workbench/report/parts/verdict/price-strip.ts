/** The price over the period as a small picture with the best trial's deals: made in Node, so that it shows without scripts and in print. */
import type { DealBody, OpenDealBody } from '../../../../contract/bodies.ts'
import type { Facts } from '../../facts.ts'
import { formatCount, formatDay, formatNumber } from '../../format.ts'
import { type Html, html } from '../../html.ts'
import { type PricePoint, priceLine } from '../../price-line.ts'

const MOST_POINTS = 400
/** More exits than this would cover the price; then only the lane of deals is drawn. */
const MOST_EXITS = 400

const WIDTH = 1000
const PRICE_HEIGHT = 88
/** The lane in which each deal is a bar from its opening to its closing. */
const LANE = { top: 94, height: 6 }

/** Nothing without local candles: the results alone tell no price. */
export function priceStrip({ input, study, market, best }: Facts): Html | false {
  if (input.candles.kind === 'absent' || best === undefined) return false
  const points = priceLine(input.candles.candles, MOST_POINTS)
  const [first, last] = [points.at(0), points.at(-1)]
  if (first === undefined || last === undefined) return false
  const at = scaleOf(points, study.period)
  const deals = (input.best?.deals ?? []).filter(isPlaced)
  const exits = deals.length <= MOST_EXITS ? deals : []
  const open = openDealOf(input.best?.openDeal)
  const prices = points.map(({ price }) => price)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const decimals = decimalsOfPrice(high)
  const range = `${formatNumber(low, decimals)} to ${formatNumber(high, decimals)}`
  const words = `Price of ${market} from ${formatNumber(first.price, decimals)} to ${formatNumber(last.price, decimals)}, between ${range}`
  const exitsOf = (isGain: boolean) =>
    exits
      .filter(({ profit }) => profit > 0 === isGain)
      .map((deal) => `M${at.x(Date.parse(deal.closedAt))} ${at.y(deal.price)}h0`)
      .join('')
  return html`<figure class="price-strip">
    <svg viewBox="0 0 ${WIDTH} ${LANE.top + LANE.height}" preserveAspectRatio="none" role="img" aria-label="${`${words}. ${dealsInWords(deals)}${open === null ? '' : ' One more is open at the end.'}`}">
      <path class="price" d="${points.map(({ time, price }, index) => `${index === 0 ? 'M' : 'L'}${at.x(time)} ${at.y(price)}`).join('')}"></path>
      ${deals.map((deal) => laneBar(deal, at.x))}
      ${open !== null && openBar(open, at.x)}
      <path class="exit-gain" d="${exitsOf(true)}"></path>
      <path class="exit-loss" d="${exitsOf(false)}"></path>
    </svg>
    <figcaption><span>${formatDay(study.period.from)}</span><span>${range}; ${legendOf(deals, exits)}</span><span>${formatDay(study.period.to)}</span></figcaption>
  </figure>`
}

/** About four digits that count. */
function decimalsOfPrice(price: number): number {
  return price > 0 ? Math.min(8, Math.max(0, 3 - Math.floor(Math.log10(price)))) : 2
}

interface Scale {
  readonly x: (time: number) => number
  readonly y: (price: number) => number
}

function scaleOf(points: readonly PricePoint[], { from, to }: Facts['study']['period']): Scale {
  const prices = points.map(({ price }) => price)
  const [low, high] = [Math.min(...prices), Math.max(...prices)]
  const within = (share: number) => Math.min(1, Math.max(0, share))
  const tenths = (value: number) => Math.round(value * 10) / 10
  return {
    x: (time) => tenths(WIDTH * within((time - from) / (to - from))),
    y: (price) => tenths(4 + (PRICE_HEIGHT - 8) * (high === low ? 0.5 : 1 - within((price - low) / (high - low)))),
  }
}

/** What a service states may lack a time or a price. */
function isPlaced({ openedAt, closedAt, price }: DealBody): boolean {
  return Number.isFinite(Date.parse(openedAt)) && Number.isFinite(Date.parse(closedAt)) && Number.isFinite(price)
}

/** null where there is none, or where its time cannot be read. */
function openDealOf(deal: OpenDealBody | null | undefined): OpenDealBody | null {
  return deal !== null && deal !== undefined && Number.isFinite(Date.parse(deal.openedAt)) ? deal : null
}

/** To the end of the period, where it is still open. */
function openBar({ openedAt, profit }: OpenDealBody, x: Scale['x']): Html {
  const from = x(Date.parse(openedAt))
  return html`<rect class="${profit > 0 ? 'deal-gain' : 'deal-loss'}" x="${from}" y="${LANE.top}" width="${WIDTH - from}" height="${LANE.height}"></rect>`
}

/** Every second one is set apart by a gap, which bars that touch would hide. */
function laneBar({ openedAt, closedAt, profit }: DealBody, x: Scale['x']): Html {
  const [from, to] = [x(Date.parse(openedAt)), x(Date.parse(closedAt))]
  const width = Math.max(0.8, Math.round((to - from - 0.8) * 10) / 10)
  return html`<rect class="${profit > 0 ? 'deal-gain' : 'deal-loss'}" x="${from}" y="${LANE.top}" width="${width}" height="${LANE.height}"></rect>`
}

function dealsInWords(deals: readonly DealBody[]): string {
  if (deals.length === 0) return 'Deals are not kept.'
  const lost = deals.filter(({ profit }) => profit <= 0).length
  return `${formatCount(deals.length, 'closed deal')}, ${lost === 0 ? 'none' : formatNumber(lost, 0)} at a loss.`
}

function legendOf(deals: readonly DealBody[], exits: readonly DealBody[]): Html {
  if (deals.length === 0) return html`deals are not kept`
  const lost = deals.some(({ profit }) => profit <= 0)
  return html`${exits.length > 0 && html`<span class="mark-gain" aria-hidden="true">●</span> sold with a gain${lost && html`, <span class="mark-loss" aria-hidden="true">■</span> with a loss`}; `}bars below: each deal while it was open`
}
