/** The C loops: compiled once, fed with a case file, asked for CPU time and decisions. */
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { DcaSpotConfig } from '../../src/contract/bot.ts'
import type { Candles } from '../../src/engine/candles.ts'
import type { Conventions, Costs, SymbolRules } from '../../src/engine/conventions.ts'
import { createLevels, ladderTerms, orderRules, writeLevels } from '../../src/engine/levels.ts'
import { removeFolder, temporaryFolder } from '../support/folder.ts'

export interface Market {
  readonly conventions: Conventions
  readonly costs: Costs
  readonly symbol: SymbolRules
}

export interface Decisions {
  readonly deals: number
  readonly stops: number
  readonly fills: number
  readonly ambiguous: number
  readonly unaffordable: number
  readonly outOfCash: boolean
  readonly realized: number
}

/** `wide` is the vectorised scan by the widest vectors that the processor has, `avx2` the same by four doubles. */
export type Baseline = 'plain' | 'lean' | 'avx2' | 'wide'

export interface Baselines {
  /** What `wide` compares with at once. */
  readonly vectors: 'AVX-512' | 'AVX2' | 'no vectors'

  /** CPU seconds for all configs, and what was decided for each. */
  run(name: Baseline, caseFile: string): { seconds: number; decisions: Decisions[] }
  writeCase(candles: Candles, configs: readonly DcaSpotConfig[], market: Market): string
  clear(): void
}

/** Undefined where there is no gcc. `sources` = the folder of the C files. */
export function findBaselines(sources: string): Baselines | undefined {
  if (spawnSync('gcc', ['--version']).status !== 0) return undefined
  const folder = temporaryFolder()
  const vectors = findVectors()
  const scan = vectors === 'no vectors' ? 'lean.c' : 'vector.c'
  const builds = { plain: ['plain.c'], lean: ['lean.c'], avx2: [scan, '-mno-avx512f'], wide: [scan] }
  for (const [name, [source, ...flags]] of Object.entries(builds)) {
    const files = [source, 'harness.c'].map((file) => join(sources, file))
    execFileSync('gcc', ['-O3', '-march=native', ...flags, '-std=gnu11', '-o', join(folder, name), ...files, '-lm'])
  }
  let cases = 0
  return {
    vectors,
    run: (name, caseFile) => readAnswer(execFileSync(join(folder, name), [caseFile], { encoding: 'utf8' })),
    writeCase: (candles, configs, market) => {
      const path = join(folder, `case-${cases++}`)
      writeFileSync(path, caseBytes(candles, configs, market))
      return path
    },
    clear: () => removeFolder(folder),
  }
}

/** CPU milliseconds of a C loop for all configs of a case; NaN where there is no compiler. */
export function timeBaseline(baselines: Baselines | undefined, name: Baseline, caseFile: string | undefined): number {
  return caseFile === undefined || baselines === undefined ? Number.NaN : 1000 * baselines.run(name, caseFile).seconds
}

function findVectors(): Baselines['vectors'] {
  const flags = readFileSync('/proc/cpuinfo', 'utf8').match(/^flags.*$/m)?.[0] ?? ''
  return flags.includes(' avx512f') ? 'AVX-512' : flags.includes(' avx2') ? 'AVX2' : 'no vectors'
}

function readAnswer(text: string): { seconds: number; decisions: Decisions[] } {
  const [seconds, ...lines] = text.trimEnd().split('\n')
  const decisions = lines.map((line) => {
    const [deals, stops, fills, ambiguous, , unaffordable, outOfCash, realized] = line.split(' ').map(Number)
    return { deals, stops, fills, ambiguous, unaffordable, outOfCash: outOfCash === 1, realized }
  })
  return { seconds: Number(seconds), decisions }
}

function caseBytes(candles: Candles, configs: readonly DcaSpotConfig[], market: Market): Uint8Array {
  const { open, high, low, close } = candles
  const rules = orderRules(market.symbol, market.conventions.lotRounding)
  const tables = configs.map((config) => {
    const levels = createLevels(config.dcaMaxSafetyOrders)
    const terms = ladderTerms(config, market.conventions, market.costs)
    writeLevels(terms, rules, 1, levels)
    const { orders, price, takeProfit, stop, quantity, cost } = levels
    const head = [orders, config.investment, config.dcaTotalBudget, terms.feeRate, market.costs.slippagePercent / 100]
    const rows = Array.from({ length: orders }, (_, k) => [price[k], takeProfit[k], stop[k], quantity[k], cost[k]])
    return [...head, ...rows.flat()]
  })
  const values = [
    Float64Array.of(close.length, configs.length),
    open,
    high,
    low,
    close,
    Float64Array.from(tables.flat()),
  ]
  return Buffer.concat(values.map((column) => Buffer.from(column.buffer, column.byteOffset, column.byteLength)))
}
