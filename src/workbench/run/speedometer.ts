/** Since when the speed of a run is measured, anew after each long wait. */

export interface MeasuredFrom {
  /** ms, service time. */
  readonly at: number
  /** Trials that had ended by then. */
  readonly ended: number
}

export class Speedometer {
  #from: MeasuredFrom | null = null

  /** `isStarted`: the first look is over. What it finds ended before; that is not this run's speed. */
  measureFrom(here: MeasuredFrom, { isStarted }: { readonly isStarted: boolean }): MeasuredFrom {
    if (isStarted) this.#from ??= here
    return this.#from ?? here
  }

  startAnew(): void {
    this.#from = null
  }
}
