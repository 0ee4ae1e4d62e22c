/**
 * Names the process that made a request, so that others can find out that it has ended. Only a certain end counts: a process that
 * cannot be checked (another container, another boot, a row of an older version) counts as alive, which at worst costs a wait.
 */
import { readFileSync, readlinkSync } from 'node:fs'
import { hostname } from 'node:os'

export interface Owner {
  /** This process. */
  readonly id: string
  /** Whether the process of that id has certainly ended. */
  isGone(id: string): boolean
}

/** Process numbers are unique only within one boot and one process namespace. */
const scope = readScope()

function readScope(): string {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${boot}/${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return hostname() // not Linux: no containers that share both a folder and a host name
  }
}

export const thisProcess: Owner = {
  id: `${process.pid} ${startOf(process.pid) ?? ''} ${scope}`,
  isGone: (id) => {
    const [pid, started, ...rest] = id.split(' ')
    if (rest.join(' ') !== scope || !/^\d+$/.test(pid)) return false
    if (!isProcessRunning(Number(pid))) return true
    // The number may have been given to another process meanwhile; the start time tells them apart.
    const now = startOf(Number(pid))
    return now !== undefined && started !== '' && now !== started
  },
}

/** In this container: another one has other processes under the same numbers. */
export function isProcessRunning(pid: number): boolean {
  try {
    process.kill(pid, 0) // signal 0 only checks that the process exists
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/** Clock ticks from boot to the start of a process: field 22 of its stat line; undefined where the system does not report it. */
function startOf(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field is the program's name in parentheses, and may hold spaces and parentheses itself.
    return stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .at(19)
  } catch {
    return undefined
  }
}
