/** The filter of a report's page: what a trader may type, and that every view reads the same of it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { METRICS } from '../../../src/contract/metrics.ts'
import { type ColumnName, STANDINGS } from '../../../src/workbench/report/model/blocks.ts'
import {
  completeFilter,
  metricSpellings,
  rangeIn,
  readNumber,
  select,
  termsOf,
  withRanges,
} from '../../../src/workbench/report/model/filter.ts'
import { isMetric } from '../../../src/workbench/report/model/trial-table.ts'
import { fixtureStudy } from '../../support/fixture-trials.ts'
import { inWords, share } from '../../support/share.ts'
import { deskTable } from './section-table.ts'
import { sectionOf } from './sections.ts'

const where = [{ metric: 'closedDeals', bounds: { min: 200 } }] as const
const study = fixtureStudy({ objective: { direction: 'maximize', metric: 'netProfit', where } })
const { table, section } = deskTable(sectionOf(study))
const all = Array.from({ length: table.count }, (_, trial) => trial)

/** The trials that a filter selects, and what is said of it. */
function read(filter: string) {
  const { mask, count, problems } = select(table, filter, section.quote)
  const trials = all.filter((trial) => mask[trial] === 1)
  expect(trials).toHaveLength(count)
  return { trials, problems }
}

/** Those of which it is known and true. */
function those(name: ColumnName, isMeant: (value: number) => boolean): number[] {
  return all.filter((trial) => {
    const value = table.number(trial, name)
    return value !== null && isMeant(value)
  })
}

describe('a comparison', () => {
  it('is understood in every spelling of column, sign and number', () => {
    const good = those('netProfit', (value) => value > 20).filter((trial) =>
      those('maxDrawdownPercent', (value) => value < 3).includes(trial),
    )
    expect(good.length).toBeGreaterThan(3)
    for (const typed of [
      'netProfit>20 drawdown<3',
      'net_profit > 20  max_drawdown_percent < 3',
      'profit>20 maxDrawdown<3%',
      'NETPROFIT>2e1 Drawdown < 3.0 %',
      'net-profit>+20\tMax_Drawdown<3 %',
      'drawdown<3 profit>0,020',
    ]) {
      expect(read(typed), typed).toEqual({ trials: good, problems: [] })
    }
    expect(read('deals≥300').trials).toEqual(those('closedDeals', (value) => value >= 300))
    expect(read('deals≤300').trials).toEqual(those('closedDeals', (value) => value <= 300))
    expect(read('takeProfit≠1').trials).toEqual(those('takeProfit', (value) => value !== 1))
    expect(read('maxSafetyOrders<=4 takeProfit!=1').trials).toHaveLength(40)
  })

  it.each(table.columns.filter(isMetric))('finds %s under each of its names', (name) => {
    const expected = those(name, (value) => value >= 0)
    for (const spelling of metricSpellings(name)) expect(read(`${spelling}>=0`).trials).toEqual(expected)
    expect(read(`${METRICS[name].column}>=0`).trials).toEqual(expected)
  })

  it('reads durations in days, hours and minutes', () => {
    const shorter = those('dealDuration.max', (value) => value < 3 * 1440)
    expect(shorter.length).toBeGreaterThan(0)
    for (const typed of [
      'dealDuration.max<3d',
      'longestDeal<72h',
      'longestDeal<4320min',
      'longestDeal<4320',
      'LongestDeal < 2 d 24 h',
    ]) {
      expect(read(typed), typed).toEqual({ trials: shorter, problems: [] })
    }
    expect(read('longestDeal<3d takeProfit=1').trials).toEqual(
      shorter.filter((trial) => table.number(trial, 'takeProfit') === 1),
    )
  })

  it('with = or a bound takes a number as it is shown, though more digits are known', () => {
    for (const trial of all) {
      const exact = table.number(trial, 'netProfit') ?? 0
      const shown = exact.toFixed(2)
      for (const sign of ['=', '>=', '<=']) expect(read(`netProfit${sign}${shown}`).trials).toContain(trial)
      expect(read(`netProfit!=${shown}`).trials).not.toContain(trial)
    }
    const shownDays = '2 d 5 h'
    const minutes = those('dealDuration.max', (value) => Math.round(value) >= 3180 && Math.round(value) < 3240)
    expect(read(`longestDeal=${shownDays}`).trials).toEqual(minutes)
  })

  it('of what is undefined is never true', () => {
    const blind = sectionOf(study)
    const gaps = deskTable({
      ...blind,
      trials: blind.trials.map((trial, index) => ({
        ...trial,
        metrics: trial.metrics === null ? null : { ...trial.metrics, sharpe: index % 2 === 0 ? null : index },
      })),
    })
    for (const typed of ['sharpe<1000', 'sharpe>=-1000', 'sharpe!=0.5']) {
      expect(select(gaps.table, typed, section.quote).count, typed).toBe(48)
    }
  })

  it('of yes and no takes the words', () => {
    expect(read('openDeal=yes').trials).toEqual(those('openDeal', (value) => value === 1))
    expect(read('openDeal!=YES').trials).toEqual(those('openDeal', (value) => value === 0))
  })

  it('of ranks takes only those that have one, and of sample sizes the fewest deals of the class', () => {
    expect(read('rank<=5').trials).toEqual([0, 1, 2, 3, 4])
    const ranked = all.filter((trial) => table.rank(trial) !== null)
    expect(ranked.length).toBeLessThan(96)
    expect(read('rank!=1').trials).toEqual(ranked.slice(1))
    expect(read('sampleSize>=273').trials).toEqual(
      all.filter((trial) => ['273 to 384', '385+'].includes(table.sampleSize(trial) ?? '')),
    )
  })
})

it('a word is a standing, or the first digits of a fingerprint, even of one that was copied whole', () => {
  expect(read('ranked').trials).toEqual(read('deals>=200').trials)
  expect(read('Outside').trials).toEqual(read('deals<200').trials)
  expect(read(table.fingerprint(7)).trials).toEqual([7])
  expect(read(`${table.fingerprint(7)}0123456789abcdef`.toUpperCase()).trials).toEqual([7])
  expect(read(table.fingerprint(7).slice(0, 6)).trials).toContain(7)
})

it('a column’s title may have the spaces it has in the table, and words before it stay words', () => {
  for (const [typed, plain] of [
    ['net profit>20', 'netProfit>20'],
    ['ranked Net Profit > 20 max drawdown<30', 'ranked netProfit>20 maxDrawdownPercent<30'],
  ]) {
    expect(read(typed), typed).toEqual(read(plain))
    expect(read(typed).problems).toEqual([])
  }
  expect(termsOf(table, 'good net profit>20 take profit=1')).toEqual(['good', 'net profit>20', 'take profit=1'])
})

it('or joins alternatives to one term, which a view that selects replaces whole or not at all', () => {
  const either = those('takeProfit', (value) => value === 1 || value === 3)
  for (const typed of [
    'takeProfit=1 or takeProfit=3',
    'take profit=1 OR 3',
    'takeProfit=1|3',
    'takeProfit=1 | take_profit=3',
  ])
    expect(read(typed), typed).toEqual({ trials: either, problems: [] })
  expect(read('takeProfit=1|3 netProfit>20').trials).toEqual(
    either.filter((trial) => (table.number(trial, 'netProfit') ?? 0) > 20),
  )
  expect(termsOf(table, 'ranked or outside netProfit>1')).toEqual(['ranked or outside', 'netProfit>1'])
  expect(withRanges(table, 'takeProfit=1|3 netProfit>1|takeProfit=3', [{ column: 'takeProfit', range: null }])).toBe(
    'netProfit>1 or takeProfit=3',
  )
})

it.each(STANDINGS)('%s selects the trials of that standing, however it is typed', (standing) => {
  const trials = all.filter((trial) => table.standing(trial) === standing)
  for (const typed of [standing, standing.toUpperCase()]) expect(read(typed)).toEqual({ trials, problems: [] })
})

it('what is not understood is said, and hides nothing', () => {
  for (const [typed, said] of [
    ['proffit>20', 'no column proffit; did you mean profit?'],
    ['netProft<3', 'no column netproft; did you mean netProfit?'],
    ['netProfit>much', 'netprofit> expects a number, found much'],
    ['netProfit>', 'netprofit> expects a number, found nothing'],
    ['netProfit>,', 'netprofit> expects a number, found ,'],
    ['netProfit>>3', 'netprofit> expects a number, found >3'],
    ['openDeal=maybe', 'opendeal= expects yes or no, found maybe'],
    ['rank<first', 'rank< expects a number, found first'],
    ['netProfit', 'netProfit needs a comparison, such as netProfit>0'],
    ['take profit 3', 'take profit 3 has no operator. Write for example takeProfit=3'],
    [
      'good',
      '"good" is not a filter. Use a comparison such as netProfit>100, ranked, outside, noValue, sample, or the first digits of a trial',
    ],
    ['>5', 'no column before >'],
    ['constructor>1', 'no column constructor'],
    ['__proto__=1', 'no column __proto__'],
  ]) {
    expect(read(typed), typed).toEqual({ trials: all, problems: [said] })
  }
  expect(read('takeProfit=1 netProfit>much').trials).toHaveLength(16)
})

it('any text at all is answered: with trials, or with what is wrong', () => {
  const piece = fc.constantFrom(
    'netProfit',
    'drawdown',
    '>',
    '<',
    '=',
    '!',
    '≥',
    ' ',
    '3d',
    '%',
    'e9',
    ' or ',
    '|',
    '-',
    ',',
    '.',
    '\0',
    '\u202e',
    '<b>',
    "'",
  )
  const text = fc.oneof(
    fc.array(piece, { maxLength: 25 }).map((pieces) => pieces.join('')),
    fc.string({ unit: 'binary' }),
  )
  fc.assert(
    fc.property(text, (typed) => {
      read(typed)
      completeFilter(table, typed)
      expect(termsOf(table, termsOf(table, typed).join(' '))).toEqual(termsOf(table, typed))
    }),
    { numRuns: share({ usual: 250, long: 5_000 }) },
  )
})

const filters = share({ usual: 500, long: 10_000 })

it(`${inWords(filters)} random filters select what a plain reading of them selects`, () => {
  const signs = { '>': 1, '<': 1, '>=': 1, '<=': 1, '=': 1, '!=': 1 }
  const term = fc
    .tuple(
      fc.constantFrom(...table.columns),
      fc.constantFrom(...Object.keys(signs)),
      fc.nat(table.count - 1),
      fc.double({ min: -2, max: 2, noNaN: true }),
    )
    .map(([name, sign, trial, shift]) => ({
      name,
      sign,
      value: Number(((table.number(trial, name) ?? 0) + shift).toPrecision(9)),
    }))
  const isTrue = (trial: number, { name, sign, value }: { name: ColumnName; sign: string; value: number }) => {
    const found = table.number(trial, name)
    if (found === null) return false
    if (sign === '>') return found > value
    if (sign === '<') return found < value
    const isEqual = found === value
    if (sign === '=') return isEqual
    if (sign === '!=') return !isEqual
    return sign === '>=' ? found >= value : found <= value
  }
  // numbers of nine digits: no metric is shown with as many, so that what is shown is not what is meant
  const exact = term.filter(
    ({ name, value }) => !isMetric(name) || (METRICS[name].unit !== 'minutes' && Number(value.toFixed(2)) !== value),
  )
  fc.assert(
    fc.property(fc.array(fc.array(exact, { minLength: 1, maxLength: 2 }), { maxLength: 4 }), (terms) => {
      const spell = ({ name, sign, value }: (typeof terms)[number][number]) => `${name}${sign}${value}`
      const typed = terms.map((some) => some.map(spell).join(' or ')).join(' ')
      expect(read(typed)).toEqual({
        trials: all.filter((trial) => terms.every((some) => some.some((one) => isTrue(trial, one)))),
        problems: [],
      })
    }),
    { numRuns: filters },
  )
})

describe('a view that selects', () => {
  it('replaces its own terms and leaves the others as they were typed', () => {
    const typed = 'netProfit>1 NETPROFIT<=9 takeProfit=1 2537d764 profit!=3'
    const moved = withRanges(table, typed, [{ column: 'netProfit', range: { min: 2.123456, max: 8 } }])
    expect(moved).toBe('takeProfit=1 2537d764 netProfit>=2.1234 netProfit<=8')
    expect(withRanges(table, moved, [{ column: 'netProfit', range: null }])).toBe('takeProfit=1 2537d764')
    expect(withRanges(table, '', [{ column: 'takeProfit', range: { is: 0.1234567 } }])).toBe('takeProfit=0.1234567')
  })

  it('keeps the trials at the ends of the range', () => {
    const values = all.flatMap((trial) => table.number(trial, 'netProfit') ?? [])
    const range = { min: Math.min(...values), max: Math.max(...values) }
    expect(read(withRanges(table, '', [{ column: 'netProfit', range }])).trials).toHaveLength(values.length)
  })

  it('finds again the range that it set', () => {
    const number = fc.double({ min: -1e6, max: 1e6, noNaN: true }).map((value) => Number(value.toPrecision(5)))
    fc.assert(
      fc.property(fc.constantFrom(...table.columns), number, number, (column, a, b) => {
        const [min, max] = [Math.min(a, b), Math.max(a, b)]
        const filter = withRanges(table, 'openDeal=yes', [{ column, range: { min, max } }])
        expect(rangeIn(table, filter, column)).toEqual({ min, max })
        expect(read(filter).problems).toEqual([])
        expect(rangeIn(table, withRanges(table, filter, [{ column, range: { is: min } }]), column)).toEqual({
          min,
          max: min,
        })
      }),
    )
    expect(rangeIn(table, 'profit>3 netProfit<9 netProfit!=4', 'netProfit')).toEqual({ min: 3, max: 9 })
    expect(rangeIn(table, 'profit>3', 'netProfit')).toEqual({ min: 3, max: Infinity })
    expect(rangeIn(table, 'drawdown<3 profit>much', 'netProfit')).toBeNull()
  })
})

it('a cell of a heat map selects exactly the trials that lie in it', () => {
  for (const trial of all) {
    const fields = ['dcaMaxSafetyOrders', 'dcaPriceScalePercent'] as const
    const ranges = fields.map((column) => ({ column, range: { is: table.number(trial, column) ?? Number.NaN } }))
    const { trials } = read(withRanges(table, '', ranges))
    expect(trials).toHaveLength(6)
    expect(trials).toContain(trial)
  }
})

it.each([
  ['1,234.5', 1234.5],
  ['+12%', 12],
  ['\u22123.5', -3.5],
  ['3d4h', 4560],
  ['1.5H', 90],
  ['.5', 0.5],
  ['1E3', 1000],
  ['', Number.NaN],
  ['.', Number.NaN],
  ['1.2.3', Number.NaN],
  ['0x10', Number.NaN],
  ['3d4', Number.NaN],
  ['Infinity', Number.NaN],
])('%j is read as %d', (text, value) => {
  expect(readNumber(text)).toBe(value)
})

it('offers names of columns, then the values of a field', () => {
  expect(completeFilter(table, 'drawd')).toContain('maxDrawdownPercent>')
  expect(completeFilter(table, 'deals>5 takeP')).toEqual(['deals>5 takeProfit>'])
  expect(completeFilter(table, 'deals>5 takeProfit=')).toEqual(
    [0.5, 1, 1.5, 2, 2.5, 3].map((value) => `deals>5 takeProfit=${value}`),
  )
  expect(completeFilter(table, 'netProfit>1 ')).toHaveLength(table.columns.length + 2 + 4)
  expect(completeFilter(table, 'netProfit>1')).toEqual([])
})
