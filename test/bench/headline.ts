/** The figures by which runs of `npm run bench` are compared over time: what each is, on which candles, and what is wanted of it. */

export const HEADLINE_MARKETS = {
  synthetic: 'synthetic year',
  eth: 'ETH minutes 2025',
  btc: 'BTC minutes, crash of May 2021',
  doge: 'DOGE minutes, the same',
} as const
export type HeadlineMarket = keyof typeof HEADLINE_MARKETS

interface Headline {
  readonly title: string
  readonly wanted: Readonly<Partial<Record<HeadlineMarket, string>>>
}

const everywhere = (wanted: string) => ({ synthetic: wanted, eth: wanted, btc: wanted, doge: wanted })

export const HEADLINES = {
  unrelated: {
    title: 'One configuration and a year of minutes, unrelated to any other: µs of CPU',
    wanted: { synthetic: '≤ 18', eth: '≤ 28' },
  },
  lean: { title: 'Unrelated configurations: times faster than a lean loop in C', wanted: {} },
  vectorised: {
    title: 'Unrelated configurations: times faster than the faster vectorised linear scan in C',
    wanted: { synthetic: '≥ 6', eth: '≥ 4', doge: '≥ 1.2' },
  },
  full: {
    title: 'Unrelated configurations with drawdowns, exposure, Sharpe and Sortino, over the time without',
    wanted: {},
  },
  grid: { title: 'A grid whose points share deals: M config-years in a minute of CPU', wanted: {} },
  rules: { title: 'The grid with tick, lot and minimum notional, over the time without', wanted: everywhere('≤ 1.5') },
  dear: {
    title: 'The grid with rules and ladders dearer than the budget, over the time without',
    wanted: everywhere('≤ 1.6'),
  },
  risk: { title: 'The grid with drawdowns and Sharpe, over the time without', wanted: everywhere('≤ 1.5') },
  ruledRisk: {
    title: 'The grid with rules, drawdowns and Sharpe, over the time with rules alone',
    wanted: everywhere('≤ 1.5'),
  },
  profitFactor: {
    title: 'The grid ranked by profit factor, over the time by net profit',
    wanted: everywhere('≤ 2'),
  },
  medianDuration: {
    title: 'The grid ranked by the median duration of deals, over the time by net profit',
    wanted: everywhere('≤ 2'),
  },
  check: {
    title: '`dcalab study check` of ten million points without an axis of take profits: s of CPU beyond bare Node',
    wanted: { synthetic: '≤ 1.5' },
  },
  checkTakeProfits: {
    title: '`dcalab study check` of ten million points with an axis of take profits: s of CPU beyond bare Node',
    wanted: { synthetic: '≤ 1.5' },
  },
  screen: {
    title: 'A whole screen with one worker: M config-years in a minute of CPU',
    wanted: { synthetic: '≥ 12.5', eth: '≥ 5' },
  },
  ruledScreen: {
    title: 'A whole screen with tick, lot and minimum notional: M config-years in a minute of CPU',
    wanted: {},
  },
} as const satisfies Readonly<Record<string, Headline>>
export type HeadlineName = keyof typeof HEADLINES

export const HEADLINE_NAMES = Object.keys(HEADLINES) as HeadlineName[] // the keys it was made with
export const HEADLINE_MARKET_NAMES = Object.keys(HEADLINE_MARKETS) as HeadlineMarket[] // the keys it was made with

/** What of a headline is wanted on each market. */
export function wantedOf(name: HeadlineName): Headline['wanted'] {
  return HEADLINES[name].wanted
}
