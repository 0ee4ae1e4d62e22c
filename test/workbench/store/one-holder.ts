/** H11: eight processes reach for the right to submit in the same moment. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { expect } from 'vitest'
import { folderInMemory } from '../../support/folder.ts'

const processes = 8

/** Told a name, it reaches for that lock and says what came of it; told `release`, it lets go. */
const contender = `
import { createInterface } from 'node:readline'
import { holdLock } from './lock.ts'
const [, , folder] = process.argv
let lock
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'release') lock?.release(), (lock = undefined), console.log('released')
  else {
    try {
      lock = holdLock({ path: folder + '/none.sqlite' }, { identity: line, folder })
      console.log('held ' + process.pid)
    } catch (error) {
      console.log('refused ' + error.code + ' ' + error.message)
    }
  }
}`

interface Contender {
  readonly child: ChildProcess
  ask(line: string): Promise<string>
}

/** So many rounds, each for a lock that nobody has held before. */
export async function reachAtOnce(rounds: number): Promise<void> {
  const folder = folderInMemory()
  const program = await buildContender()
  const contenders = Array.from({ length: processes }, () => startContender(program, folder))
  const bad: string[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      const answers = await Promise.all(contenders.map(({ ask }) => ask(`key ${round}`)))
      const holders = answers.filter((answer) => answer.startsWith('held'))
      const refused = answers.filter((answer) => /^refused keyBusy .* already using this key/.test(answer))
      if (holders.length !== 1 || refused.length !== processes - 1) bad.push(`round ${round}: ${answers.join(', ')}`)
      // A killed holder is followed at once; every tenth round, because a new process takes its time.
      if (round % 10 === 9) {
        const holder = answers.findIndex((answer) => answer.startsWith('held'))
        const heir = contenders[(holder + 1) % processes]
        const { child } = contenders[holder]
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
        const answer = await heir.ask(`key ${round}`)
        if (!answer.startsWith('held')) bad.push(`round ${round}: after a kill ${answer}`)
        contenders[holder] = startContender(program, folder)
      }
      await Promise.all(contenders.map(({ ask }) => ask('release')))
    }
  } finally {
    for (const { child } of contenders) child.kill('SIGKILL')
    rmSync(program, { force: true })
  }
  process.stdout.write(`H11: ${bad.length} bad in ${rounds} rounds of ${processes} processes at once\n`)
  expect(bad).toEqual([])
}

function startContender(program: string, folder: string): Contender {
  const child = spawn(process.execPath, [program, folder], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  return {
    child,
    ask: async (line) => {
      const answer = once(lines, 'line')
      child.stdin.write(`${line}\n`)
      return String((await answer)[0])
    },
  }
}

/** Built inside the project, where better-sqlite3 is found. */
async function buildContender(): Promise<string> {
  const outfile = fileURLToPath(new URL(`../../../dist/test-lock-${process.pid}.mjs`, import.meta.url))
  await build({
    stdin: { contents: contender, resolveDir: fileURLToPath(new URL('../../../src/workbench/store', import.meta.url)) },
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['better-sqlite3'],
  })
  return outfile
}
