/** Numbers and configurations as sentences of a verdict say them. */

import { CONFIG, type ConfigField, type DcaSpotConfig } from '../../contract/bot.ts'
import { withCommas } from '../../contract/metrics.ts'
import { DAY_MS } from '../../engine/daily-equity.ts'

const MINUS = '−'

/** Quote: one decimal below 1,000, two below 10, more below a tenth; none above 1,000; thousands separated from 10,000. */
export function amountText(amount: number): string {
  return fixed(amount, decimalsOf(Math.abs(amount)))
}

/** Of an amount of this size, two digits at least down to a hundred-millionth of a coin: 0.00034 is not 0.00. */
export function decimalsOf(size: number): number {
  if (size >= 10) return size < 1_000 ? 1 : 0
  return size >= 0.1 || size < 1e-8 ? 2 : Math.min(8, 1 - Math.floor(Math.log10(size)))
}

/** The same with its sign. */
export function gain(amount: number): string {
  const text = amountText(amount)
  return text.startsWith(MINUS) || Number(text.replaceAll(',', '')) === 0 ? text : `+${text}`
}

/** One decimal, two below 1. */
export function share(percent: number): string {
  return `${fixed(percent, Math.abs(percent) < 1 ? 2 : 1)} %`
}

/** "61.2 % of the profit"; of a small one "12 times the profit". */
export function ofProfit(percent: number): string {
  return percent < 1_000
    ? `${share(percent)} of the profit`
    : `${withCommas(String(Math.round(percent / 100)))} times the profit`
}

function fixed(value: number, digits: number): string {
  const text = Math.abs(value).toFixed(digits)
  const grouped = Math.abs(value) < 10_000 ? text : withCommas(text)
  return value < 0 && Number(text) !== 0 ? MINUS + grouped : grouped
}

/** As the study file writes it where that has at most four digits, else three: 3.70447491252 is 3.7. */
export function plainNumber(value: number): string {
  const short = Number(value.toPrecision(4))
  return String(short === value ? value : Number(value.toPrecision(3)))
}

/** What a page says of the first of a study: "Run …" is earned by the best grade, any other configuration is named without a verb. */
export function placeInWords(
  config: DcaSpotConfig,
  { isBeat, ranked }: { readonly isBeat: boolean; readonly ranked: number },
): string {
  const name = describeLadder(config)
  return isBeat ? `Run ${name}` : `First of ${withCommas(String(ranked))}: ${name}`
}

/** "6 safety orders, 0.8 % apart, size ×1.4, take profit 3 %". */
export function describeLadder({
  dcaMaxSafetyOrders: orders,
  dcaPriceScalePercent,
  dcaVolumeScale,
  takeProfit,
  stopLoss,
}: DcaSpotConfig): string {
  return [
    ...(orders === 0
      ? ['no safety orders']
      : [
          `${orders} safety order${orders === 1 ? '' : 's'}`,
          `${plainNumber(dcaPriceScalePercent)} % apart`,
          `size ×${plainNumber(dcaVolumeScale)}`,
        ]),
    `take profit ${plainNumber(takeProfit)} %`,
    ...(stopLoss === 0 ? [] : [`stop loss ${plainNumber(stopLoss)} %`]),
  ].join(', ')
}

/** "30 days". */
export function daysOf(ms: number): string {
  const days = Math.round(ms / DAY_MS)
  return `${days} day${days === 1 ? '' : 's'}`
}

/** "2018 to 2025", or "2025". `to` is not part of it. */
export function yearsOf({ from, to }: { readonly from: number; readonly to: number }): string {
  const [first, last] = [from, to - 1].map((ms) => new Date(ms).getUTCFullYear())
  return first === last ? String(first) : `${first} to ${last}`
}

/** "2025-05-20". */
export function dateOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}

/** Of fields whose title in tables is too short for a sentence. */
const FIELD_WORDS: Partial<Readonly<Record<ConfigField, string>>> = {
  investment: 'investment',
  dcaMaxSafetyOrders: 'safety orders',
  dcaPriceScalePercent: 'first step %',
  takeProfit: 'take profit %',
  stopLoss: 'stop loss %',
}

/** A field in a sentence, with the unit of its values: 'take profit %', 'size ×'. */
export const fieldInWords = (field: ConfigField): string => FIELD_WORDS[field] ?? CONFIG[field].title
