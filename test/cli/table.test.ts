import fc from 'fast-check'
import { expect, it } from 'vitest'
import { fittingTable, formatTable, printFittingTable, tellingDigits } from '../../src/cli/table.ts'
import { testSystem } from '../support/system.ts'

const amounts = fc.array(
  fc.double({ min: 1e-8, max: 1e6, noNaN: true }).map((size) => Number(size.toPrecision(12))),
  { minLength: 1, maxLength: 8 },
)

it('SQL shows at least four digits that count of every number', () => {
  fc.assert(
    fc.property(amounts, (numbers) => {
      const digits = tellingDigits(numbers)
      for (const value of numbers) {
        expect(Math.abs(Number(value.toFixed(digits)) - value)).toBeLessThanOrEqual(value * 5e-4)
      }
    }),
  )
})

it('SQL shows no decimals that no number of the column has', () => {
  expect(tellingDigits([1, 2, 300])).toBe(0)
  expect(tellingDigits([0.6, 1, 1.2])).toBe(1)
  expect(tellingDigits([82.594523, 1234567.891])).toBe(2)
  expect(tellingDigits([0.00001, 5])).toBe(5)
  expect(tellingDigits([1.4e-14, Number.POSITIVE_INFINITY])).toBe(0)
})

it('a column keeps the same decimals all the way down, and a profit in BTC is not 0.00', () => {
  const table = (numbers: readonly number[]) => formatTable(numbers, [{ title: 'n', value: (row) => row }]).slice(2)
  expect(table([90.318, 100])).toEqual([' 90.32', '100.00'])
  expect(table([3, 12])).toEqual([' 3', '12'])
  expect(table([0.00341, -0.0002])).toEqual([' 0.00341', '-0.00020'])
})

it('narrow titles stand word above word, their unit beside the last', () => {
  const row = { drawdown: 4.3, field: '6' }
  const lines = formatTable(
    [row],
    [
      { title: 'MaxSafetyOrders', value: ({ field }) => field },
      { title: 'Max drawdown %', value: ({ drawdown }) => drawdown },
    ],
    { narrow: true },
  )
  expect(lines).toEqual(['Max', 'Safety         Max', 'Orders  drawdown %', '------  ----------', '6             4.30'])
})

async function printAt(columns: number, outIsTerminal = true) {
  const system = testSystem()
  const row = { trial: 'b98d1aff685f', profit: 82.59, note: 'x'.repeat(30) }
  await printFittingTable(
    { ...system.terminal, columns, outIsTerminal },
    [row],
    [
      { title: 'trial', value: ({ trial }) => trial },
      { title: 'profit', value: ({ profit }) => profit },
      { title: 'note', value: ({ note }) => note },
      { title: 'n', value: () => 1 },
    ],
    { remedy: '--json shows them' },
  )
  const { out, err } = system.printed()
  return {
    widest: Math.max(...out.split('\n').map((line) => line.length)),
    titles: out.split('\n')[0].split(/ +/),
    err,
  }
}

it('a table is no wider than the terminal: columns that do not fit are left out from the right, and named', async () => {
  expect(await printAt(55)).toEqual({ widest: 55, titles: ['trial', 'profit', 'note', 'n'], err: '' })
  expect(await printAt(54)).toEqual({
    widest: 52,
    titles: ['trial', 'profit', 'note'],
    err: 'too wide for this terminal, left out: n; --json shows them\n',
  })
  // Nothing after the first column that is too wide is shown, even where it would fit: columns keep their places.
  expect(await printAt(30)).toMatchObject({ titles: ['trial', 'profit'], err: expect.stringContaining('note, n;') })
  expect(await printAt(5)).toMatchObject({ titles: ['trial'], err: expect.stringContaining('profit, note, n;') })
})

it('what is piped is whole, and so is a table on a terminal that does not tell its width', async () => {
  expect(await printAt(20, false)).toMatchObject({ widest: 55, err: '' })
  expect(await printAt(0)).toMatchObject({ widest: 55, err: '' })
})

it('columns that can be looked up by the row’s name go first, and what is hidden is said', () => {
  const table = fittingTable(
    [{ trial: 'b98d1aff', field: 6, profit: 82.59, drawdown: 4.3 }],
    [
      { title: 'trial', value: ({ trial }) => trial },
      { title: 'field', value: ({ field }) => field, spare: true },
      { title: 'profit', value: ({ profit }) => profit },
      { title: 'drawdown', value: ({ drawdown }) => drawdown },
    ],
  )
  const within = (columns?: number) => table.linesWithin({ columns, colours: false })
  const titlesWithin = (columns?: number) => within(columns)[0].split(/ +/)
  expect(titlesWithin()).toEqual(['trial', 'field', 'profit', 'drawdown'])
  expect(titlesWithin(33)).toEqual(['trial', 'field', 'profit', 'drawdown'])
  expect(titlesWithin(32)).toEqual(['trial', 'profit', 'drawdown'])
  expect(titlesWithin(25)).toEqual(['trial', 'profit'])
  expect(titlesWithin(1)).toEqual(['trial'])
  expect(within(45).at(-1)).not.toContain('hidden')
  expect(within(32).at(-1)).toBe('1 column hidden; --wide')
  expect(
    fittingTable(
      [1],
      [
        { title: 'a', value: () => 'x'.repeat(40) },
        { title: 'b', value: () => 1 },
      ],
    )
      .linesWithin({ columns: 40, colours: false })
      .at(-1),
  ).toBe('1 column hidden: b; --wide shows all')
})
