/** A line in a terminal: every extreme is drawn, in its place. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { drawLine } from '../../src/cli/line-chart.ts'

/** Whether a dot is set, row and column of dots from above and from the left. */
function dotsOf(lines: readonly string[]): boolean[][] {
  const BITS = [
    [0, 3],
    [1, 4],
    [2, 5],
    [6, 7],
  ]
  return lines.flatMap((line) =>
    BITS.map((pair) =>
      Array.from(line).flatMap((letter) => pair.map((bit) => (((letter.codePointAt(0) ?? 0) >> bit) & 1) === 1)),
    ),
  )
}

describe('a line of numbers', () => {
  it('is drawn as it runs: from the lower left to the upper right', () => {
    expect(drawLine([0, 1, 2, 3, 4, 5, 6, 7], { width: 4, height: 2 })).toEqual(['⠀⠀⣠⠞', '⣠⠞⠁⠀'])
  })

  it('is level in the middle where all numbers are equal', () => {
    const rows = dotsOf(drawLine([5, 5, 5], { width: 3, height: 1 }))
    expect(rows.map((row) => row.some(Boolean))).toEqual([false, false, true, false])
  })

  it('has as many lines and letters as asked for, touches top and bottom, and is never interrupted', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 500 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 12 }),
        (values, width, height) => {
          const lines = drawLine(values, { width, height })
          expect(lines).toHaveLength(height)
          for (const line of lines) expect(Array.from(line)).toHaveLength(width)
          const rows = dotsOf(lines)
          if (new Set(values).size > 1) {
            expect(rows[0].some(Boolean)).toBe(true)
            expect(rows[rows.length - 1].some(Boolean)).toBe(true)
          }
          for (let column = 0; column < 2 * width; column++) expect(rows.some((row) => row[column])).toBe(true)
        },
      ),
    )
  })
})
