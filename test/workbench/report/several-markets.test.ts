/** The report of a study with several markets says of each number which market it is of, and names the configuration that the leaderboard names. */
import { expect, it } from 'vitest'
import { marketName } from '../../../src/contract/market.ts'
import { gatherStudy } from '../../../src/workbench/report/gather.ts'
import { pairOf } from '../../../src/workbench/report/parts/verdict.ts'
import { fixtureStudy } from '../../support/fixture-trials.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { storeSeveralMarkets } from '../store/several-markets.ts'
import { buildReport } from './build-report.ts'
import { attribute, elementsOf, textOf, visibleText } from './document.ts'
import { idOf } from './section-table.ts'
import { inputOf, NO_RUNTIME } from './sections.ts'

const noCandles = temporaryFolder()

async function reportOf(question: Parameters<typeof storeSeveralMarkets>[0]) {
  const { store, trials } = await storeSeveralMarkets(question)
  const page = buildReport(
    inputOf(
      ...gatherStudy(store, 'several', { candlesFolder: noCandles, embedded: 'auto', findKnown: () => undefined }),
    ),
    NO_RUNTIME,
  )
  return { page, text: visibleText(page), trials, short: (n: number) => idOf(trials[n]) }
}

const made = { BTC: [9, 3, 4], ETH: [-8, 3, 2], SOL: [-1, 2, 9] } // medians: -1, 3, 4

it('ranks configurations over all markets, and every section shows the same one first with its own numbers', async () => {
  const { text } = await reportOf({ made })
  expect(text).toContain('several over 3 markets')
  expect(text).toContain('3 of 3 configurations are ranked.')
  expect(text).toContain('ROI median of 3 markets')
  const cell = (roi: number, rank: number) => `+${roi}.00 % ${rank} of 3; 0.00 USDT used`
  expect(text).toContain(`step % 3+4.00 % ${cell(4, 2)}${cell(2, 2)}${cell(9, 1)}`)
  expect(text.split('First of 3: ')).toHaveLength(2)
  for (const asset of ['BTC', 'ETH', 'SOL']) {
    expect(text).toContain(`Trials of several on binance/${asset}-USDT`)
  }
})

it('says which configurations lack a result, and why a trial that has one is not ranked', async () => {
  const { text } = await reportOf({ made: { ...made, SOL: [-1, 2, null] } })
  expect(text).toContain('2 of 3 configurations are ranked.')
  expect(text).toContain('1 lack a result on some market.')
  expect(text).toContain('no ROI on another market')
})

it('a trial inside the bounds is not ranked where its configuration breaks them on another market', async () => {
  const { text } = await reportOf({
    made,
    more: { objective: { maximize: 'roiPercent', where: { roiPercent: { min: 3 } } } },
  })
  expect(text).toContain('None of 3 configurations meets the limits of the objective on every market.')
  expect(text).toContain('reaches +4.00 %, but breaks binance/ETH-USDT: ROI +2.00 % (at least 3).')
  expect(text).toContain('inside on this market, outside on another')
})

it('samples of a screen are shown and not ranked', async () => {
  const { text, short } = await reportOf({ made: { BTC: [9, 3, 4] }, roles: ['sample', 'chosen', 'chosen'] })
  expect(text).toContain(`take profit 1 %. Open the trial`)
  expect(text.indexOf(short(2))).toBeLessThan(text.indexOf(short(0)))
  expect(text).toContain('Control configurations: 1 trial')
})

it('each cell opens its trial in the section of its market, and the first of each market is ringed', async () => {
  const { page, short } = await reportOf({ made })
  const cells = elementsOf(page).filter(
    ({ tagName, attrs }) => tagName === 'td' && attrs.some(({ value }) => value === 'first'),
  )
  // BTC is best with the first configuration, ETH with the second, SOL with the third
  expect(cells.map((cell) => textOf(cell).slice(0, 5))).toEqual(['+9.00', '+3.00', '+9.00'])
  const links = elementsOf(page).flatMap((element) => attribute(element, 'href') ?? [])
  const inMatrix = [6, 7, 8, 3, 4, 5, 0, 1, 2].map((n) => `#s${(n % 3) + 1}-trial=${short(n)}`)
  expect(links.filter((link) => link.includes('trial=')).slice(1, 10)).toEqual(inMatrix)
})

it('no id of the page stands twice', async () => {
  const { page } = await reportOf({ made })
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(ids.filter((id, index) => ids.indexOf(id) < index)).toEqual([])
})

it('a market is named by its pair, and by its exchange too where another of the study has the same pair', () => {
  const [binance, kraken, other] = [
    { exchange: 'binance', baseAsset: 'ETH', quoteAsset: 'USDT' },
    { exchange: 'kraken', baseAsset: 'ETH', quoteAsset: 'USDT' },
    { exchange: 'kraken', baseAsset: 'WETH', quoteAsset: 'USDT' },
  ]
  const named = (...markets: (typeof binance)[]) =>
    markets.map((market) => pairOf({ market: marketName(market), study: { ...fixtureStudy(), markets } }))
  expect(named(binance, other)).toEqual(['ETH-USDT', 'WETH-USDT'])
  expect(named(binance, kraken)).toEqual(['binance/ETH-USDT', 'kraken/ETH-USDT'])
})
