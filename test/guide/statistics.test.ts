/**
 * The example of `src/guide/statistics.md` is computed again: each row quotes these figures, and no number that is not one of them. Where a
 * figure changes, the page is mended by hand.
 */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sharedData } from '../support/shared-data.ts'
import { type CheckRow, exampleFigures } from './figures.ts'

const guide = (page: string) => readFileSync(new URL(`../../src/guide/${page}.md`, import.meta.url), 'utf8')
const statistics = guide('statistics')
const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz')
const figures = ether === undefined ? null : exampleFigures(ether)

const CHECKS = [
  'service',
  'fill order',
  'starts',
  'take profits',
  'parts',
  'persistence',
  'walk-forward',
  'price drop',
  'holding',
  'capital',
  'error',
  'Sharpe',
  'tried',
  'overfitting',
] as const satisfies readonly CheckRow[]

const numbersIn = (text: string) => text.match(/[+−]?\d+(?:,\d{3})*(?:\.\d+)?/g) ?? []

/** First cell → the others, of the table under a heading. */
function rowsUnder(page: string, heading: string): ReadonlyMap<string, string> {
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  const rows = section.split('\n## ')[0].matchAll(/^\| ([^|]+) \| (.+) \|$/gm)
  return new Map([...rows].map(([, name, rest]) => [name, rest]))
}

const example = rowsUnder(statistics, 'The example')

it('the guide has one row for every check: how to read it, and the example', () => {
  const named = (rows: ReadonlyMap<string, string>) => [...rows.keys()].filter((name) => name !== 'check')
  expect(named(rowsUnder(guide('verdict'), 'The checks'))).toEqual(CHECKS)
  expect(named(example)).toEqual(CHECKS)
})

it.skipIf(figures === null)('the page names the study and its winner as they are computed', () => {
  for (const figure of figures?.study ?? []) expect(statistics).toContain(figure)
})

describe.skipIf(figures === null)('the example of', () => {
  it.each(CHECKS)('%s quotes what is computed, and nothing else', (check) => {
    const known = figures?.rows[check] ?? []
    const row = example.get(check) ?? ''
    expect(known.length).toBeGreaterThan(0)
    for (const figure of known) expect(row).toContain(figure)
    const numbers = new Set(known.flatMap(numbersIn))
    expect(numbersIn(row).filter((number) => !numbers.has(number))).toEqual([])
  })
})
