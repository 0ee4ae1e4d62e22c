/** A statement that never ends is ended: by Ctrl-C, by SIGTERM, by its limit of time, and with its parent, however that dies. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { openStore } from '../../src/workbench/store/store.ts'
import { type Desk, desk, ended, projectRoot } from '../support/dcalab.ts'
import { testSystem } from '../support/system.ts'

/** Its first row comes at once, its second never: whoever has read one row knows that it is being computed. */
const endless = 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n where i = 1 or i < 0'

let at: Desk
const place = () => ({ DCALAB_STORE: join(at.folder, 'workbench.sqlite') })

beforeAll(() => {
  at = desk()
  openStore(join(at.folder, 'workbench.sqlite'), { system: testSystem() }).close()
})

describe.skipIf(process.platform !== 'linux')('a statement without an end', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('is ended by %s with exit code %i, and its process is gone', async (signal, code) => {
    const { run, end, statement } = await startEndless()
    expect(isRunning(statement)).toBe(true)
    run.kill(signal)
    expect(await end).toMatchObject({ code, stderr: expect.stringContaining(`Interrupted by ${signal}`) })
    expect(isRunning(statement)).toBe(false)
  })

  it('is ended by Ctrl-C where nobody reads what it printed so far', async () => {
    const run = at.start(
      ['sql', 'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n', '--format=csv'],
      place(),
    )
    await new Promise((resolve) => run.stdout?.once('readable', resolve)) // and none of it is taken
    const statement = childOf(run)
    const exited = new Promise((resolve) => run.once('exit', resolve))
    run.kill('SIGINT')
    expect(await exited).toBe(130)
    expect(isRunning(statement)).toBe(false)
  })

  it('is ended where Ctrl-C reaches its process alone', async () => {
    const { end, statement } = await startEndless()
    process.kill(statement, 'SIGINT')
    expect(await end).toMatchObject({ code: 130 })
  })

  it('does not outlive a parent that is killed', async () => {
    const { run, end, statement } = await startEndless()
    run.kill('SIGKILL')
    await end
    while (isRunning(statement)) await delay(20)
  })

  it('is said to have been ended from outside where something else killed it', async () => {
    const { end, statement } = await startEndless()
    process.kill(statement, 'SIGKILL')
    expect(await end).toMatchObject({ code: 2, stderr: expect.stringContaining('ended from outside (SIGKILL)') })
  })
})

it('a statement without an end is ended by --timeout, with one error that says so', async () => {
  const { code, stderr } = await at.dcalab(['sql', endless, '--timeout', '0.1'], place())
  expect(code).toBe(2)
  expect(stderr).toBe(
    'error: the statement was stopped after 0.1 s (--timeout)\nhint: ask for fewer rows, or raise --timeout\n',
  )
})

it('a statement that ends in time is not troubled by its limit', async () => {
  const { code, stdout, stderr } = await at.dcalab(
    ['sql', 'select 1 as one', '--timeout', '60', '--format=ndjson'],
    place(),
  )
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '{"one":1}\n', stderr: '' })
})

it.skipIf(process.platform === 'win32')('the process of a statement says nothing when its reader is gone', async () => {
  const statement = spawn(process.execPath, [join(projectRoot, 'dist/sql-worker.js')], {
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
  })
  statement.stdout.destroy()
  const end = ended(statement)
  statement.stdin.end(
    JSON.stringify({ path: join(at.folder, 'workbench.sqlite'), sql: 'select 1 as one', parameters: {} }),
  )
  expect(await end).toMatchObject({ code: 0, stderr: '' })
})

async function startEndless() {
  const run = at.start(['sql', endless, '--format=ndjson'], place())
  const first = new Promise((resolve) => run.stdout?.once('data', resolve))
  const end = ended(run)
  expect(String(await first)).toBe('{"i":1}\n')
  return { run, end, statement: childOf(run) }
}

function childOf({ pid }: ChildProcess): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0])
}

/** A process that has ended, and whose end nobody has taken note of, still has a number; its state is Z then. */
function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.startsWith('Z') === false
  } catch {
    return false
  }
}
