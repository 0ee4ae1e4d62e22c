/** What a reader chose stands in the page's address, and comes back from it. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CONFIG_FIELDS } from '../../../src/contract/bot.ts'
import { METRIC_NAMES } from '../../../src/contract/metrics.ts'
import {
  AT_REST,
  MOST_PINS,
  readState,
  type ViewState,
  writeState,
} from '../../../src/workbench/report/model/view-state.ts'

const field = fc.constantFrom(...CONFIG_FIELDS)
const column = fc.constantFrom(...CONFIG_FIELDS, ...METRIC_NAMES, 'sampleSize')
const states: fc.Arbitrary<ViewState> = fc.record({
  filter: fc.string({ unit: 'grapheme', maxLength: 60 }).map((text) => text.trim()),
  sort: fc.option(fc.record({ by: fc.oneof(column, fc.constantFrom('rank', 'id')), descending: fc.boolean() })),
  trial: fc.option(fc.stringMatching(/^[0-9a-f]{12}$/)),
  pair: fc.option(fc.tuple(field, field)),
  aggregate: fc.constantFrom('mean', 'best', 'count'),
  columns: fc.option(fc.uniqueArray(column, { minLength: 1, maxLength: 60 })),
  pins: fc.uniqueArray(fc.stringMatching(/^[0-9a-f]{12}$/), { maxLength: MOST_PINS }),
  change: fc.dictionary(
    field,
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value || 0),
  ),
})

/** Through the text behind the `#`. */
function throughAddress(state: ViewState, prefix: string, others = ''): ViewState {
  const keys = new URLSearchParams(others)
  writeState(keys, prefix, state)
  return readState(new URLSearchParams(keys.toString()), prefix)
}

it('10,000 random choices are the same after a reload', () => {
  fc.assert(
    fc.property(states, fc.constantFrom('', 's1-', 's12-'), (state, prefix) => {
      expect(throughAddress(state, prefix)).toEqual(state)
    }),
    { numRuns: 10_000 },
  )
})

it('sections keep theirs apart, and going back to rest leaves nothing in the address', () => {
  fc.assert(
    fc.property(states, states, (first, second) => {
      const keys = new URLSearchParams()
      writeState(keys, 's1-', first)
      writeState(keys, 's2-', second)
      expect(readState(keys, 's1-')).toEqual(first)
      expect(readState(keys, 's2-')).toEqual(second)
      writeState(keys, 's1-', AT_REST)
      writeState(keys, 's2-', AT_REST)
      expect(keys.toString()).toBe('')
    }),
  )
})

it('an empty address is at rest, and so is one that nobody understands', () => {
  expect(readState(new URLSearchParams(''), '')).toEqual(AT_REST)
  for (const address of [
    'sort=<b>&trial=<b>&pair=a,b&show=sum&columns=%00&if=x=1',
    'sort=-&pair=takeProfit&columns=,,&if=takeProfit=',
    'trial=&if=takeProfit=NaN stopLoss=Infinity __proto__=1 constructor=2',
    'pair=constructor,takeProfit&sort=net profit',
    '%E0%A4%A&&&===&filter',
  ]) {
    expect(readState(new URLSearchParams(address), ''), address).toEqual(AT_REST)
  }
})

it('whatever stands in the address is read without an error, and is short', () => {
  const keys = fc.constantFrom('filter', 'sort', 'trial', 'pair', 'show', 'columns', 'if')
  fc.assert(
    fc.property(fc.dictionary(keys, fc.string({ unit: 'binary', maxLength: 4000 })), (address) => {
      const state = readState(new URLSearchParams(Object.entries(address)), '')
      expect(state.filter.length).toBeLessThanOrEqual(2000)
      expect(Object.keys(state)).toEqual(Object.keys(AT_REST))
      expect(throughAddress(state, '')).toEqual({ ...state, filter: state.filter.trim() })
    }),
  )
})

it('a name that may be no trial’s stays, so that the page can say so; of a whole fingerprint what the page knows', () => {
  for (const [typed, kept] of [
    ['zz', 'zz'],
    ['2537d764cd2e2537', '2537d764cd2e'],
    ['25 37', null],
  ]) {
    expect(readState(new URLSearchParams({ trial: typed ?? '' }), '').trial).toBe(kept)
  }
})
