/** JSON that says one thing to every reader. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseStrictJson } from '../../src/service/http/app.ts'

it('reads every value JSON can say as JSON.parse does, or names a key that stands twice', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(parseStrictJson(text)).toEqual({ value: JSON.parse(text) })
    }),
  )
})

it('finds a repeated key at any depth, however it is spelt, among texts that look like keys', () => {
  const value = fc.jsonValue({ maxDepth: 2 })
  const key = fc.string({ maxLength: 5, unit: 'grapheme' })
  fc.assert(
    fc.property(key, value, value, fc.integer({ min: 0, max: 3 }), (name, first, second, depth) => {
      const between = `"~":{"_":[${JSON.stringify(name)}],"\\":{":"\\"x\\":{,"}`
      const twice = `{${JSON.stringify(name)}:${JSON.stringify(first)},${between},${escapeAll(name)}:${JSON.stringify(second)}}`
      const nested = '[{"a":'.repeat(depth) + twice + '}]'.repeat(depth)
      expect(parseStrictJson(nested)).toEqual({ problem: expect.stringContaining('stands twice') })
    }),
  )
})

/** A text as JSON in which every letter is an escape. */
function escapeAll(text: string): string {
  const codes = Array.from({ length: text.length }, (_, i) => text.charCodeAt(i).toString(16).padStart(4, '0'))
  return `"${codes.map((code) => `\\u${code}`).join('')}"`
}

it('does not mistake equal keys of different objects, or equal texts, for repetition', () => {
  expect(parseStrictJson('[{"a":1},{"a":{"a":"a"}},"a","a"]')).toEqual({
    value: [{ a: 1 }, { a: { a: 'a' } }, 'a', 'a'],
  })
})
