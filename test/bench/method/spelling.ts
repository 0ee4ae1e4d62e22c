/** How a figure is written: its value and its 90 % interval. The program prints it so, and the guide quotes it so. */
import type { Estimate } from './estimate.ts'

interface Spelled {
  readonly number: (value: number) => string
  readonly unit: string
}

const SPELLINGS = {
  /** A share of 0 to 1. */
  percent: { number: (value) => (100 * value).toFixed(1), unit: ' %' },
  /** Percentiles, and money. */
  tenths: { number: (value) => minus(value.toFixed(1)), unit: '' },
  /** A difference. */
  signed: { number: (value) => `${Number(value.toFixed(1)) > 0 ? '+' : ''}${minus(value.toFixed(1))}`, unit: '' },
  /** A correlation. */
  hundredths: { number: (value) => minus(value.toFixed(2)), unit: '' },
  /** A small ratio. */
  thousandths: { number: (value) => minus(value.toFixed(3)), unit: '' },
} as const satisfies Record<string, Spelled>
export type Spelling = keyof typeof SPELLINGS

/** `97.3 % [95.8, 98.4]`; without brackets where there are too few clusters for an interval, and `–` for what no stretch has. */
export function spell({ value, interval }: Pick<Estimate, 'value' | 'interval'>, as: Spelling): string {
  if (value === null) return '–'
  const { number, unit } = SPELLINGS[as]
  return [`${number(value)}${unit}`, ...(interval === null ? [] : [spellInterval(interval, as)])].join(' ')
}

/** `[−0.3, +2.1]`, and `–` where there are too few clusters for one. */
export function spellInterval(interval: Estimate['interval'], as: Spelling): string {
  return interval === null ? '–' : `[${interval.map(SPELLINGS[as].number).join(', ')}]`
}

/** How many stretches, and how many clusters they make. */
export function spellCount({ n, clusters }: Pick<Estimate, 'n' | 'clusters'>): string {
  return `${n} / ${clusters}`
}

/** Typographic, and never −0.0. */
function minus(text: string): string {
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−')
}
