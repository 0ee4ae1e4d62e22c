/** The time that a screen says is left, against what it then takes: threads and costs are made up, so nothing here waits. */
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createTimeLeft } from '../../../src/workbench/screen/screen-grid.ts'
import { createDice } from '../../engine/jump/cases.ts'

interface Said {
  /** Of the work. */
  readonly share: number
  readonly saidMs: number
  readonly tookMs: number
}

/** Plays a pass: each thread takes the next portion as soon as it is free. */
function play(costs: readonly number[], { threads, mostAhead = 256 }: { threads: number; mostAhead?: number }) {
  const timeLeft = createTimeLeft({ chunks: costs.length, threads, mostAhead })
  const free = Array.from({ length: threads }, () => 0)
  const running: { number: number; end: number; thread: number }[] = []
  const order: number[] = []
  const said: { at: number; work: number; saidMs: number }[] = []
  const begin = (thread: number) => {
    const number = timeLeft.next()
    if (number === undefined) return
    order.push(number)
    running.push({ number, thread, end: free[thread] + costs[number] })
  }
  for (let thread = 0; thread < threads; thread++) begin(thread)
  let work = 0
  let end = 0
  while (running.length > 0) {
    running.sort((a, b) => b.end - a.end)
    const done = running.pop()
    if (done === undefined) break
    free[done.thread] = end = done.end
    work += costs[done.number]
    timeLeft.note(done.number, costs[done.number])
    begin(done.thread)
    const saidMs = timeLeft.leftMs()
    if (saidMs !== null) said.push({ at: done.end, work, saidMs })
  }
  const told = said.map(({ at, saidMs, ...one }): Said => ({ share: one.work / work, saidMs, tookMs: end - at }))
  return { order, stated: told }
}

/** A grid whose slowest axis makes it cheaper from value to value, with faster axes in between, as take profits and ladders do. */
function someCosts(seed: number, portions: number): number[] {
  const dice = createDice(seed)
  const steep = dice.between(0.2, 0.8)
  const [slow, fast] = [dice.whole(5, 20), dice.whole(3, 20)]
  return Array.from({ length: portions }, (_, number) => {
    const level = Math.floor((number * slow) / portions) + 1
    return 200 * (level / slow) ** -steep * (1 + (2 * (number % fast)) / fast) * dice.between(0.8, 1.2)
  })
}

it('the time left is right within a tenth from 2 % of the work on, on grids whose parts differ tenfold', () => {
  let [within, all] = [0, 0]
  let worst = 0
  for (let seed = 1; seed <= 40; seed++) {
    const { stated } = play(someCosts(seed, 4000), { threads: 1 + (seed % 8) })
    const judged = stated.filter(({ share }) => share >= 0.02 && share <= 0.98)
    expect(judged.at(0)?.share).toBeLessThan(0.06) // it does not wait until the end to say something
    const ratios = judged.map(({ saidMs, tookMs }) => saidMs / tookMs)
    within += ratios.filter((ratio) => ratio >= 0.9 && ratio <= 1.1).length
    all += ratios.length
    worst = ratios.reduce((most, ratio) => Math.max(most, ratio, 1 / ratio), worst)
  }
  expect(within / all).toBeGreaterThan(0.99)
  expect(worst).toBeLessThan(1.25)
})

/**
 * CPU time of portions, tenths of a millisecond, as they came: ten million points on the minutes of ETH from May to August 2025, with tick, lot and
 * minimum notional; each seventh portion by net profit, each twelfth by Sharpe, on a busy machine.
 */
const recorded: Readonly<Record<'netProfit' | 'sharpe', readonly number[]>> = JSON.parse(
  readFileSync(new URL('recorded-chunks.json', import.meta.url), 'utf8'),
)

it.each([
  { by: 'netProfit', least: 0.97 },
  { by: 'sharpe', least: 0.84 },
] as const)('on recorded work by $by it is mostly right within a tenth, and never far off', ({ by, least }) => {
  for (const threads of [1, 2]) {
    const { stated } = play(recorded[by], { threads })
    const judged = stated.filter(({ share }) => share >= 0.02 && share <= 0.9)
    expect(judged.at(0)?.share).toBeLessThan(0.06)
    const ratios = judged.map(({ saidMs, tookMs }) => saidMs / tookMs)
    expect(ratios.filter((ratio) => ratio >= 0.9 && ratio <= 1.1).length / ratios.length).toBeGreaterThan(least)
    expect(ratios.reduce((most, ratio) => Math.max(most, ratio, 1 / ratio), 0)).toBeLessThan(1.25)
  }
})

it('the first portion of each thread, which compiles the engine, spoils nothing', () => {
  const costs = someCosts(3, 1000)
  for (const first of [0, 1]) costs[first] *= 50
  const { stated } = play(costs, { threads: 2 })
  for (const { share, saidMs, tookMs } of stated.filter(({ share }) => share >= 0.2 && share <= 0.95))
    expect({ share, near: Math.abs(saidMs / tookMs - 1) < 0.15 }).toEqual({ share, near: true })
})

it.each([0, 1, 2, 7, 300])('each of %i portions is worked once, and few wait for their turn', (portions) => {
  const { order } = play(someCosts(1, portions), { threads: 3, mostAhead: 5 })
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: portions }, (_, number) => number))
  let inTurn = 0
  const begun = new Set<number>()
  for (const number of order) {
    begun.add(number)
    while (begun.has(inTurn)) inTurn++
    expect([...begun].filter((one) => one > inTurn).length).toBeLessThanOrEqual(5)
  }
})
