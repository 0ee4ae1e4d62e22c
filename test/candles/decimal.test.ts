import fc from 'fast-check'
import { expect, it } from 'vitest'
import { parseDecimal } from '../../src/candles/formats/decimal.ts'

function parse(text: string): number {
  const bytes = Buffer.from(`9,${text},9`)
  return parseDecimal(bytes, 2, bytes.length - 2)
}

it('reads every decimal exactly as Number does', () => {
  const digits = fc.bigInt({ min: 0n, max: 10n ** 26n }).map(String)
  const decimal = fc.tuple(fc.constantFrom('', '-'), digits, fc.option(digits)).map(([sign, whole, fraction]) => {
    return `${sign}${whole}${fraction === null ? '' : `.${fraction}`}`
  })
  const shortest = fc.double({ noNaN: true, noDefaultInfinity: true }).map(String)
  const fixed = fc.tuple(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.nat(12)).map(([x, n]) => x.toFixed(n))
  fc.assert(
    fc.property(fc.oneof(decimal, shortest, fixed), (text) => {
      expect(parse(text)).toBe(Number(text))
    }),
    { numRuns: 2000 },
  )
})

it.each([
  '',
  ' ',
  '-',
  '.',
  'NaN',
  'inf',
  'Infinity',
  '1,5',
  '1 ',
  ' 1',
  '0x10',
  '1e',
  '1_000',
  '1.2.3',
  '--1',
  '1-',
  '１',
])('is no number: "%s"', (text) => expect(parse(text)).toBeNaN())
