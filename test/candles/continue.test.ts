/** A synthetic market goes on where its stored candles end; a recorded or mixed one does not. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { intervalFolder, listCandles, loadCandles, storeCandles } from '../../src/candles/folder/folder.ts'
import {
  continueCandles,
  findRecipe,
  type Generated,
  type GenerateOptions,
  generateCandles,
  generateMarket,
  generateWithPauses,
  keepRecipe,
} from '../../src/candles/synthetic/generate.ts'
import { INTERVALS } from '../../src/contract/market.ts'
import { temporaryFolder } from '../support/folder.ts'

let folder: string
beforeEach(() => {
  folder = temporaryFolder()
})

const market = 'synthetic/DEMO-USDT'
const from = Date.UTC(2024, 0, 30)
const dayMs = 86_400_000
const options: GenerateOptions = { seed: 7, interval: '5m', from, days: 3, startPrice: 2000, annualVolatility: 0.8 }

function store(recipe: GenerateOptions): Generated {
  const made = generateMarket(recipe)
  const { candles } = made
  storeCandles(folder, { market, interval: recipe.interval, candles, synthetic: true, conflict: 'keep' })
  return made
}

it('a market made with pauses is the same, and an interrupt in a pause ends it', async () => {
  const recipe: GenerateOptions = { ...options, interval: '1m', days: 150, gaps: 2 }
  let pauses = 0
  const paused = await generateWithPauses(recipe, async () => void pauses++)
  expect(paused).toEqual(generateMarket(recipe))
  expect(pauses).toBe(3)
  await expect(generateWithPauses(recipe, () => Promise.reject(new Error('Ctrl-C')))).rejects.toThrow('Ctrl-C')
})

/** By where the generator stood, and by beginning at the beginning. */
const ways = ['resumed', 'begun again'] as const

function goOn(to: number, way: (typeof ways)[number] = 'resumed') {
  const recipe = findRecipe(folder, market, '5m')
  const { candles, info } = loadCandles(folder, { market, interval: '5m' })
  const stored = { candles, hash: way === 'resumed' ? info.hash : 'another' }
  return recipe === undefined ? undefined : continueCandles(recipe, stored, to)
}

describe('a generated market', () => {
  it.each(ways)('goes on with the candles that a longer generation would have had (%s)', (way) => {
    keepRecipe(folder, market, options, store(options))
    expect(goOn(from + 10 * dayMs, way)).toEqual(generateCandles({ ...options, days: 10 }))
    expect(goOn(from + dayMs, way)).toBeUndefined() // shorter than what is stored: nothing to add, and nothing to check it by
    expect(goOn(from + 3 * dayMs, way)).toEqual(generateCandles(options))
  })

  it('goes on from any candle as if it had never stopped', () => {
    const whole = generateCandles({ ...options, days: 2 })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2 * 288 - 1 }), (count) => {
        const place = temporaryFolder()
        const recipe = { ...options, days: (count + 0.5) / 288 }
        const made = generateMarket(recipe)
        storeCandles(place, { market, interval: '5m', candles: made.candles, synthetic: true, conflict: 'refuse' })
        keepRecipe(place, market, recipe, made)
        const found = findRecipe(place, market, '5m')
        const { candles, info } = loadCandles(place, { market })
        if (found === undefined) throw new Error('the recipe was kept')
        expect(found.made?.hash).toBe(info.hash)
        expect(continueCandles(found, { candles, hash: info.hash }, from + 2 * dayMs)).toEqual(whole)
      }),
      { numRuns: 30 },
    )
  })

  it.each(['1s', '10s'] as const)('of %s ends before the moment that was asked for', (interval) => {
    const made = generateMarket({ ...options, interval, days: 0.01 })
    const next = (made.candles.openTime.at(-1) ?? 0) + INTERVALS[interval]
    const to = next + 10 * INTERVALS[interval]
    const longer = continueCandles({ ...options, interval }, { candles: made.candles, hash: 'another' }, to)
    expect(longer?.openTime.at(-1)).toBe(to - INTERVALS[interval])
  })

  it('goes on without making again what is stored', () => {
    keepRecipe(folder, market, options, store(options))
    const recipe = findRecipe(folder, market, '5m')
    const { candles, info } = loadCandles(folder, { market })
    if (recipe === undefined) throw new Error('the recipe was kept')
    // Another seed makes other candles from the beginning; where the generator stood says the rest.
    const longer = continueCandles({ ...recipe, seed: 8 }, { candles, hash: info.hash }, from + 4 * dayMs)
    expect(longer).toEqual(generateCandles({ ...options, days: 4 }))
  })

  it.each(ways)('keeps its gaps and goes on without any (%s)', (way) => {
    const holed = { ...options, gaps: 3 }
    keepRecipe(folder, market, holed, store(holed))
    const whole = generateCandles({ ...options, days: 5 })
    const longer = goOn(from + 5 * dayMs, way)
    expect(longer?.openTime.length).toBe(generateCandles(holed).openTime.length + (2 * dayMs) / 300_000)
    expect(longer?.close.at(-1)).toBe(whole.close.at(-1))
  })

  it('is stored and listed as it was: the recipe is no candle file', () => {
    const made = store(options)
    const before = listCandles(folder)
    keepRecipe(folder, market, options, made)
    expect(listCandles(folder)).toEqual(before)
  })

  it('of more than four million candles ends where it is stored', () => {
    keepRecipe(folder, market, options, store(options))
    expect(goOn(Date.UTC(2099, 0, 1))).toBeUndefined()
  })
})

describe('a market ends where it is stored', () => {
  it('without a recipe, or with one that cannot be read', () => {
    store(options)
    expect(goOn(from + 5 * dayMs)).toBeUndefined()
    for (const text of ['', 'null', '{"seed":"7"}', '{"seed":7}', '[1]']) {
      writeFileSync(join(intervalFolder(folder, market, '5m'), '.generator.json'), text)
      expect(findRecipe(folder, market, '5m')).toBeUndefined()
    }
  })

  it('when its recipe does not make the stored candles again', () => {
    store(options)
    for (const other of [
      { ...options, seed: 8 },
      { ...options, from: from + 300_000 },
      { ...options, startPrice: 2001 },
    ]) {
      keepRecipe(folder, market, other, generateMarket(other))
      expect(goOn(from + 5 * dayMs)).toBeUndefined()
    }
    keepRecipe(folder, market, { ...options, startPrice: -1 }, { ...generateMarket(options), end: [] })
    expect(goOn(from + 5 * dayMs)).toBeUndefined()
  })
})
