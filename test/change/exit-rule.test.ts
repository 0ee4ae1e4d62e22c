/**
 * A new exit rule: the files to touch, and what notices each half-done change. Done on a copy of the real source: hours after which a deal is
 * closed at the close of a candle.
 */
import { expect, it } from 'vitest'
import { isLong } from '../support/share.ts'
import { inTurn } from './in-turn.ts'
import { filesOnTheMap } from './map.ts'
import { compileErrors, type Edit, inCopyWith, runInside, runTest, typeErrors, WRITE_TABLE_TYPES } from './mutant.ts'

const contract = 'src/contract/bot.ts'
const steps = 'src/engine/deal-steps.ts'
const layout = 'src/engine/jump/layout.ts'
const walk = 'src/engine/jump/assembly/walk.ts'
const migrations = 'src/workbench/store/schema/later-layouts.ts'
const naive = 'test/engine/naive-bot.ts'

const row: readonly Edit[] = [
  { file: contract, find: "  isDemo: 'boolean',\n", replace: "  maxDealHours: 'number',\n  isDemo: 'boolean',\n" },
  {
    file: contract,
    find: '} as const satisfies Readonly<Record<string, FieldRow>>',
    replace: `  maxDealHours: {
    column: 'max_deal_hours',
    title: 'max hours',
    unit: 'count',
    bounds: { min: 0, max: 100_000 },
    fallback: 0,
    tries: [0, 2, 9],
    says: 'Hours after which the whole position is sold at the close; 0 = none',
    since: 20,
  },
} as const satisfies Readonly<Record<string, FieldRow>>`,
  },
]
const exit: Edit = {
  file: contract,
  find: '} as const satisfies Readonly<Record<string, ExitRow>>',
  replace: `  timeUp: { order: 'market', says: 'time is up', mark: ' ■ time' },
} as const satisfies Readonly<Record<string, ExitRow>>`,
}
const step: Edit = {
  file: steps,
  find: '): PathEnd {\n  const { filled, levels, feeRate } = deal\n',
  replace: `): PathEnd {
  const end = passOrders(deal, candle, intrabar)
  const { maxDealHours } = deal.config
  const isUp = maxDealHours > 0 && candle.openTime - deal.openedAt >= maxDealHours * 3_600_000
  return end.exit !== null || !isUp ? end : { ...end, exit: 'timeUp', price: candle.close }
}

function passOrders(deal: DealState, candle: Candle, intrabar: Conventions['intrabar']): PathEnd {
  const { filled, levels, feeRate } = deal
`,
}
const kernel: readonly Edit[] = [
  {
    file: layout,
    find: 'export const STOPPED_OUT = 5\n',
    replace: 'export const STOPPED_OUT = 5\nexport const TIME_UP = 6\n',
  },
  {
    file: layout,
    find: 'export const FLOATS = 15\n',
    replace: 'export const FLOATS = 16\nexport const FIELD_MAX_DEAL_HOURS = 15\n',
  },
  { file: walk, find: '  FIELD_INVESTMENT,\n', replace: '  FIELD_INVESTMENT,\n  FIELD_MAX_DEAL_HOURS,\n' },
  { file: walk, find: '  TAKE_PROFIT,\n', replace: '  TAKE_PROFIT,\n  TIME_UP,\n' },
  { file: walk, find: '  cap,\n', replace: '  cap,\n  close,\n' },
  {
    file: walk,
    find: '    const need = load<f64>(af, NEED * 8)\n',
    replace: `    const need = load<f64>(af, NEED * 8)
    const dealMs = load<f64>(af, FIELD_MAX_DEAL_HOURS * 8) * 3600000
    let atClose: f64 = 0
`,
  },
  {
    file: walk,
    find: `      i = Search.nextTouch(i, to, floor, ceiling)
      if (i >= to) break
      const held = row
      let kind = SOLD
`,
    replace: `      const up = dealMs > 0 ? timeUpAt(start, i, to, dealMs) : to
      i = Search.nextTouch(i, up < to ? up + 1 : to, floor, ceiling)
      const isUp = up < to && i >= up
      if (isUp) i = up
      if (i >= to) break
      const held = row
      let kind = isUp && load<f64>(high + (usize(i) << 3)) < ceiling ? BOUGHT : SOLD
`,
  },
  {
    file: walk,
    find: '      if (logs) {\n        const sold = kind == STOPPED_OUT ? stopFill :',
    replace: `      if (isUp && kind == BOUGHT) {
        kind = TIME_UP
        atClose = load<f64>(close + (usize(i) << 3))
        most = max(most, max(worthAtTarget(held, scale, levelsPerDeal), worthAtTarget(row, scale, levelsPerDeal)))
      }

      if (logs) {
        const sold = kind == TIME_UP ? atClose : kind == STOPPED_OUT ? stopFill :`,
  },
  {
    file: walk,
    find: '      if (kind == STOPPED_OUT) profit = profitAt(row, scale, stopFill)\n',
    replace: `      if (kind == TIME_UP) profit = profitAt(row, scale, atClose)
      else if (kind == STOPPED_OUT) profit = profitAt(row, scale, stopFill)
`,
  },
  { file: walk, find: '          kind != STOPPED_OUT\n', replace: '          kind < STOPPED_OUT\n' },
  {
    file: walk,
    find: 'risk.resolveClosed(watch, trailEnd, i, kind, row,',
    replace: 'risk.resolveClosed(watch, trailEnd, i, kind == TIME_UP ? SOLD_AFTER_LOW : kind, row,',
  },
  {
    file: walk,
    find: '/** From the open of one candle to the end of another, ms. */\n',
    replace: `/** The first candle at or after \`from\` that opens so long after the deal; \`to\` where none does before it. */
function timeUpAt(start: i32, from: i32, to: i32, dealMs: f64): i32 {
  const due = load<f64>(openTime + (usize(start) << 3)) + dealMs
  let i = start + i32(min(Math.ceil(dealMs / intervalMs), f64(to - start)))
  while (i > from && load<f64>(openTime + (usize(i - 1) << 3)) >= due) i--
  return i
}

/** From the open of one candle to the end of another, ms. */
`,
  },
]
const column: Edit = {
  file: migrations,
  find: '  plainStates, // 27\n',
  replace: `  plainStates, // 27
  'alter table trial add column max_deal_hours real not null default 0; alter table screen_result add column max_deal_hours real not null default 0;',\n`,
}
const secondReading: Edit = {
  file: naive,
  find: '      state = { ...kept.end, closed: null }\n',
  replace: `      const open = kept.end.deal
      if (open !== null && config.maxDealHours > 0) {
        const hours = (candles.openTime[i] - open.openedAt) / 3_600_000
        if (hours >= config.maxDealHours) kept = { low: kept.low, end: sell(kept.end, open, 'timeUp', close) }
      }
      state = { ...kept.end, closed: null }
`,
}
const WHOLE = [...row, exit, step, ...kernel, column, secondReading]

const law = 'test/engine/obedience.test.ts'

/** `npm run kernel`, in a copy. */
const compile = `
import { writeFileSync } from 'node:fs'
import { compileKernel, kernelModule } from './test/engine/kernel/compile.ts'
writeFileSync('src/engine/jump/kernel-code.ts', kernelModule(process.cwd(), await compileKernel(process.cwd())))
`

/** What a test of a copy says; it must be red. */
async function redIn(edits: readonly Edit[], test: string, only: string): Promise<string> {
  const { code, stdout, stderr } = await inCopyWith(edits, (folder) => runTest(folder, test, only))
  expect(code).not.toBe(0)
  return `${stdout}${stderr}`
}

it('a new exit rule is six files, as the map says', () => {
  const files = [...new Set(WHOLE.map(({ file }) => file))]
  expect(files.length).toBeLessThanOrEqual(6)
  expect(filesOnTheMap('an exit rule, or a field of a configuration')).toEqual(expect.arrayContaining(files))
})

// A kernel is built, all is compiled and seven files of tests run: a minute.
it.runIf(isLong)('with all of them source and tests compile, and every engine obeys and means the same', async () => {
  const found = await inCopyWith(WHOLE, async (folder) => [
    ...(await runInside(folder, compile)),
    ...(await runInside(folder, WRITE_TABLE_TYPES)),
    ...(await typeErrors(folder)),
    ...(await failuresIn(folder)),
  ])
  expect(found).toEqual([])
})

/** What turns red in a copy of the tests that hold engines, store and names of configurations. */
async function failuresIn(folder: string): Promise<string[]> {
  const found: string[] = []
  for (const test of [
    law,
    'test/engine/naive-bot.test.ts',
    'test/engine/jump/agreement.test.ts',
    'test/engine/jump/sweep.test.ts',
    'test/engine/live.test.ts',
    'test/workbench/store/metric-columns.test.ts',
    'test/workbench/study/pinned-studies.test.ts',
  ]) {
    const { code, stdout } = await runTest(folder, test)
    if (code !== 0) found.push(`${test}\n${stdout}`)
  }
  return found
}

it.runIf(inTurn(isLong, import.meta.url))('a row that no engine reads is missed by name, in each of them', async () => {
  for (const engine of ['reference', 'jump', 'sweep', 'live']) {
    const only = `the ${engine} engine.*obeys maxDealHours`
    expect(await redIn(row, law, only)).toContain('obeys maxDealHours')
  }
})

it.runIf(inTurn(isLong, import.meta.url))('a rule that the kernel lacks is missed by name', async () => {
  const said = await redIn([...row, exit, step], law, 'mean the same by maxDealHours')
  expect(said).toMatch(/jump .*timeUp|jump \.metrics/)
  expect(await redIn([...row, exit, step], law, 'sweep engine.*obeys maxDealHours')).toContain('obeys maxDealHours')
})

it.runIf(inTurn(isLong, import.meta.url))('a way to close a deal that is no exit does not compile', async () => {
  const errors = await compileErrors([...row, step])
  // The types of the tables miss its columns, too; they are written by a command.
  const others = errors.filter((error) => !/'max_deal_hours' is missing|CONFIG_COLUMNS/.test(error))
  expect(others).toEqual([expect.stringMatching(/^src\/engine\/deal-steps\.ts[\s\S]*timeUp/)])
})

it.runIf(inTurn(isLong, import.meta.url))('a field without its columns is missed by name', async () => {
  const columns = 'test/workbench/store/metric-columns.test.ts'
  expect(await redIn([...row, exit, step], columns, 'every field of a configuration')).toContain('max_deal_hours')
})

it.runIf(inTurn(isLong, import.meta.url))(
  'a rule that was not written a second time, in other words, is missed by name',
  async () => {
    const once = WHOLE.filter((edit) => edit !== secondReading)
    const { code, stdout } = await inCopyWith(once, async (folder) => {
      expect(await runInside(folder, compile)).toEqual([])
      return runTest(folder, 'test/engine/naive-bot.test.ts', 'independent readings')
    })
    expect(code).not.toBe(0)
    expect(stdout).toContain('two independent readings of the rules agree')
  },
)

it.runIf(inTurn(isLong, import.meta.url))('a field that the kernel does not read breaks the law', async () => {
  const unread: Edit = {
    file: 'src/engine/jump/flight.ts',
    find: 'floats[af + own] = config[field]',
    replace: 'floats[af + own] = config.investment',
  }
  expect(await redIn([unread], law, 'mean the same by dcaTotalBudget')).toContain('jump .')
})

it.runIf(inTurn(isLong, import.meta.url))('a field that the running bot does not read breaks the law', async () => {
  const unread: Edit = {
    file: 'src/engine/live.ts',
    find: 'createLevelWriter(ladderTerms(config,',
    replace: 'createLevelWriter(ladderTerms({ ...config, takeProfit: 1 },',
  }
  expect(await redIn([unread], law, 'the live engine.*obeys takeProfit:')).toContain('the live engine')
})

it.runIf(inTurn(isLong, import.meta.url))(
  'a field that the canonical key does not hold breaks the law: two configurations share a result',
  async () => {
    const unread: Edit = {
      file: 'src/engine/jump/canonical.ts',
      find: 'keys[to + 1] = rows[from + TAKE_PROFIT]',
      replace: 'keys[to + 1] = 0',
    }
    expect(await redIn([unread], law, 'mean the same by takeProfit')).toContain('sweep row')
  },
)
