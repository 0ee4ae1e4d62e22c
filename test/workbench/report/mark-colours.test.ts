/** The colours of marks in charts, as the style sheet has them: told from the page by day and by night (WCAG 1.4.11). */
import { expect, it } from 'vitest'
import { SLOTS } from '../../../src/workbench/report/charts/over-time.ts'
import { PAGE_STYLE } from '../../../src/workbench/report/page-style.ts'

const MARKS = [
  'accent',
  'best',
  'hold',
  'muted',
  'faint',
  'gain',
  'loss',
  'gain-soft',
  'loss-soft',
  ...SLOTS.map((slot) => `series-${slot}`),
]

/** By day, then by night, as the sheet sets them. */
function coloursOf(name: string): readonly string[] {
  return [...PAGE_STYLE.matchAll(new RegExp(`--${name}: (#[0-9a-f]{6});`, 'g'))].map(([, colour]) => colour)
}

function luminance(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

it.each(MARKS)('a mark in %s is three times as bright or dark as the page, by day and by night', (name) => {
  const grounds = coloursOf('paper').slice(0, 2)
  const colours = coloursOf(name)
  expect([grounds.length, colours.length]).toEqual([2, 2])
  for (const [index, colour] of colours.entries()) {
    expect([index, contrast(colour, grounds[index]) >= 3]).toEqual([index, true])
  }
})
