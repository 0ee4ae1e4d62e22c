/**
 * Numbers as a person wrote them: exact decimals, so that stepping by 0.1 three times gives 0.3. A double is taken as the
 * shortest decimal that gives the same double (ECMAScript `Number::toString`). This is what was typed, unless that had more than
 * 17 digits.
 */
export interface Decimal {
  /** The value is digits / 10^decimals. */
  readonly digits: bigint
  readonly decimals: number
}

/** @param value a finite number */
export function toDecimal(value: number): Decimal {
  const [mantissa = '', exponent = '0'] = value.toExponential().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = BigInt(whole + fraction)
  const decimals = fraction.length - Number(exponent)
  return decimals >= 0 ? { digits, decimals } : { digits: digits * 10n ** BigInt(-decimals), decimals: 0 }
}

/** The same values over one common power of ten. */
export function alignDecimals(values: readonly Decimal[]): {
  readonly digits: readonly bigint[]
  readonly decimals: number
} {
  const decimals = Math.max(...values.map((value) => value.decimals))
  return { digits: values.map((value) => value.digits * 10n ** BigInt(decimals - value.decimals)), decimals }
}

/** The double nearest to digits / 10^decimals. */
export function fromDecimal({ digits, decimals }: Decimal): number {
  return Number(`${digits}e-${decimals}`)
}

/** Plain notation without exponent, trailing zeros or sign of zero: 1.0 is `1`, -0 is `0`, 1e-7 is `0.0000001`. */
export function decimalText(value: number): string {
  const usual = String(value) // the same shortest digits, and faster: a screen computes millions of fingerprints
  if (!usual.includes('e')) return usual
  const { digits, decimals } = toDecimal(value)
  const sign = digits < 0n ? '-' : ''
  const text = String(digits < 0n ? -digits : digits).padStart(decimals + 1, '0')
  const point = text.length - decimals
  const fraction = text.slice(point).replace(/0+$/, '')
  return `${sign}${text.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}
