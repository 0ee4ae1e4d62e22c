/**
 * `npm run relock` after every change of a dependency: makes package-lock.json from nothing and installs from it.
 *
 * npm forgets one line. better-sqlite3 carries its binaries and says `"gypfile": false`, so that nothing is compiled; a lockfile does not keep that,
 * and `npm ci` would call node-gyp, which fails without Python, headers and a compiler. Written into the lockfile by hand, the line is obeyed (npm 10
 * and 11; `allowScripts` in package.json says the same to npm 11 alone). `test/package/lockfile.test.ts` misses it when it is gone.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const lockfile = `${root}package-lock.json`

rmSync(`${root}node_modules`, { recursive: true, force: true })
rmSync(lockfile, { force: true })
npm('install', '--package-lock-only', '--ignore-scripts')
const lock = JSON.parse(readFileSync(lockfile, 'utf8'))
lock.packages['node_modules/better-sqlite3'].gypfile = false
writeFileSync(lockfile, `${JSON.stringify(lock, null, 2)}\n`)
npm('ci')

function npm(...args) {
  execFileSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' })
}
