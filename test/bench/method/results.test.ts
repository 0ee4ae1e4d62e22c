/**
 * The page of results quotes what was measured: each figure with an interval stands in the tables at its end, and these are made of the stored figures.
 * After a new measurement `npx vitest run --config test/vitest.config.ts test/bench/method/results -u` writes the tables again; the text is mended by hand.
 */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { type AllFigures, allTablesOf } from './all-figures.ts'
import { STRETCHES } from './stretches.ts'

const PAGE = new URL('RESULTS.md', import.meta.url)
const FIGURES = new URL('figures.json', import.meta.url)
const TABLES_HEADING = '## All figures\n'

/** `99.3 % [99.1, 99.5]`, `−2.0 [−4.1, 0.0]`; and a bare `[−4.1, 0.0]`, which is an interval whose value was forgotten. */
const FIGURE = /(?:[+−]?\d+(?:\.\d+)?(?: %)? )?\[[+−\d.]+, [+−\d.]+\]/g

const page = readFileSync(PAGE, 'utf8')
const figures = JSON.parse(readFileSync(FIGURES, 'utf8')) as AllFigures // written by `npm run bench:method -- --write`
const [text] = page.split(TABLES_HEADING)
const words = text.replaceAll('\n', ' ')
const tables = allTablesOf(figures).map(({ title, head, lines }) => {
  const rows = [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`)
  return `### ${title}\n\n${rows.join('\n')}\n`
})

it('the tables of the page are the stored figures', async () => {
  await expect(`${text}${TABLES_HEADING}\n${tables.join('\n')}`).toMatchFileSnapshot(PAGE.pathname)
})

it('every figure in its text stands in one of the tables', () => {
  const known = new Set(tables.join('\n').match(FIGURE))
  const quoted = text.match(FIGURE) ?? []
  expect(quoted.length).toBeGreaterThan(20)
  expect(quoted.filter((figure) => !known.has(figure))).toEqual([])
})

it('it says when, on how much and with which seed was measured, and all stretches were', () => {
  expect(figures.stretches).toBe(STRETCHES.length)
  const { clusters } = figures.inSample.point.all
  for (const fact of [figures.measuredOn, figures.seed, `${figures.stretches} stretches`, `${clusters} market-months`])
    expect(text).toContain(fact)
})

it('it says when and with which seed the detective was measured, and how many sets of all stretches it found', () => {
  const { measuredOn, seed, places } = figures.detective
  const sum = (parts: readonly { readonly count: number; readonly of: number }[]) => {
    const [count, of] = (['count', 'of'] as const).map((key) => parts.reduce((all, part) => all + part[key], 0))
    return { count, of }
  }
  const [exact, right, flagged] = (['exact', 'movedRight', 'movedFlagged'] as const).map((key) =>
    sum(places.map((place) => place[key])),
  )
  for (const fact of [
    `${measuredOn} (seed \`${seed}\`)`,
    `from exact results it found ${exact.count} of ${exact.of}`,
    `only ${right.count} of ${right.of} answers were right`,
    `All ${flagged.count} wrong ones`,
  ])
    expect(words).toContain(fact)
  expect(flagged.count).toBe(flagged.of)
  // What the protocol asks.
  expect(exact.of).toBe(30)
  expect(exact.count).toBeGreaterThanOrEqual(27)
  expect(sum(places.map((place) => place.wrongCalledGood)).count).toBe(0)
})
