/** Running programs that permission bits hold back, also where the tests run as root. */
import { execFileSync } from 'node:child_process'

/** Root passes every permission bit by these two capabilities; a program that starts without them obeys the bits as anybody does. */
const withoutPassing = ['dac_override', 'dac_read_search'].map((name) => `-${name}`).join(',')

/** What to put before a command line so that permissions count; undefined where root cannot be held back (no setpriv, or not allowed). */
export function heldByPermissions(): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return []
  const words = ['setpriv', `--bounding-set=${withoutPassing}`, `--inh-caps=${withoutPassing}`]
  try {
    execFileSync(words[0], [...words.slice(1), 'true'], { stdio: 'ignore' })
    return words
  } catch {
    return undefined
  }
}
