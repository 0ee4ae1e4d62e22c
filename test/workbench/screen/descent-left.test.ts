/** What a pruned screen says of the time left: families and costs are made up, so nothing here waits. */
import { expect, it } from 'vitest'
import { countAboveFloor, createDescentLeft } from '../../../src/workbench/screen/prune/descent-left.ts'

it('counts the points above the floor from a sample of the families, those already run left out', () => {
  // Family f has the bound 1000 − f, and ten members whose bounds lie 0, 1, 2 … below it.
  const bounds = Float64Array.from({ length: 1000 }, (_, family) => 1000 - family)
  const membersBetween = (family: number, from: number, below: number) =>
    Array.from({ length: 10 }, (_, member) => bounds[family] - member).filter((bound) => bound >= from && bound < below)
  const order = Uint32Array.from({ length: 1000 }, (_, at) => at)
  const runDownTo = new Float64Array(1000).fill(Number.POSITIVE_INFINITY)
  const of = { families: { bounds, membersBetween }, order, runDownTo }
  const plain = (at: number, floor: number) =>
    [...order].slice(at).reduce((sum, family) => sum + membersBetween(family, floor, runDownTo[family]).length, 0)
  for (const { at, floor } of [
    { at: 0, floor: 500 },
    { at: 200, floor: 500 },
    { at: 480, floor: 500 },
    { at: 700, floor: 500 },
  ]) {
    const said = countAboveFloor({ ...of, at, floor }) ?? Number.NaN
    expect(Math.abs(said - plain(at, floor)), `from ${at}`).toBeLessThanOrEqual(0.02 * plain(at, floor))
  }
  runDownTo.fill(500)
  expect(countAboveFloor({ ...of, at: 0, floor: 500 })).toBe(0)
  expect(countAboveFloor({ ...of, at: 0, floor: Number.NEGATIVE_INFINITY })).toBe(null)
})

it('says the most from what the last points took, and nothing before a floor and a few rounds are there', () => {
  let now = 0
  const left = createDescentLeft(() => now)
  const play = (rounds: number, ms: number) => {
    for (let round = 0; round < rounds; round++) {
      now += ms
      computed += 100
      left.note(computed)
    }
  }
  let computed = 0
  play(4, 50)
  expect(left.mostMs(1000)).toBe(null)
  play(1, 50)
  expect(left.mostMs(1000)).toBe(500)
  expect(left.mostMs(null)).toBe(null)
  play(15, 20) // points lower down are given up sooner
  expect(left.mostMs(1000)).toBe(200)
})
