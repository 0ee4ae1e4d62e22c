/**
 * Our embedded service identifies itself in a header, which is trusted on this machine only. With such a header another machine
 * could make its real results look simulated, or simulated ones real, or get requests faster than it allows.
 */
import type { BaseAddress } from './address.ts'

/** The name that our embedded service gives itself in the header of a reply; undefined when the service at `base` is not ours. */
export function ownServiceName(base: BaseAddress, announced: string | null): string | undefined {
  if (!base.loopback || announced === null) return undefined
  return /^embedded:[\w.-]{1,100}$/.test(announced) ? announced : undefined
}
