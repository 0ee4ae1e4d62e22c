/** The rows of `dcalab leaderboard` for a study with several markets, and for a screen: one per configuration, each number under its market. */
import { expect, it } from 'vitest'
import { byImportance, describeRest, jsonOfRow, rankingTable, rowsOf } from '../../src/cli/ranking-table.ts'
import { marketName } from '../../src/contract/market.ts'
import { idsIn } from '../../src/workbench/store/find-trial.ts'
import { rankStored } from '../../src/workbench/store/stored-ranking.ts'
import { configFingerprint } from '../../src/workbench/study/fingerprint.ts'
import { storeSeveralMarkets } from '../workbench/store/several-markets.ts'

const made = { BTC: [9, 3, 4], ETH: [-8, 3, 2], SOL: [-1, 2, 9] } // medians: -1, 3, 4

async function board(question: Parameters<typeof storeSeveralMarkets>[0]) {
  const { store, study, trials } = await storeSeveralMarkets(question)
  const ranking = rankStored(store, { study: 'several', objective: study.objective, top: 20 })
  const rows = rowsOf(ranking.top, idsIn(store))
  const placed = rows.map(({ record: { config }, records, ...row }) => ({ ...row, config, results: records }))
  const markets = rows[0].records.map(({ market }) => marketName(market))
  const [table, ...below] = rankingTable(placed, { ...study, varied: ['dcaPriceScalePercent'], markets })
  const lines =
    typeof table === 'object' && 'linesWithin' in table ? table.linesWithin({ columns: 80, colours: false }) : []
  const cells = lines.map((line) => line.trim().split(/ {2,}/))
  return { ranking, rows, cells, below, trials, short: (n: number) => configFingerprint(trials[n].config).slice(0, 8) }
}

it('has the reduced objective and a column for each market', async () => {
  const { cells, below, short, ranking } = await board({ made })
  expect(cells.filter((_, line) => line !== 2)).toEqual([
    ['ROI %'],
    ['#', 'id', 'median', 'step %', 'BTC-USDT', 'ETH-USDT', 'SOL-USDT'],
    ['1', short(6), '4', '3', '4', '2', '9'],
    ['2', short(3), '3', '2', '3', '3', '2'],
    ['3', short(0), '-1', '1', '9', '-8', '-1'],
  ])
  expect(below).toEqual([
    'same for all: capital 1000, budget 1000, base order 20, orders 3, size × 1.3, step × 1.2, TP 1 %, no stop loss',
  ])
  expect(describeRest(ranking, 3)).toEqual([])
})

it('in JSON is the first market where a row stood before, with all of them beside it', async () => {
  const { rows, trials } = await board({ made })
  expect(jsonOfRow(rows[0], new Map())).toMatchObject({
    rank: 1,
    id: configFingerprint(trials[6].config).slice(0, 8),
    fingerprint: trials[6].fingerprint,
    configFingerprint: configFingerprint(trials[6].config),
    objective: 4,
    metrics: { roiPercent: 4, netProfit: 40 },
    markets: [
      { market: 'binance/BTC-USDT', trial: trials[6].fingerprint, metrics: { roiPercent: 4 } },
      { market: 'binance/ETH-USDT', trial: trials[7].fingerprint, metrics: { roiPercent: 2 } },
      { market: 'binance/SOL-USDT', trial: trials[8].fingerprint, metrics: { roiPercent: 9 } },
    ],
  })
})

it('says how many still lack a market', async () => {
  const { ranking, rows } = await board({ made: { ...made, SOL: [null, 2, null] } })
  expect(rows).toHaveLength(1)
  expect(describeRest(ranking, 1)).toEqual([
    'not shown: 2 without a value on every market',
    '2 of 3 configurations still lack a market and are not ranked',
  ])
})

it('of a screen holds what it chose, and counts the samples beside it', async () => {
  const { rows, trials, ranking } = await board({ made: { BTC: [9, 3, 4] }, roles: ['sample', 'chosen', 'chosen'] })
  expect(rows.map(({ record }) => record.fingerprint)).toEqual([trials[2].fingerprint, trials[1].fingerprint])
  expect(describeRest(ranking, 2)).toEqual(['not shown: 1 control'])
})

it('has the parameter that decides most first', async () => {
  const { rows } = await board({ made: { BTC: [1, 5, 9] } })
  const alike = rows.map(({ record, value }, at) => ({
    config: { ...record.config, takeProfit: at === 1 ? 2 : 3 },
    value: value ?? Number.NaN,
  }))
  const [first] = byImportance([...alike, ...alike], ['takeProfit', 'dcaPriceScalePercent'])
  expect(first).toBe('dcaPriceScalePercent')
})
