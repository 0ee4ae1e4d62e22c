/** What the guide tells a reader to type works: every page's blocks, one after the other in one folder, as the pages come. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commandsBelow, commandTree } from '../support/command-tree.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type Answer, type Program, program } from '../support/program.ts'
import { type Block, readBlocks } from './blocks.ts'

const guide = new URL('../../src/guide/', import.meta.url)
const listed = [...readFileSync(new URL('README.md', guide), 'utf8').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
  ([, page]) => page,
)
const commands = commandsBelow(commandTree())

const EXCHANGE_INFO = {
  symbols: [
    {
      symbol: 'BTCUSDT',
      status: 'TRADING',
      baseAsset: 'BTC',
      quoteAsset: 'USDT',
      filters: [
        { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01000000' },
        { filterType: 'LOT_SIZE', minQty: '0.00001', stepSize: '0.00001000' },
        { filterType: 'NOTIONAL', minNotional: '5.00000000', applyMinToMarket: true },
      ],
    },
  ],
}

/** Recipes of these pages have tests of their own, which also kill what they start. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'many-machines.md': 'test/guide/many-machines.test.ts',
  'agents.md': 'test/guide/agents.test.ts',
  'long-runs.md': 'test/guide/long-runs.test.ts',
}

const pages = [...new Set(listed)].filter((page) => readBlocks(page).length > 0)
const home = process.cwd()
const folder = temporaryFolder()
let dcalab: Program

/** What stands for a name that only the reader knows. */
async function fillIn(word: string): Promise<string> {
  if (word === '<bot>') return firstOf('bots list', 'id')
  if (word === '<key>') return firstOf('serve keys list', 'prefix')
  if (word === '<trial>') return firstOf('leaderboard my-ladder', 'fingerprint')
  if (word === 'team/anna.sqlite') await dcalab(['store', 'backup', word])
  return word
}

async function firstOf(command: string, field: string): Promise<string> {
  const { out } = await dcalab([...command.split(' '), '--json'])
  const [first] = JSON.parse(out)
  return String(first[field])
}

/** Minutes of a market under a name that only recorded candles have: made up, written as CSV, imported. */
async function prepareCandles(market: string, from: string, days: number, seed: string): Promise<string> {
  const file = `${market.split('/')[1].replace('-', '')}-1m-${from.slice(0, 7)}.csv`
  const made = ['--market', 'synthetic/GUIDE-USDT', '--candles-dir', `made-${seed}`]
  for (const call of [
    ['candles', 'generate', ...made, '--from', from, '--days', String(days), '--seed', seed],
    ['candles', 'export', 'synthetic/GUIDE-USDT', '--candles-dir', `made-${seed}`, '--out', file],
    ['candles', 'import', file, '--market', market],
  ]) {
    const { code, err } = await dcalab(call)
    if (code !== 0) throw new Error(`dcalab ${call.join(' ')}: ${err}`)
  }
  return file
}

beforeAll(async () => {
  process.chdir(folder)
  mkdirSync('data')
  dcalab = program(folder, {
    DCALAB_STORE: 'data/workbench.sqlite',
    DCALAB_SERVICE_STORE: 'data/service.sqlite',
    DCALAB_CANDLES: 'data/candles',
  })
  await prepareCandles('binance/BTC-USDT', '2021-04-21', 28, '1')
  await prepareCandles('binance/BTC-USDT', '2024-01-01', 31, '2')
  await prepareCandles('binance/ETH-USDT', '2025-07-20', 14, '3')
  writeFileSync('question.sql', 'select count(*) as trials from answers where study = :study limit :top')
  writeFileSync('bot.yaml', readFileSync(new URL('../../studies/three-commas-eth.yaml', import.meta.url)))
  writeFileSync('exchangeInfo.json', JSON.stringify(EXCHANGE_INFO))
  mkdirSync('team')
  mkdirSync('studies')
  for (const name of readdirSync(new URL('../../studies/', import.meta.url)).filter((each) => each.endsWith('.yaml')))
    writeFileSync(join('studies', name), readFileSync(new URL(`../../studies/${name}`, import.meta.url)))
})
afterAll(() => process.chdir(home))

async function run({ lines, place }: Block): Promise<void> {
  for (const { args, into, text } of lines) {
    if (args === undefined) throw new Error(`${place}: only dcalab is run here, not: ${text}`)
    const answer: Answer = await dcalab(await Promise.all(args.map(fillIn)))
    if (into !== undefined) writeFileSync(into, answer.out)
    expect({ text, code: answer.code, err: answer.code === 0 ? '' : answer.err }).toEqual({ text, code: 0, err: '' })
  }
}

describe.each(pages)('%s', (page) => {
  const blocks = readBlocks(page)

  it('names only commands and flags that there are', () => {
    const wrong = blocks.flatMap(({ lines, place }) =>
      lines.flatMap(({ args = [], text }) => {
        if (args.length === 0) return []
        const command = commands.findLast(({ path }) => `${args.join(' ')} `.startsWith(`${path.trim()} `))?.command
        const flags = args.filter((word) => /^--[a-z]/.test(word)).map((word) => word.split('=')[0])
        const known = command?.options.map(({ long }) => long) ?? []
        return command === undefined || flags.some((flag) => !known.includes(flag)) ? [`${place}: ${text}`] : []
      }),
    )
    expect(wrong).toEqual([])
  })

  const toRun = blocks.filter(({ notRun }) => notRun === undefined)
  it.skipIf(toRun.length === 0 || page in ELSEWHERE)('does what it says', async () => {
    for (const block of toRun) await run(block)
  })
})
