/** What befalls a world besides crashes and a bad network: another client, stepping clocks, a closed lid, an analyst. */
import Database from 'better-sqlite3'
import { day, hour, minute } from '../workbench/run/setup.ts'
import type { Machine } from './program.ts'
import type { Random } from './random.ts'
import type { SimService } from './service.ts'
import type { VirtualTime } from './time.ts'

/** Another client of the key. Until `end`, as all of these. */
export function useKeyElsewhere(time: VirtualTime, service: SimService, random: Random, end: number): void {
  let n = 0
  const next = () => {
    if (time.now > end) return
    service.submitForeign(n++, time.now)
    time.at(time.now + random.between(minute, 90 * minute), next)
  }
  time.at(time.now + hour, next)
}

export function stepClocks(machine: Machine, random: Random, end: number): void {
  const { time } = machine
  const next = () => {
    if (time.now > end) return
    const size = random.pick([1_000, minute, hour, day, 365 * day, 3_650 * day])
    machine.wallOffset += random.between(-size, size)
    time.at(time.now + random.between(hour, 12 * hour), next)
  }
  time.at(time.now + random.between(0, 6 * hour), next)
}

/** The machine is suspended for a while: clocks go on, programs do not, connections do not survive it. */
export function closeLid(machine: Machine, random: Random, end: number): void {
  const { time } = machine
  const next = () => {
    if (time.now > end) return
    machine.suspendedUntil = time.now + random.between(minute, random.pick([10 * minute, hour, 9 * hour]))
    time.at(machine.suspendedUntil + random.between(hour, 12 * hour), next)
  }
  time.at(time.now + random.between(0, 6 * hour), next)
}

/** Somebody writes to the store with another program for a while. */
export function holdStore(machine: Machine, random: Random): () => void {
  const { time } = machine
  let db: Database.Database | undefined
  const release = () => {
    db?.close()
    db = undefined
  }
  const cancel = time.at(time.now + random.between(0, 20 * minute), () => {
    db = new Database(machine.storePath, { timeout: 0 })
    try {
      db.exec('begin immediate')
    } catch {
      release()
    }
    time.at(time.now + random.between(100, 30_000), release)
  })
  return () => {
    cancel()
    release()
  }
}
