import { execFileSync } from 'node:child_process'

/** True where strace is installed and may trace (Linux, and not every container). */
export function canTrace(): boolean {
  try {
    execFileSync('strace', ['-e', 'trace=none', 'true'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
