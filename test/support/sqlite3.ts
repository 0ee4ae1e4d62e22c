/** Debian's `sqlite3` program, which is older than the SQLite inside this program. */
import { execFileSync } from 'node:child_process'

/** Its version; undefined where it is not installed (`apt-get install sqlite3`). */
export function sqlite3Version(): string | undefined {
  try {
    return execFileSync('sqlite3', ['--version'], { encoding: 'utf8' }).split(' ')[0]
  } catch {
    return undefined
  }
}

/** What it answers to one statement, without its last line end. */
export function askSqlite3(file: string, statement: string): string {
  return execFileSync('sqlite3', [file, statement], { encoding: 'utf8' }).trimEnd()
}
