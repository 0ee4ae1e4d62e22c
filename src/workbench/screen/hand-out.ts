/** Cuts numbers of a grid into stretches and gives them to whoever of a crew is free. */
export interface PortionOrder {
  /** The number of a stretch, each once; undefined = all are begun. */
  next(): number | undefined
}

export interface HandOut {
  /** How many are asked at a time. */
  readonly size: number
  /** Points from ≤ index < to. */
  readonly from: number
  readonly to: number
  readonly portion: number
  /** Which comes next; default the next in their order. */
  readonly order?: PortionOrder
  /** Once aborted, running stretches are finished and no other is begun. */
  readonly signal?: AbortSignal
}

/** @param ask `number`: of the stretch, from 0; its points are from ≤ index < to */
export async function handOut(
  { size, from: first, to: end, portion, order, signal }: HandOut,
  ask: (stretch: { readonly number: number; readonly from: number; readonly to: number }) => Promise<void>,
): Promise<void> {
  const { next } = order ?? inTheirOrder(Math.ceil((end - first) / portion))

  async function work(): Promise<void> {
    while (!signal?.aborted) {
      const number = next()
      if (number === undefined) return
      const from = first + number * portion
      await ask({ number, from, to: Math.min(end, from + portion) })
    }
  }

  await Promise.all(Array.from({ length: size }, work))
}

function inTheirOrder(count: number): PortionOrder {
  let begun = 0
  return { next: () => (begun < count ? begun++ : undefined) }
}
