import type { LookCount } from './look-count.ts'

/** "best of at most 1,234 configurations looked at on this market and time: 40 paid, 1,194 screened"; empty when nothing was counted. */
export function describeLooks(place: 'best' | 'one', { paid, localAtMost }: LookCount): string {
  const total = paid + localAtMost
  if (total === 0) return ''
  const number = (count: number) => count.toLocaleString('en')
  const configurations = total === 1 ? 'configuration' : 'configurations'
  return `${place} of at most ${number(total)} ${configurations} looked at on this market and time: ${number(paid)} paid, ${number(localAtMost)} screened`
}
