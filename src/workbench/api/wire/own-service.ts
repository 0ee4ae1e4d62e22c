/**
 * Our embedded service: it announces itself in a header, and is believed on this machine only. Another machine could make its results
 * look worthless, make ours look real, or be asked faster than it likes.
 */
import type { BaseAddress } from './address.ts'

/** The name under which the service behind `base` is ours, from the header of one of its replies; undefined: it is not ours. */
export function ownServiceName(base: BaseAddress, announced: string | null): string | undefined {
  if (!base.loopback || announced === null) return undefined
  return /^embedded:[\w.-]{1,100}$/.test(announced) ? announced : undefined
}
