import type { TriedCount } from './tried-count.ts'

/** "best of at most 1,234 configurations tried on this market and time: 40 on the service, 1,194 here"; empty when nothing was counted. */
export function triedInWords(place: 'best' | 'one', { shown, scanned }: TriedCount): string {
  const total = shown + scanned
  if (total === 0) return ''
  const number = (count: number) => count.toLocaleString('en')
  const configurations = total === 1 ? 'configuration' : 'configurations'
  return `${place} of at most ${number(total)} ${configurations} tried on this market and time: ${number(shown)} on the service, ${number(scanned)} here`
}
