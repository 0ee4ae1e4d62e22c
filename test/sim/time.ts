/** Time that moves from event to event: whatever can still run at a moment runs first, then the clock leaps to what comes next. */
import { setImmediate as nextTurn } from 'node:timers/promises'

export interface VirtualTime {
  /** True time, ms UTC. */
  readonly now: number
  /** How much is still to come. */
  readonly waiting: number
  /** Answers how to cancel it. */
  at(when: number, act: () => void): () => void
  /** Lets time pass until `work` has settled. @throws when nothing is left that could settle it */
  until<T>(work: Promise<T>): Promise<T>
  pass(ms: number): Promise<void>
}

interface Event {
  readonly when: number
  readonly order: number
  act: (() => void) | undefined
}

export function createTime(start: number): VirtualTime {
  let now = start
  let order = 0
  const heap: Event[] = []

  const isBefore = (a: Event, b: Event) => a.when < b.when || (a.when === b.when && a.order < b.order)

  function push(event: Event): void {
    let at = heap.push(event) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (!isBefore(event, heap[parent])) break
      heap[at] = heap[parent]
      at = parent
    }
    heap[at] = event
  }

  function pop(): Event | undefined {
    const first = heap.at(0)
    const last = heap.pop()
    if (last === undefined || heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1], heap[child])) child++
      if (!isBefore(heap[child], last)) break
      heap[at] = heap[child]
      at = child
    }
    heap[at] = last
    return first
  }

  function at(when: number, act: () => void): () => void {
    const event: Event = { when: Math.max(now, when), order: order++, act }
    push(event)
    return () => {
      event.act = undefined
    }
  }

  async function until<T>(work: Promise<T>): Promise<T> {
    let settled = false
    const settle = () => {
      settled = true
    }
    work.then(settle, settle)
    for (;;) {
      await nextTurn()
      if (settled) return work
      let event = pop()
      while (event !== undefined && event.act === undefined) event = pop()
      if (event === undefined) throw new Error('Nothing is left that could happen')
      now = Math.max(now, event.when)
      const { act } = event
      event.act = undefined
      act?.()
    }
  }

  return {
    get now() {
      return now
    },
    get waiting() {
      return heap.filter(({ act }) => act !== undefined).length
    },
    at,
    until,
    pass: (ms) => until(new Promise<void>((resolve) => at(now + ms, resolve))),
  }
}
