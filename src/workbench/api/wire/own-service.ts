/**
 * Our embedded service identifies itself in a header, which is trusted on this machine only. With such a header another machine
 * could make its real results look simulated, or simulated ones real, or get requests faster than it allows.
 */
import type { BaseAddress } from './address.ts'

/** The name under which the service behind `base` is ours, from the header of one of its replies; undefined: it is not ours. */
export function ownServiceName(base: BaseAddress, announced: string | null): string | undefined {
  if (!base.loopback || announced === null) return undefined
  return /^embedded:[\w.-]{1,100}$/.test(announced) ? announced : undefined
}
