/** JSON.parse decides what is JSON; our scans find where its parts are written, and keep ids that a float would round. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { itemsAt, membersAt, parseLossless, spanAt } from '../../../src/workbench/api/lossless-json.ts'

const spaced = fc
  .tuple(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t', ' \n'))
  .map(([value, space]) => JSON.stringify(value, null, space))

it('reads what JSON.parse reads and refuses what it refuses', () => {
  const cut = fc.tuple(spaced, fc.nat(50), fc.string({ maxLength: 3 })).map(([text, at, noise]) => {
    return text.slice(0, at) + noise + text.slice(at + 1)
  })
  fc.assert(
    fc.property(fc.oneof(spaced, cut), (text) => {
      let expected: { value: unknown } | undefined
      try {
        expected = { value: JSON.parse(text) }
      } catch {
        expected = undefined
      }
      const found = parseLossless(text)
      if (/\d{16}/.test(text)) expect(found === undefined).toBe(expected === undefined)
      else expect(found).toEqual(expected)
    }),
    { numRuns: 2000 },
  )
})

it('finds every member and item where it is written', () => {
  fc.assert(
    fc.property(spaced, (text) => {
      const value: unknown = JSON.parse(text)
      if (Array.isArray(value)) {
        const items = itemsAt(text, spanAt(text, [])?.start ?? 0)
        expect(items.map(({ start, end }) => JSON.parse(text.slice(start, end)))).toEqual(value)
      } else if (typeof value === 'object' && value !== null) {
        const members = membersAt(text, spanAt(text, [])?.start ?? 0)
        expect(
          Object.fromEntries(
            members.map(({ key, value: { start, end } }) => [key, JSON.parse(text.slice(start, end))]),
          ),
        ).toEqual(value)
      }
    }),
    { numRuns: 2000 },
  )
})

it.each([
  ['{"id":9007199254740993}', { id: '9007199254740993' }],
  ['{"id":-9007199254740993}', { id: '-9007199254740993' }],
  ['{"id":9007199254740991}', { id: 9007199254740991 }],
  [
    '[12345678901234567890,"12345678901234567890",0.1234567890123456]',
    ['12345678901234567890', '12345678901234567890', 0.1234567890123456],
  ],
  ['9007199254740993', '9007199254740993'],
  ['[1234567890123456.5,-1234567890123456.5]', [1234567890123456.5, -1234567890123456.5]],
  ['{"a":"at :12345678901234567 [12345678901234567"}', { a: 'at :12345678901234567 [12345678901234567' }],
  ['{"a\\"1234567890123456789":1}', { 'a"1234567890123456789': 1 }],
  ['{"a":"\\\\","b":1234567890123456789}', { a: '\\', b: '1234567890123456789' }],
])('%s keeps its digits', (text, expected) => {
  expect(parseLossless(text)?.value).toEqual(expected)
})

it('ids that a float rounds to one another stay apart', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 2n ** 53n, max: 2n ** 64n }), (id) => {
      const value = parseLossless(`{"jobs":[{"id":${id}},{"id":${id + 1n}}]}`)?.value
      expect(value).toEqual({ jobs: [{ id: String(id) }, { id: String(id + 1n) }] })
    }),
  )
})
