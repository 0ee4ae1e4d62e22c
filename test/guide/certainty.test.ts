/**
 * The examples of `src/guide/certainty/` are computed again: each page's example quotes these figures, and no number that is not one of them.
 * Where a figure changes, the page is mended by hand.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { sharedData } from '../support/shared-data.ts'
import { figuresOfPages, type PageName } from './figures.ts'

const folder = new URL('../../src/guide/certainty/', import.meta.url)
const ether = sharedData('candles/binance_ETH-USDT_1m_2025-05-20_2025-08-18.csv.gz')
const figures = ether === undefined ? null : figuresOfPages(ether)

const PAGES = [
  'ambiguity',
  'thirds-and-months',
  'next-span',
  'walk-forward',
  'fall',
  'benchmarks',
  'capital-in-use',
  'noise-and-lead',
  'sharpe',
  'looks',
  'psr-dsr-pbo',
  'twin',
] as const satisfies readonly PageName[]

const read = (page: string) => readFileSync(new URL(`${page}.md`, folder), 'utf8')
const exampleOf = (page: string) => read(page).split('## Example\n')[1] ?? ''
const numbersIn = (text: string) => text.match(/[+−]?\d+(?:,\d{3})*(?:\.\d+)?/g) ?? []

it('has one page for every number, and a list that links to each', () => {
  const pages = readdirSync(folder).map((file) => file.replace('.md', ''))
  expect(pages.sort()).toEqual(['README', ...PAGES].sort())
  for (const page of PAGES) expect(read('README')).toContain(`](${page}.md)`)
})

it.skipIf(figures === null)('the list names the study and its winner as they are computed', () => {
  for (const figure of figures?.README ?? []) expect(read('README')).toContain(figure)
})

it.each(PAGES)('%s says how it is read, when it is refused, and an example', (page) => {
  const headings = [...read(page).matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings).toEqual(['How to read it', 'When it is refused', 'Example'])
  expect(numbersIn(exampleOf(page)).length).toBeGreaterThan(0)
})

describe.skipIf(figures === null)('the example of', () => {
  it.each(PAGES)('%s quotes what is computed, and nothing else', (page) => {
    const known = figures?.[page] ?? []
    for (const figure of known) expect(exampleOf(page)).toContain(figure)
    const numbers = new Set(known.flatMap(numbersIn))
    expect(numbersIn(exampleOf(page)).filter((number) => !numbers.has(number))).toEqual([])
  })
})
