/** A synthetic market goes on where its stored candles end; a recorded or mixed one does not. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { continueCandles, findRecipe, keepRecipe } from '../../src/candles/continue.ts'
import { intervalFolder, listCandles, loadCandles, storeCandles } from '../../src/candles/folder.ts'
import { type GenerateOptions, generateCandles } from '../../src/candles/generate.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dcalab-continue-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const market = 'synthetic/DEMO-USDT'
const from = Date.UTC(2024, 0, 30)
const dayMs = 86_400_000
const options: GenerateOptions = { seed: 7, interval: '5m', from, days: 3, startPrice: 2000, annualVolatility: 0.8 }

function store(made: GenerateOptions) {
  const candles = generateCandles(made)
  storeCandles(folder, { market, interval: made.interval, candles, synthetic: true, conflict: 'keep' })
}

function goOn(to: number) {
  const recipe = findRecipe(folder, market, '5m')
  const stored = loadCandles(folder, { market, interval: '5m' }).candles
  return recipe === undefined ? undefined : continueCandles(recipe, stored, to)
}

describe('a generated market', () => {
  it('goes on with the candles that a longer generation would have had', () => {
    store(options)
    keepRecipe(folder, market, options)
    expect(goOn(from + 10 * dayMs)).toEqual(generateCandles({ ...options, days: 10 }))
    expect(goOn(from + dayMs)).toBeUndefined() // shorter than what is stored: nothing to add, and nothing to check it by
    expect(goOn(from + 3 * dayMs)).toEqual(generateCandles(options))
  })

  it('keeps its gaps and goes on without any', () => {
    const holed = { ...options, gaps: 3 }
    store(holed)
    keepRecipe(folder, market, holed)
    const whole = generateCandles({ ...options, days: 5 })
    const longer = goOn(from + 5 * dayMs)
    expect(longer?.openTime.length).toBe(generateCandles(holed).openTime.length + (2 * dayMs) / 300_000)
    expect(longer?.close.at(-1)).toBe(whole.close.at(-1))
  })

  it('is stored and listed as it was: the recipe is no candle file', () => {
    store(options)
    const before = listCandles(folder)
    keepRecipe(folder, market, options)
    expect(listCandles(folder)).toEqual(before)
  })

  it('of more than four million candles ends where it is stored', () => {
    store(options)
    keepRecipe(folder, market, options)
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
      { ...options, startPrice: -1 },
    ]) {
      keepRecipe(folder, market, other)
      expect(goOn(from + 5 * dayMs)).toBeUndefined()
    }
  })
})
