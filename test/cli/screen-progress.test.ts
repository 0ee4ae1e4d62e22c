/** What a screen says of how far it is, by a clock that the test moves. */
import { expect, it } from 'vitest'
import { showScreenProgress } from '../../src/cli/long-work.ts'
import type { ScreenProgress } from '../../src/workbench/screen/screen-grid.ts'
import { shiftedSystem } from '../support/shifted-system.ts'

function setup({ onTerminal }: { readonly onTerminal: boolean }) {
  const { system } = shiftedSystem([])
  const said: string[] = []
  const shown: string[] = []
  let now = 0
  const terminal = { ...system.terminal, errIsTerminal: onTerminal, err: (text: string) => void said.push(text) }
  const line = { show: (text: string) => void shown.push(text), clear: () => {}, isDrawn: onTerminal }
  const clock = { ...system.clock, monotonic: () => now }
  const progress = showScreenProgress({ system: { ...system, clock, terminal }, line })
  return {
    said,
    shown,
    after(ms: number, told: Partial<ScreenProgress>) {
      now += ms
      progress.show({ pass: 'profit', done: 0, total: 1000, leftMs: () => null, ...told })
    },
  }
}

it('off a terminal it is a line a minute, with the time left', () => {
  const { said, shown, after } = setup({ onTerminal: false })
  for (let second = 0; second <= 150; second++) after(1000, { done: second, leftMs: () => 90_000 })
  expect(said).toEqual([
    '59 of 1000 (5 %), 1 configs/s, 1 min 30 s left; by profit\n',
    '119 of 1000 (11 %), 1 configs/s, 1 min 30 s left; by profit\n',
  ])
  expect(shown).toEqual([])
})

it('on a terminal it is one line, and says nothing of the time left before that is known', () => {
  const { said, shown, after } = setup({ onTerminal: true })
  after(0, { done: 10 })
  after(1000, { done: 100, leftMs: () => 9000 })
  after(1, { done: 101, leftMs: () => 9000 }) // too soon after the last
  expect(shown).toEqual([
    '10 of 1000 (1 %), 10000 configs/s; by profit',
    '100 of 1000 (10 %), 100 configs/s, 9 s left; by profit',
  ])
  expect(said).toEqual([])
})
