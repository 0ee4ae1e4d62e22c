/** The one printer of tables. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { metricColumns } from '../../src/cli/metrics-table.ts'
import { type Column, fittingTable, tellingDigits } from '../../src/cli/table.ts'
import { METRIC_NAMES } from '../../src/contract/metrics.ts'

const amounts = fc.array(
  fc.double({ min: 1e-8, max: 1e6, noNaN: true }).map((size) => Number(size.toPrecision(12))),
  { minLength: 1, maxLength: 8 },
)

function linesOf<Row>(rows: readonly Row[], columns: readonly Column<Row>[], room?: number): readonly string[] {
  return fittingTable(rows, columns).linesWithin({ columns: room, colours: false })
}

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
  const table = (numbers: readonly number[]) => linesOf(numbers, [{ title: 'n', value: (row) => row }]).slice(2)
  expect(table([90.318, 100])).toEqual([' 90.3', '100.0'])
  expect(table([9.318, 1.5])).toEqual(['9.32', '1.50'])
  expect(table([1234.5, 3.2])).toEqual(['1235', '   3'])
  expect(table([3, 12])).toEqual([' 3', '12'])
  expect(table([0.00341, -0.0002])).toEqual([' 0.00341', '-0.00020'])
})

it('a title stands in lines of nine characters where no cell is wider, its unit beside the last word', () => {
  const row = { drawdown: 4.3, orders: 6, at: '2026-11-26T10:00:00Z' }
  const columns: Column<typeof row>[] = [
    { title: 'safety orders', value: ({ orders }) => orders },
    { title: 'max drawdown %', value: ({ drawdown }) => drawdown },
    { title: 'last finished', value: ({ at }) => at },
  ]
  expect(linesOf([row], columns)).toEqual([
    'safety         max',
    'orders  drawdown %  last finished',
    '------  ----------  --------------------',
    '     6        4.30  2026-11-26T10:00:00Z',
  ])
})

it('no metric has a title of more than three lines', () => {
  const heights = METRIC_NAMES.map((name) => {
    const lines = linesOf(
      [null],
      metricColumns<null>(name, () => null),
    )
    return [name, lines.findIndex((line) => line.startsWith('-'))] as const
  })
  expect(heights.filter(([, height]) => height > 3)).toEqual([])
})

const wide: readonly Column<null>[] = [
  { title: 'hash', role: 'detail', value: () => 'd'.repeat(9) },
  { title: 'deals', value: () => 12 },
  { title: 'step', role: 'varied', value: () => 2 },
  { title: 'profit', role: 'objective', value: () => 82.6 },
  { title: 'missing', role: 'alarm', value: () => 3 },
  { title: 'failed', role: 'alarm', value: () => 0 },
  { title: 'id', role: 'id', value: () => 'b98d1aff' },
]
const titlesWithin = (room?: number) => linesOf([null], wide, room)[0].split(/ +/)

it('columns stand in the order of their roles, an alarm only where something is unusual', () => {
  expect(titlesWithin()).toEqual(['id', 'missing', 'profit', 'step', 'deals', 'hash'])
})

it('details give way before companions, and what is hidden is said', () => {
  expect(titlesWithin(49)).toEqual(['id', 'missing', 'profit', 'step', 'deals', 'hash'])
  expect(titlesWithin(48)).toEqual(['id', 'missing', 'profit', 'step', 'deals'])
  expect(linesOf([null], wide, 48).at(-1)).toBe('1 column hidden: hash; --wide shows all')
  expect(titlesWithin(36)).toEqual(['id', 'missing', 'profit', 'step'])
})

it('no alarm, objective or varied parameter is hidden: the table goes on below itself', () => {
  expect(linesOf([null], wide, 25)).toEqual(
    [
      'id        missing  profit',
      '--------  -------  ------',
      'b98d1aff        3    82.6',
      '',
      'id        step',
      '--------  ----',
      'b98d1aff     2',
      '2 columns hidden: deals,',
      'hash; --wide shows all',
    ].map((line) => line),
  )
})

it('text is broken at words before a companion is hidden', () => {
  const rows = [{ id: 'a', note: 'the service names other candles than the study', n: 1 }]
  const lines = linesOf(
    rows,
    [
      { title: 'id', value: ({ id }) => id },
      { title: 'note', value: ({ note }) => note },
      { title: 'n', value: ({ n }) => n },
    ],
    30,
  )
  expect(lines).toEqual([
    'id  note                     n',
    '--  -----------------------  -',
    'a   the service names other  1',
    '    candles than the study',
  ])
})

it('whatever is in it, a table is no wider than the room, but for words that are', () => {
  const words = fc.array(fc.stringMatching(/^[a-z]{1,9}$/), { minLength: 1, maxLength: 6 }).map((all) => all.join(' '))
  const cell = fc.oneof(words, fc.double({ min: -1e4, max: 1e4, noNaN: true }), fc.constant(null))
  const role = fc.constantFrom('id', 'alarm', 'objective', 'varied', 'companion', 'detail')
  const column = fc.record({ title: words, role, cells: fc.array(cell, { minLength: 3, maxLength: 3 }) })
  fc.assert(
    fc.property(fc.array(column, { minLength: 1, maxLength: 12 }), fc.integer({ min: 50, max: 120 }), (given, room) => {
      const leads = given.filter((one) => one.role === 'id').length
      fc.pre(leads <= 1)
      const columns = given.map((one) => ({ ...one, value: (row: number) => one.cells[row] }))
      for (const line of linesOf([0, 1, 2], columns, room)) expect(line.length).toBeLessThanOrEqual(room)
    }),
  )
})
