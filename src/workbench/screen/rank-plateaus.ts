/** The second pass of a screen by plateaus: when every point is known, the means over neighbours are put on the shortlist. */
import { handOut } from './hand-out.ts'
import type { ScreenCrew } from './messages.ts'
import type { Shortlist } from './shortlist.ts'

/** A mean takes well under a microsecond. */
export const POINTS_PER_STRETCH = 65_536

export interface PlateauRequest {
  readonly crew: ScreenCrew
  /** Points of the grid, and of a stretch. */
  readonly points: number
  readonly portion: number
  /** Collects the best candidates. */
  readonly shortlist: Shortlist
  readonly onPoints?: (done: number) => void
}

/** It takes seconds, so it is not interrupted: what the first pass has found is worth nothing without it. */
export async function rankPlateaus({ crew, points, portion, shortlist, onPoints }: PlateauRequest): Promise<void> {
  let done = 0
  await handOut({ size: crew.size, from: 0, to: points, portion }, async ({ from, to }) => {
    const reply = await crew.ask({ kind: 'plateaus', from, to, floor: shortlist.floor() })
    if (reply.kind !== 'plateaus') throw new Error(`plateaus were asked for, and the answer is a ${reply.kind}`)
    shortlist.offerAll(reply)
    done += to - from
    onPoints?.(done)
  })
}
