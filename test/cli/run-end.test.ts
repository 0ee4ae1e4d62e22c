/** H87: what a run tells programs: its log, line by line, and the command that is run when it has ended. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { exitCodeOf } from '../../src/cli/commands/run.ts'
import type { Context } from '../../src/cli/context.ts'
import { Failure } from '../../src/errors.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'

const KEYS = { DCALAB_TRADE_API_KEY: 'kEyCaNaRy0001', DCALAB_TRADE_SECRET_KEY: 'sEcReTcAnArY0002' }
const study = {
  name: 'hooked',
  market: { exchange: 'synthetic', baseAsset: 'H', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-02' },
  base: STUDY_BASE,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1, 2] },
}

let folder: string
let dcalab: Program
let file: string
/** Run by whatever shell there is, it writes down what it was told, speaks on both its streams and ends with 3. */
let hook: string
beforeAll(async () => {
  folder = temporaryFolder()
  dcalab = program(folder, KEYS)
  await dcalab('candles generate --market synthetic/H-USDT --from 2024-01-01 --days 1 --seed 1'.split(' '))
  file = join(folder, 'study.json')
  writeFileSync(file, JSON.stringify(study))
  const script = join(folder, 'hook.mjs')
  writeFileSync(
    script,
    `import { writeFileSync } from 'node:fs'
    writeFileSync(${JSON.stringify(join(folder, 'told.json'))}, JSON.stringify(process.env))
    console.log('said to stdout')
    console.error('said to stderr')
    process.exitCode = 3`,
  )
  hook = `"${process.execPath}" "${script}"`
})

function told(): Record<string, string> {
  return JSON.parse(readFileSync(join(folder, 'told.json'), 'utf8'))
}

it('the command of --on-end is told by variables how the run ended, and has no key', async () => {
  const { code, out, err } = await dcalab(['run', file, '--max', '2', '--json', '--on-end', hook])
  const summary = JSON.parse(out)
  expect([code, summary.stoppedBy]).toEqual([0, 'limit'])
  expect(err).toContain('said to stdout\n')
  expect(err).toContain('said to stderr\n')
  expect(err).toContain('on-end ended with exit code 3\n')
  expect(told()).toMatchObject({
    DCALAB_RUN_STUDY: 'hooked',
    DCALAB_RUN_EXIT_CODE: '0',
    DCALAB_RUN_STOPPED_BY: 'limit',
    DCALAB_RUN_TOTAL: '3',
    DCALAB_RUN_DONE: '2',
    DCALAB_RUN_FAILED: '0',
    DCALAB_RUN_PENDING: '1',
    DCALAB_RUN_BEST: summary.best.trial,
    DCALAB_RUN_NEXT_AT: '',
    DCALAB_RUN_NEXT_AT_SOURCE: '',
    DCALAB_RUN_FAILURE: '',
    DCALAB_STORE: join(folder, 'workbench.sqlite'),
  })
  expect(JSON.stringify(told())).not.toMatch(new RegExp(Object.values(KEYS).join('|')))
})

it('nothing of a run becomes a part of the command', async () => {
  // A study of this name is refused, and the shell never sees it.
  writeFileSync(join(folder, 'odd.json'), JSON.stringify({ ...study, name: '$(touch pwned); `touch pwned`' }))
  const { code } = await dcalab(['run', join(folder, 'odd.json'), '--on-end', `${hook} hooked`])
  expect([code, told().DCALAB_RUN_EXIT_CODE, told().DCALAB_RUN_FAILURE]).toEqual([2, '2', 'studyInvalid'])
  expect(told().DCALAB_RUN_STUDY).toBe('')
  for (const [name, value] of Object.entries(told()))
    if (name.startsWith('DCALAB_RUN_')) expect(value).toMatch(/^[\w.:-]*$/)
  expect(existsSync(join(folder, 'pwned'))).toBe(false)
})

it('a command that cannot be started is said, and changes nothing of the run', async () => {
  const { code, err } = await dcalab(['run', file, '--dry-run', '--on-end', 'no-such-program-anywhere'])
  expect(code).toBe(0)
  expect(err).toMatch(/on-end ended with exit code (?!0)/)
})

it.skipIf(process.platform === 'win32')('an interrupt ends the command with what it started', async () => {
  const interrupt = new AbortController()
  const other = program(folder, KEYS, { signal: interrupt.signal })
  const begun = join(folder, 'begun')
  const answer = other(['run', file, '--dry-run', '--on-end', `touch "${begun}"; sleep 600; true`])
  await expect.poll(() => existsSync(begun)).toBe(true)
  interrupt.abort()
  expect((await answer).err).toContain('on-end ended with exit code – (it was ended)')
})

it('--log ndjson says everything on stderr as one object a line, and the result stays alone on stdout', async () => {
  const { code, out, err } = await dcalab(['run', file, '--log', 'ndjson', '--on-end', hook])
  expect(code).toBe(0)
  expect(out).toContain('hooked: 3 of 3 done')
  const lines = err
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  for (const { at, kind } of lines) expect([Number.isNaN(Date.parse(at)), typeof kind]).toEqual([false, 'string'])
  expect(lines.find(({ kind }) => kind === 'progress')).toMatchObject({
    total: 3,
    failed: 0,
    reopensAt: null,
    source: null,
  })
  expect(lines.filter(({ kind }) => kind === 'note').map(({ message }) => message)).toEqual(
    expect.arrayContaining(['said to stdout', 'said to stderr']),
  )
  expect(lines.at(-1)).toMatchObject({ kind: 'onEnd', exitCode: 3 })
  expect(lines.find(({ kind }) => kind === 'end')).toMatchObject({
    exitCode: 0,
    study: 'hooked',
    stoppedBy: null,
    trials: { total: 3, done: 3 },
    best: told().DCALAB_RUN_BEST,
  })
})

it('--log ndjson ends with the failure as a line of JSON', async () => {
  const { code, err } = await dcalab(['run', join(folder, 'absent.yaml'), '--log=ndjson'])
  expect(code).toBe(2)
  const lines = err
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(lines).toMatchObject([{ kind: 'end', exitCode: 2, failure: 'usage' }, { error: { code: 'usage' } }])
})

it('whoever interrupts a run that is done, while it is judged, is told so by its exit code', () => {
  const during = (signal: AbortSignal) => ({ signal }) as Context // what is asked of it
  const interrupted = during(AbortSignal.abort(new Failure('interrupted', 'Ctrl-C')))
  const left = during(new AbortController().signal)
  expect(([null, 'interrupt', 'limit'] as const).map((stoppedBy) => exitCodeOf({ stoppedBy }, interrupted))).toEqual([
    130, 130, 0,
  ])
  expect(exitCodeOf({ stoppedBy: null }, left)).toBe(0)
})
