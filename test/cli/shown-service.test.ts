/** A fruitless run on another service hides nothing: shown for every command that reads results, found in the command tree. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsBelow, commandTree } from '../support/command-tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Answer, type Program, program } from '../support/program.ts'
import { STUDY_BASE } from '../support/study-base.ts'
import { API_KEY, goodBody, json, type ScriptedService, SECRET_KEY, scriptedService } from '../workbench/api/world.ts'

const { takeProfit: _, ...base } = STUDY_BASE
const study = {
  name: 'two',
  market: { exchange: 'synthetic', baseAsset: 'T', quoteAsset: 'USDT' },
  period: { from: '2024-01-01', to: '2024-01-05' },
  base,
  objective: { maximize: 'netProfit' },
  grid: { dcaPriceScalePercent: [0.5, 1], takeProfit: [0.5, 1] },
}

const folder = temporaryFolder()
const at = (name: string) => join(folder, name)
let other: ScriptedService
/** The settings name the embedded service, which has all results; or the other one, which refused every submission. */
let fruitful: Program
let fruitless: Program
let trials: readonly string[]

beforeAll(async () => {
  other = await scriptedService((hit, response) =>
    hit.method === 'POST'
      ? json(response, 429, { code: 'ApiKeyBacktestLimit', message: 'no backtests left today' })
      : json(response, 200, goodBody(hit)),
  )
  const common = { XDG_STATE_HOME: folder, DCALAB_USER_EMAIL: 'me@example.org' }
  fruitful = program(folder, common)
  fruitless = program(folder, {
    ...{ ...common, DCALAB_BASE_URL: other.url, DCALAB_API_KEY: API_KEY, DCALAB_SECRET_KEY: SECRET_KEY },
  })
  writeFileSync(at('study.json'), JSON.stringify(study))
  writeFileSync(at('held.json'), JSON.stringify({ ...study, name: 'held', validate: { holdout: '1d' } }))
  await fruitful(['candles', 'generate', '--market', 'synthetic/T-USDT', '--from', '2024-01-01', '--days', '4'])
  for (const file of ['held.json', 'study.json']) {
    expect((await fruitful(['run', at(file)])).code).toBe(0)
    const run = await fruitless(['run', at(file)])
    expect(run.code, run.err).toBe(3)
  }
  const opened = await fruitful(['holdout', 'held', '--test', '--reason', 'the final test', '--yes'])
  expect(opened.code, opened.err).toBe(0)
  trials = parse(await fruitful(['leaderboard', 'two', '--json'])).map(
    (row: { fingerprint: string }) => row.fingerprint,
  )
  expect(trials).toHaveLength(4)
})
afterAll(async () => {
  await other.close()
  expect(fruitless.said() + fruitful.said()).not.toContain('bug:')
})

// biome-ignore lint/suspicious/noExplicitAny: what commands answer with --json is read by tests as it comes
const parse = ({ out }: Answer): any => JSON.parse(out)

/** What is the same whichever service the settings name; of an answer with --json. */
type Same = (answer: Answer) => unknown

interface Reading {
  words(): readonly string[]
  readonly same?: Same
  /** Its text has no line of its own for the service. */
  readonly isTable?: boolean
}

const whole: Same = parse
const studies: Same = (answer) => parse(answer).studies.filter((row: { study: string }) => row.study === 'two')
const best = () => trials[0]

/** How each of them is called. */
const READING: Readonly<Record<string, Reading>> = {
  status: { words: () => ['status', 'two'], same: studies },
  'status (all)': { words: () => ['status'], same: studies, isTable: true },
  'status (watched)': { words: () => ['status', '--watch', '--times', '1'], same: studies, isTable: true },
  leaderboard: { words: () => ['leaderboard', 'two'] },
  show: { words: () => ['show', best()] },
  compare: { words: () => ['compare', ...trials] },
  'service verify': { words: () => ['service', 'verify', best()] },
  verdict: {
    words: () => ['verdict', 'two'],
    same: (answer) => {
      const { judgedAt, ...rest } = parse(answer)
      return rest
    },
  },
  examine: {
    words: () => ['examine', 'two', '--all'],
    same: (answer) => {
      const { examinedAt, ...rest } = parse(answer)
      return rest
    },
  },
  holdout: { words: () => ['holdout', 'held'] },
  'study refine': { words: () => ['study', 'refine', 'two', '--out', at('refined.yaml'), '--force'] },
  report: {
    words: () => ['report', 'two', '--out', at('report.json'), '--format', 'json'],
    same: (answer) => parse(answer).studies,
  },
  export: { words: () => ['export', 'two', '--out', at('held.csv'), '--force'] },
}

/** Promoting makes a bot on the configured service, so it takes the results of no other unless it is asked to. */
const PROMOTING = 'promote'

const ASKS_THE_SERVICE = 'it shows what the service answers now'
const RUNS = 'it runs on the configured service, and shows what came of it there'
const ABOUT_STUDIES = 'it is about the study or the trial itself, on whichever service'
const WHOLE_STORE = 'it is about the whole file'
const LOCAL = 'it shows what is computed here'

/** Commands with a store that show no result of a study on a service, each with the reason. */
const OTHERS: Readonly<Record<string, string>> = {
  demo: RUNS,
  run: RUNS,
  'service calibrate': RUNS,
  'study check': 'it says what a run on the configured service would take',
  'study list': ABOUT_STUDIES,
  'study show': ABOUT_STUDIES,
  'study rename': ABOUT_STUDIES,
  'study archive': ABOUT_STUDIES,
  'study rm': ABOUT_STUDIES,
  sql: 'its rows say of which service they are',
  'store backup': WHOLE_STORE,
  'store merge': WHOLE_STORE,
  'store clean': WHOLE_STORE,
  'store reread': WHOLE_STORE,
  'store check': WHOLE_STORE,
  'service check': ASKS_THE_SERVICE,
  'service draft': ASKS_THE_SERVICE,
  mcp: 'its tools are the commands above',
  screen: LOCAL,
  'screen merge': LOCAL,
  backtest: LOCAL,
  'service limits': ASKS_THE_SERVICE,
  'service symbols': ASKS_THE_SERVICE,
  'bots list': ASKS_THE_SERVICE,
  'bots show': ASKS_THE_SERVICE,
  'bots trades': ASKS_THE_SERVICE,
  'bots compare': 'the bot and the trial that it was made of are those of the service that is asked',
  'bots create': ASKS_THE_SERVICE,
  'bots update': ASKS_THE_SERVICE,
  'bots start': ASKS_THE_SERVICE,
  'bots stop': ASKS_THE_SERVICE,
  'service jobs list': ASKS_THE_SERVICE,
  'service jobs show': ASKS_THE_SERVICE,
  'service jobs delete': ASKS_THE_SERVICE,
  'service jobs resolve': ASKS_THE_SERVICE,
  serve: 'its store is that of the embedded service',
  'serve keys issue': 'its store is that of the embedded service',
  'serve keys list': 'its store is that of the embedded service',
  'serve keys revoke': 'its store is that of the embedded service',
}

function commandsWith(option: string): string[] {
  const having = commandsBelow(commandTree()).filter(({ command }) =>
    command.options.some(({ long }) => long === option),
  )
  return having.map(({ path }) => path.trim()).sort()
}

it('every command with a store shows results of the service that --service chooses, or says here why not', () => {
  const names = Object.keys(READING).map((name) => name.replace(/ \(.*\)$/, ''))
  const reading = [...new Set(names), PROMOTING]
  expect(commandsWith('--service')).toEqual(reading.toSorted())
  expect(commandsWith('--store')).toEqual([...reading, ...Object.keys(OTHERS)].sort())
})

const HEADING = /^results of embedded( \(4 of 4\)|$)/m
const otherName = () => new URL(other.url).host
/** Whatever a command says of a service on which nothing is finished. */
const NOTHING =
  /nothing finished on \S+ \(0 of 4\)|no result under these settings or of this service|two has no finished trial yet|has no results of the hold-out of held/

describe.each(Object.entries(READING))('%s', (_, { words, same = whole, isTable = false }) => {
  it('shows the results of the service that has them, and says so', async () => {
    const [here, there] = [await fruitful([...words(), '--json']), await fruitless([...words(), '--json'])]
    expect([here.code, there.code], there.err).toEqual([0, 0])
    expect(same(there)).toEqual(same(here))
    expect(JSON.stringify(same(there))).toMatch(/"service":"embedded"/)
    const text = await fruitless(words())
    expect(text.code, text.err).toBe(0)
    if (!isTable) expect(text.out).toMatch(HEADING)
    expect(text.out).toMatch(isTable ? /trials 8 of 8 done|embedded/ : HEADING)
    for (const line of text.out.split('\n').filter((one) => /results of|nothing finished|also /.test(one))) {
      expect(line.length).toBeLessThanOrEqual(80)
    }
  })

  it('says that nothing is finished on the other, where that is asked for', async () => {
    const { code, out, err } = await fruitless([...words(), '--service', otherName()])
    if (isTable) {
      const rows = same(await fruitless([...words(), '--service', otherName(), '--json']))
      expect(rows).toMatchObject([{ study: 'two', service: otherName(), total: 4, done: 0 }])
      return
    }
    expect(out + err).toMatch(NOTHING)
    expect(code === 0 ? out : err).toContain('embedded')
  })

  it('lists the services that there are, where a name is none of them', async () => {
    const { code, err } = await fruitless([...words(), '--service', 'nobody.example'])
    expect(code).toBe(2)
    expect(err).toMatch(/nothing of a service "nobody\.example"|no result under these settings or of this service/)
    expect(err).toMatch(/--service embedded: (4 of 4 done|\d+ done|.*net profit)/)
  })
})

describe(PROMOTING, () => {
  it.each([
    ['a study', () => 'two'],
    ['a trial', best],
  ])('of %s takes the results of another service only when it is asked to', async (_, target) => {
    const words = [PROMOTING, target(), '--dry-run', '--json']
    const { code, err } = await fruitless(words)
    expect(code).toBe(2)
    expect(err).toContain('--service embedded')
    const { madeAt: now, hash: own, ...asked } = parse(await fruitless([...words, '--service', 'embedded']))
    const { madeAt: then, hash: usual, ...plan } = parse(await fruitful(words))
    expect(asked).toEqual(plan)
    expect(plan.service).toBe('embedded')
  })
})

it('an export has the rows of one service, and of all only when it is asked for them', async () => {
  const rows = async (...more: string[]) =>
    parse(await fruitless(['export', 'two', '--view', 'trials', '--out', at('rows.csv'), '--force', '--json', ...more]))
      .rows
  expect([await rows(), await rows('--service', otherName()), await rows('--service', 'all')]).toEqual([4, 4, 8])
})
