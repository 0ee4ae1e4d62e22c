/** A screen in parts, merged, held against the single run: every metric, every sum and every count to the last bit. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../../src/errors.ts'
import { depthsOf } from '../../../src/workbench/screen/appraise.ts'
import type { Depth } from '../../../src/workbench/screen/measures.ts'
import { gatherParts, mergeOn } from '../../../src/workbench/screen/parts/merge-parts.ts'
import { keepPart } from '../../../src/workbench/screen/parts/part-folder.ts'
import { type SettingOfParts, screenStretch } from '../../../src/workbench/screen/parts/screen-part.ts'
import { screenGrid } from '../../../src/workbench/screen/screen-markets.ts'
import type { Objective } from '../../../src/workbench/study/study.ts'
import { createDice, type Dice, seedsFrom } from '../../engine/jump/cases.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { isLong, share } from '../../support/share.ts'
import { turn } from '../../support/turn.ts'
import { someObjective, someScreenCase } from './cases.ts'
import { localCrew } from './worker-group.ts'

const STUDIES = share({ usual: 4, long: 600 })

const never = new AbortController().signal
const work = { elapsedMs: 1, workers: 1 }

interface Asked {
  readonly markets?: number
  readonly objective?: Objective
  readonly size?: 'small' | 'large'
}

/** A random study, ready for parts. */
function someSetting(dice: Dice, { markets, objective, size = 'small' }: Asked): SettingOfParts {
  const { setting } = someScreenCase(dice, objective ?? someObjective(dice), size, markets)
  const hashed = setting.markets.map((market, at) => {
    const { baseAsset } = market.market
    const times = { from: '2024-01-01T00:00:00.000Z', to: '2024-01-02T00:00:00.000Z' }
    const info = { market: `synthetic/${baseAsset}-USDT`, interval: '1m', ...times, missing: 0, synthetic: true }
    return { ...market, info: { ...info, count: market.prepared.count, hash: `hash of ${at}` } }
  })
  return { ...setting, markets: hashed }
}

const single = (setting: SettingOfParts, { top, dice }: { top: number; dice: Dice }) =>
  screenGrid({ workerGroup: localCrew(setting, { size: dice.whole(1, 3), dice }), setting, top })

interface Cut {
  readonly of: number
  readonly top: number
  readonly dice: Dice
  readonly closest?: Exclude<Depth, 'profit'>
}

/** Screens parts in any order into a folder. */
async function screenInto(folder: string, setting: SettingOfParts, { of, top, dice, closest }: Cut, only?: number) {
  const numbers = Array.from({ length: of }, (_, at) => at + 1).filter(
    (number) => only === undefined || number === only,
  )
  for (const number of numbers.toSorted(() => dice.between(-1, 1))) {
    const part = { number, of }
    const crew = localCrew(setting, { size: dice.whole(1, 3), dice })
    const task = { part, top, signal: never, ...(closest === undefined ? {} : { closest }) }
    keepPart(folder, await screenStretch({ workerGroup: crew, setting, ...task }), { work, tag: String(number) })
  }
}

function merge(folder: string, setting: SettingOfParts, dice: Dice) {
  const crew = localCrew(setting, { size: dice.whole(1, 3), dice })
  return mergeOn({ workerGroup: crew, setting, gathered: gatherParts(folder), signal: never })
}

/** Merges, and screens more closely when the merge asks for it. */
async function mergeAsAsked(folder: string, setting: SettingOfParts, cut: Cut) {
  for (const closest of depthsOf(setting.study.objective).slice(1)) {
    try {
      return await merge(folder, setting, cut.dice)
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'partsMissing') throw error
      if (closest !== 'profit') await screenInto(folder, setting, { ...cut, closest })
    }
  }
  return merge(folder, setting, cut.dice)
}

describe('parts of a screen, merged, are the single run to the last bit', () => {
  it.each<[string, Asked]>([
    ['by the objective', {}],
    ['by the objective on three markets', { markets: 3 }],
  ])('%s, whatever the number of parts, of workers, and the order in which they come', async (_, asked) => {
    let found = 0
    for (const seed of seedsFrom(1, STUDIES)) {
      const dice = createDice(seed)
      const setting = someSetting(dice, asked)
      const top = dice.whole(1, 30)
      const expected = await single(setting, { top, dice })
      const folder = temporaryFolder()
      const cut = { of: seed === 1 ? 20 : dice.whole(1, 7), top, dice }
      await screenInto(folder, setting, cut)
      expect({ seed, merged: await mergeAsAsked(folder, setting, cut) }).toEqual({ seed, merged: expected })
      found += expected.top.length
    }
    expect(found).toBeGreaterThan(STUDIES / 4) // else nothing was compared
  })

  it.runIf(isLong || turn % 3 === 0)(
    'also where the first look does not tell which lie inside the bounds: the merge then asks for a closer one',
    async () => {
      const deep = { metric: 'maxDrawdownPercent', bounds: { max: 0 } } as const
      let asked = 0
      for (const seed of share({ usual: [2], long: [1, 2, 3, 4] })) {
        const dice = createDice(seed)
        const setting = someSetting(dice, {
          objective: { direction: 'maximize', metric: 'netProfit', where: [deep] },
          size: 'large',
        })
        const expected = await single(setting, { top: 3, dice })
        const folder = temporaryFolder()
        const cut = { of: 3, top: 3, dice }
        await screenInto(folder, setting, cut)
        try {
          expect(await merge(folder, setting, dice)).toEqual(expected)
        } catch (error) {
          expect(error).toMatchObject({ code: 'partsMissing', details: { parts: { n: 3, missing: [1, 2, 3] } } })
          expect(error).toMatchObject({ message: expect.stringContaining('--array=1-3') })
          expect(error).toMatchObject({ hint: expect.stringContaining('--depth risk') })
          asked++
          await screenInto(folder, setting, { ...cut, closest: 'risk' })
          expect(await merge(folder, setting, dice)).toEqual(expected)
        }
      }
      expect(asked).toBeGreaterThan(0)
    },
  )
})

describe('a folder of parts', () => {
  const plain = { direction: 'maximize', metric: 'netProfit', where: [] } as const

  async function someFolder(of = 4) {
    const dice = createDice(5)
    const setting = someSetting(dice, { objective: plain })
    const folder = temporaryFolder()
    const cut = { of, top: 5, dice }
    await screenInto(folder, setting, cut)
    const fileOf = (number: number) =>
      join(folder, readdirSync(folder).find((name) => name.includes(`.00${number}-of-`)) ?? 'none')
    return { dice, setting, folder, cut, fileOf }
  }

  it('names the parts that are missing in the array syntax of schedulers', async () => {
    const { folder, fileOf } = await someFolder(9)
    for (const number of [2, 5, 6, 7, 9]) rmSync(fileOf(number))
    expect(() => gatherParts(folder)).toThrow(
      expect.objectContaining({
        code: 'partsMissing',
        exitCode: 2,
        message: expect.stringMatching(/lacks 5 of 9 parts: --array=2,5-7,9 .*1,4-6,8/),
        details: { parts: { n: 9, missing: [2, 5, 6, 7, 9] } },
      }),
    )
  })

  it('holds the same file after a part was screened twice, by any number of workers', async () => {
    const { folder, setting, cut, fileOf } = await someFolder()
    const before = readFileSync(fileOf(2))
    rmSync(fileOf(2))
    await screenInto(folder, setting, cut, 2)
    expect(readFileSync(fileOf(2)).equals(before)).toBe(true)
    expect(readdirSync(folder)).toHaveLength(4)
  })

  it('is refused with the file named when one part is of other candles, costs, symbol rules, another study or cut', async () => {
    const { folder, setting, cut } = await someFolder()
    const [market] = setting.markets
    const { study } = setting
    const changed: readonly (readonly [RegExp, SettingOfParts, Partial<Cut>])[] = [
      [
        /other candles of synthetic\/T-USDT/,
        { ...setting, markets: [{ ...market, info: { ...market.info, hash: 'x' } }] },
        {},
      ],
      [
        /symbol rules/,
        { ...setting, markets: [{ ...market, symbol: { tick: 0.5, lot: null, minNotional: null } }] },
        {},
      ],
      [/the costs differ/, { ...setting, study: { ...study, costs: { ...study.costs, feePercent: 0.3 } } }, {}],
      [/of the study random eeeeeeee/, { ...setting, study: { ...study, fingerprint: 'e'.repeat(64) } }, {}],
      [/--top differ/, setting, { top: 6 }],
      [/one of 5 parts, the others of 4/, setting, { of: 5 }],
    ]
    for (const [words, other, anotherCut] of changed) {
      const mixed = temporaryFolder()
      for (const name of readdirSync(folder)) writeFileSync(join(mixed, name), readFileSync(join(folder, name)))
      await screenInto(mixed, other, { ...cut, ...anotherCut }, 3)
      const refusal = expect.objectContaining({
        code: 'partsRefused',
        exitCode: 2,
        problems: [{ place: expect.stringContaining('.003-of-00'), message: expect.stringMatching(words) }],
      })
      expect(() => gatherParts(mixed)).toThrow(refusal)
    }
  })

  it('is refused when a file is cut off, changed or something else, and never read beyond its announced size', async () => {
    const { folder, fileOf } = await someFolder()
    const whole = readFileSync(fileOf(1))
    const flipped = Buffer.from(whole)
    flipped[whole.length - 200] ^= 1
    const huge = Buffer.from(whole.toString('latin1').replace(/"length":\d+/, '"length":9999999999999'), 'latin1')
    const pieces = [whole.subarray(0, whole.length / 2), flipped, huge, Buffer.from('PAR1'), Buffer.alloc(0)]
    for (const bytes of pieces) {
      writeFileSync(fileOf(1), bytes)
      expect(() => gatherParts(folder)).toThrow(
        expect.objectContaining({ code: 'partsRefused', message: expect.stringContaining('.001-of-004.part') }),
      )
    }
  })

  it('is merged on the candles that it was screened on, and on no others', async () => {
    const { folder, setting, dice } = await someFolder()
    const [market] = setting.markets
    const elsewhere = { ...setting, markets: [{ ...market, info: { ...market.info, hash: 'other' } }] }
    await expect(merge(folder, elsewhere, dice)).rejects.toMatchObject({
      code: 'partsRefused',
      problems: [{ place: 'synthetic/T-USDT', message: expect.stringContaining('found other') }],
    })
  })

  it('gets nothing of a part that was interrupted', async () => {
    const { setting, dice } = await someFolder()
    const reason = new Failure('interrupted', 'Interrupted by SIGTERM')
    const crew = localCrew(setting, { size: 1, dice })
    const task = { part: { number: 1, of: 2 }, top: 5, signal: AbortSignal.abort(reason) }
    await expect(screenStretch({ workerGroup: crew, setting, ...task })).rejects.toBe(reason)
  })
})
