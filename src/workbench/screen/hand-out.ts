/** Cuts numbers of a grid into stretches and gives them to whoever of a crew is free, in their order. */
export interface HandOut {
  /** How many are asked at a time. */
  readonly size: number
  /** Points from ≤ index < to. */
  readonly from: number
  readonly to: number
  readonly portion: number
  /** Once aborted, running stretches are finished and no other is begun. */
  readonly signal?: AbortSignal
}

/** @param ask `number`: of the stretch, from 0; its points are from ≤ index < to */
export async function handOut(
  { size, from: first, to: end, portion, signal }: HandOut,
  ask: (stretch: { readonly number: number; readonly from: number; readonly to: number }) => Promise<void>,
): Promise<void> {
  const count = Math.ceil((end - first) / portion)
  let begun = 0

  async function work(): Promise<void> {
    while (begun < count && !signal?.aborted) {
      const number = begun++
      const from = first + number * portion
      await ask({ number, from, to: Math.min(end, from + portion) })
    }
  }

  await Promise.all(Array.from({ length: size }, work))
}
