/**
 * The candle folder: `<folder>/<exchange>/<BASE-QUOTE>/<interval>/<YYYY-MM>.arrow`, and `<folder>/symbols.json`. Candles are
 * returned as columns, with the hash of exactly these candles, and merged into the stored months as one change.
 */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CandlesBody } from '../../contract/bodies.ts'
import { findMarket, INTERVAL_NAMES, INTERVALS, type Interval, isInterval } from '../../contract/market.ts'
import { type Candles, sliceCandles } from '../../engine/candles.ts'
import { NO_SYMBOL_RULES, type SymbolRules } from '../../engine/conventions.ts'
import { isSymbolRule } from '../../engine/read-settings.ts'
import { Failure, type Problem, suggest } from '../../errors.ts'
import { partOf, renameOver } from '../../system.ts'
import { checkCandles, FINDINGS } from '../check.ts'
import { type ConflictPolicy, mergeCandles } from '../merge.ts'
import {
  type CandlePeriod,
  combineDigests,
  describePeriod,
  findMissingEdge,
  hashCandles,
  isoTime,
  monthEnd,
  monthOf,
  splitByMonth,
} from '../months.ts'
import { changeMonths, listMarkets, listMonths } from './commit.ts'
import {
  createMonthReader,
  encodeMonth,
  loadMonths,
  type MakeColumns,
  readMonthHeads,
  type StoredMonth,
} from './stored-months.ts'

// `symbols.json` of a candle folder: `{ "binance/BTC-USDT": { "tick": 0.01, "lot": 0.00001, "minNotional": 10 } }`.

const RULE_NAMES = Object.keys(NO_SYMBOL_RULES) as readonly (keyof SymbolRules)[] // keys of a const literal

/** The rules of every market the file names; none when there is no file. @throws Failure candlesInvalid with every problem */
export function readSymbolRules(folder: string): ReadonlyMap<string, SymbolRules> {
  const path = join(folder, 'symbols.json')
  const content = parseJson(path)
  const rules = new Map<string, SymbolRules>()
  if (content === undefined) return rules
  const problems: Problem[] = []
  if (!isRecord(content)) problems.push({ place: path, message: 'expected an object of markets' })
  for (const [market, value] of isRecord(content) ? Object.entries(content) : []) {
    const place = `${path}: ${market}`
    if (findMarket(market) === undefined) {
      problems.push({ place, message: 'expected a market such as binance/BTC-USDT' })
    } else if (isRecord(value)) {
      problems.push(...ruleProblems(place, value))
      const rule = (name: keyof SymbolRules) => (typeof value[name] === 'number' ? value[name] : null)
      rules.set(market, { tick: rule('tick'), lot: rule('lot'), minNotional: rule('minNotional') })
    } else {
      problems.push({ place, message: `expected an object with ${RULE_NAMES.join(', ')}` })
    }
  }
  if (problems.length === 0) return rules
  throw new Failure(
    'candlesInvalid',
    `${path} has ${problems.length === 1 ? 'a problem' : `${problems.length} problems`}`,
    {
      problems,
      hint: 'correct the file; a rule is a number above 0, or null when it is not enforced',
    },
  )
}

/** Writes the rules of the given markets; the rules of others stay as they are. @throws Failure candlesInvalid, storeUnusable */
export function saveSymbolRules(folder: string, rules: ReadonlyMap<string, SymbolRules>): void {
  const path = join(folder, 'symbols.json')
  const all = new Map([...readSymbolRules(folder), ...rules])
  const text = `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`
  try {
    mkdirSync(folder, { recursive: true })
    const part = partOf(path)
    writeFileSync(part, text)
    renameOver(part, path)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('storeUnusable', `cannot write ${path}: ${reason}`, { cause })
  }
}

function ruleProblems(place: string, rules: Readonly<Record<string, unknown>>): Problem[] {
  return Object.entries(rules).flatMap(([name, value]) => {
    const rule = RULE_NAMES.find((known) => known === name)
    if (rule === undefined) {
      return [{ place, message: `unknown rule "${name}"; known are ${RULE_NAMES.join(', ')}` }]
    }
    if (isSymbolRule(rule, value)) return []
    return [{ place, message: `${name} must be null or a number above 0, found ${JSON.stringify(value)}` }]
  })
}

function parseJson(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `cannot read ${path}: ${reason}`, { cause, hint: 'make the file readable' })
  }
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new Failure('candlesInvalid', `${path} is not JSON: ${reason}`, { cause, hint: 'correct the file' })
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

// Merges candles into the stored months of their market and interval, as one change.

/** A failure names this many places and counts the rest. */
const namedProblems = 20

/** @throws Failure candlesInvalid unless an engine can use the candles: not empty, ordered, aligned, possible */
function refuseUnstorable(candles: Candles, name: string, intervalMs: number): void {
  if (candles.openTime.length === 0) throw new Failure('candlesInvalid', `there is no candle of ${name} to store`)
  if (candles.intervalMs !== intervalMs) {
    throw new Failure('candlesInvalid', `candles of ${candles.intervalMs} ms cannot be stored as ${name}`)
  }
  const findings = checkCandles(candles).findings.filter(({ severity }) => severity === 'refuse')
  if (findings.length === 0) return
  throw new Failure('candlesInvalid', `the candles of ${name} cannot be stored`, {
    problems: findings.map(({ code, count, first }) => ({
      place: first !== null && Math.abs(first) <= 8.64e15 ? isoTime(first) : name, // the range of Date
      message: `${code}: ${FINDINGS[code]} (${count} in all)`,
    })),
  })
}

/** Merges month by month and stores the months that changed. @throws Failure candlesInvalid when a refused conflict is found */
function mergeIntoMonths(
  folder: string,
  request: {
    readonly market: string
    readonly interval: Interval
    readonly candles: Candles
    readonly synthetic: boolean
    readonly conflict: ConflictPolicy
  },
): { added: number; same: number; conflicting: number } {
  const { market, interval, candles, conflict } = request
  return changeMonths(folder, (write) => {
    const stored = new Map(listMonths(folder).map(({ month, path }) => [month, path]))
    const reader = createMonthReader()
    const conflicts: number[] = []
    let added = 0
    let same = 0
    for (const { month, candles: incoming } of splitByMonth(candles)) {
      const path = stored.get(month)
      if (path === undefined) {
        write(month, encodeMonth(incoming, request))
        added += incoming.openTime.length
        continue
      }
      const merge = mergeCandles(reader.read(path, month).candles, incoming, conflict)
      if (merge.changed) write(month, encodeMonth(merge.candles, request))
      added += merge.added
      same += merge.same
      for (const time of merge.conflicts) conflicts.push(time)
    }
    if (conflict === 'refuse' && conflicts.length > 0) throw conflictsRefused(`${market} ${interval}`, conflicts)
    return { added, same, conflicting: conflicts.length }
  })
}

/** @throws Failure candlesInvalid when a stored candle differs; nothing is written */
function refuseConflicts(
  folder: string,
  { market, interval, candles }: { readonly market: string; readonly interval: Interval; readonly candles: Candles },
): void {
  const stored = new Map(listMonths(folder).map(({ month, path }) => [month, path]))
  const reader = createMonthReader()
  const conflicts = splitByMonth(candles).flatMap(({ month, candles: incoming }) => {
    const path = stored.get(month)
    return path === undefined ? [] : mergeCandles(reader.read(path, month).candles, incoming, 'keep').conflicts
  })
  if (conflicts.length > 0) throw conflictsRefused(`${market} ${interval}`, conflicts)
}

function conflictsRefused(name: string, conflicts: readonly number[]): Failure {
  const named = conflicts.slice(0, namedProblems).map((time) => ({
    place: `${name} ${isoTime(time)}`,
    message: 'differs from the stored candle',
  }))
  return new Failure('candlesInvalid', `${conflicts.length} candles of ${name} differ from what is stored`, {
    problems: named,
    hint: 'choose --conflict keep (the stored ones stay) or replace (the new ones win); the folder is unchanged',
    details: { conflicting: conflicts.length },
  })
}

interface StoredStretch {
  /** Open time of the first candle, ms UTC. */
  readonly from: number
  /** Open time of the last candle + interval, ms UTC. */
  readonly to: number
  readonly count: number
  readonly missing: number
  readonly hash: string
  readonly synthetic: boolean
}

/** The stored candles of one market and interval, from its first candle to its last; times in ms UTC. */
export interface StoredCandles extends StoredStretch {
  readonly market: string
  readonly interval: Interval
  /** Oldest first, not empty. */
  readonly stretches: readonly StoredStretch[]
}

export interface LoadedCandles {
  readonly candles: Candles
  readonly info: CandlesBody
}

/**
 * Everything the folder holds, by market, finest interval first. Reads only the heads of the files, not the candles.
 * @throws Failure candlesInvalid when a stored file is not one of ours
 */
export function listCandles(folder: string): StoredCandles[] {
  return listMarkets(folder).flatMap((market) =>
    INTERVAL_NAMES.flatMap((interval) => findStored(folder, market, interval) ?? []),
  )
}

/**
 * The stored candles of a market with from ≤ open time < to. Interval null: the finest one that covers the period. A gap
 * inside the period is no failure; it is counted in `info.missing`.
 * @throws Failure candlesMissing when the market is not stored, or lacks the first or the last candle of the period
 * @throws Failure candlesInvalid when a stored file was damaged or changed by another program
 */
export function loadCandles(
  folder: string,
  request: CandlePeriod & {
    readonly market: string
    readonly interval?: Interval | null
    readonly makeColumns?: MakeColumns
  },
): LoadedCandles {
  const { market, interval: asked = null } = request
  const problems: Problem[] = []
  for (const interval of asked === null ? INTERVAL_NAMES : [asked]) {
    const months = intervalFolder(folder, market, interval)
    if (listMonths(months).length === 0) continue
    const range = loadMonths(months, interval, request)
    if (typeof range === 'object') return { candles: range.candles, info: candlesInfo({ market, interval, ...range }) }
    problems.push({
      place: `${market} ${interval}`,
      message: `${range}; ${describeStretches(readMonthHeads(months, interval), interval)}`,
    })
  }
  const wanted = asked === null ? market : `${market} ${asked}`
  if (problems.length > 0) {
    throw new Failure('candlesMissing', `the stored candles of ${wanted} do not cover ${describePeriod(request)}`, {
      problems,
      hint: 'import candles that cover the period, or choose a period inside what is stored',
    })
  }
  const others = INTERVAL_NAMES.filter((interval) => listMonths(intervalFolder(folder, market, interval)).length > 0)
  if (others.length > 0) {
    const resample = `\`dcalab candles resample ${market} --into ${asked ?? '1h'}\``
    throw new Failure('candlesMissing', `no candles of ${wanted} are stored, only of ${others.join(', ')}`, {
      hint: `use a stored interval, import the missing one into ${folder}, or make it from a finer one: ${resample}`,
    })
  }
  const stored = listMarkets(folder)
  throw new Failure('candlesMissing', `no candles of ${wanted} are stored${suggest(market, stored)}`, {
    hint: `${folder} holds ${stored.length === 0 ? 'none' : `those of ${stored.join(', ')}`}; import some: \`dcalab candles import <file>\``,
  })
}

/** The same, or why they are not there. @throws Failure candlesInvalid as above */
export function findCandles(...asked: Parameters<typeof loadCandles>): LoadedCandles | Failure {
  try {
    return loadCandles(...asked)
  } catch (error) {
    if (error instanceof Failure && error.code === 'candlesMissing') return error
    throw error
  }
}

/** Summarises all months as one stretch, including the gaps between them; undefined without months. `months`: oldest first. */
function sumUp(months: readonly StoredMonth[], interval: Interval): StoredStretch | undefined {
  const first = months.at(0)
  const last = months.at(-1)
  if (first === undefined || last === undefined) return undefined
  const intervalMs = INTERVALS[interval]
  const from = first.head.first
  const to = last.head.last + intervalMs
  const count = months.reduce((sum, { head }) => sum + head.count, 0)
  const digests = months.map(({ month, head }) => ({ month, digest: head.sha256 }))
  return {
    from,
    to,
    count,
    missing: (to - from) / intervalMs - count,
    hash: combineDigests(intervalMs, digests),
    synthetic: months.some(({ head }) => head.synthetic),
  }
}

/** The stretches of the months, oldest first. */
function stretchesOf(months: readonly StoredMonth[], interval: Interval): StoredStretch[] {
  const parts: StoredMonth[][] = []
  for (const month of months) {
    const part = parts.at(-1)
    const before = part?.at(-1)
    if (part !== undefined && before !== undefined && monthOf(monthEnd(before.head.last)) === month.month) {
      part.push(month)
    } else parts.push([month])
  }
  return parts.flatMap((part) => sumUp(part, interval) ?? [])
}

/** A sentence with the begin and the end of each stretch. */
function describeStretches(months: readonly StoredMonth[], interval: Interval): string {
  const spans = stretchesOf(months, interval).map(({ from, to }) => `${isoTime(from)} to ${isoTime(to)}`)
  return spans.length === 0 ? 'nothing is stored' : `stored: ${spans.join(' and ')}`
}

/**
 * Cuts a period out of candles in memory, for example those of a file.
 * @throws Failure candlesMissing when the first or the last candle of the period is absent
 */
export function selectCandles(
  source: {
    /** Names the candles where the market is not known. */
    readonly name: string
    readonly market: string | null
    readonly interval: Interval
    readonly candles: Candles
    readonly synthetic: boolean
  },
  period: CandlePeriod,
): LoadedCandles {
  const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY } = period
  const { name, market, interval, synthetic } = source
  const candles = sliceCandles(source.candles, from, to)
  const missing = findMissingEdge(candles.openTime, candles.intervalMs, period)
  if (missing !== undefined) {
    throw new Failure('candlesMissing', `${name} does not cover ${describePeriod(period)}: ${missing}`, {
      hint: 'choose a period inside the candles, or name a file that covers it',
    })
  }
  const hash = hashCandles(candles)
  return { candles, info: candlesInfo({ market: market ?? name, interval, candles, hash, synthetic }) }
}

/** What an import did. Times in ms UTC; `from`, `to` and `missing` describe the imported candles. */
export interface ImportReport {
  readonly market: string
  readonly interval: Interval
  readonly from: number
  readonly to: number
  /** Candles at times for which none was stored. */
  readonly added: number
  readonly same: number
  /** Candles that differ from the stored ones: left out (keep) or stored instead (replace). */
  readonly conflicting: number
  readonly missing: number
  readonly synthetic: boolean
}

interface StoreRequest {
  readonly market: string
  readonly interval: Interval
  readonly candles: Candles
  readonly synthetic: boolean
  readonly conflict: ConflictPolicy
}

/**
 * Throws if `storeCandles` would refuse. Called for every market of a file before the first one is stored.
 * @throws Failure candlesInvalid as `storeCandles` does
 */
export function refuseStored(folder: string, request: StoreRequest): void {
  const { market, interval, candles, synthetic } = request
  const months = intervalFolder(folder, market, interval)
  refuseUnstorable(candles, `${market} ${interval}`, INTERVALS[interval])
  refuseOtherOrigin(folder, market, synthetic)
  if (request.conflict === 'refuse') refuseConflicts(months, request)
}

/**
 * Stores candles beside those of the same market and interval; all of them or, when anything fails, none.
 * @throws Failure candlesInvalid when they are empty or damaged, when a market would hold recorded and synthetic candles,
 *   or when they differ from what is stored and the policy is `refuse`
 * @throws Failure storeUnusable when the folder cannot be written or another process is changing it
 */
export function storeCandles(folder: string, request: StoreRequest): ImportReport {
  const { market, interval, candles, synthetic } = request
  const months = intervalFolder(folder, market, interval)
  refuseUnstorable(candles, `${market} ${interval}`, INTERVALS[interval])
  refuseOtherOrigin(folder, market, synthetic)
  const { added, same, conflicting } = mergeIntoMonths(months, request)
  const { openTime, intervalMs } = candles
  const from = openTime[0]
  const to = openTime[openTime.length - 1] + intervalMs
  const missing = (to - from) / intervalMs - openTime.length
  return { market, interval, from, to, added, same, conflicting, missing, synthetic }
}

/** Describes the candles of a result. `candles` must not be empty. */
function candlesInfo(source: {
  readonly market: string
  readonly interval: Interval
  readonly candles: Candles
  readonly hash: string
  readonly synthetic: boolean
}): CandlesBody {
  const { market, interval, hash, synthetic } = source
  const { openTime, intervalMs } = source.candles
  const from = openTime[0]
  const to = openTime[openTime.length - 1] + intervalMs
  const count = openTime.length
  const missing = (to - from) / intervalMs - count
  return { market, interval, from: isoTime(from), to: isoTime(to), count, missing, hash, synthetic }
}

/**
 * The exchange rules of a market from `symbols.json` in the folder; no rule is enforced when the file does not name the market.
 * @throws Failure candlesInvalid when the file is damaged
 */
export function findSymbolRules(folder: string, market: string): SymbolRules {
  return readSymbolRules(folder).get(market) ?? NO_SYMBOL_RULES
}

/** The folder of a market and interval. @throws Failure usage for any other name, so that no other text becomes a path */
export function intervalFolder(folder: string, market: string, interval: Interval): string {
  if (findMarket(market) === undefined || !isInterval(interval)) {
    throw new Failure(
      'usage',
      `expected a market such as binance/BTC-USDT and an interval, found ${market} ${interval}`,
    )
  }
  return join(folder, ...market.split('/'), interval)
}

function findStored(folder: string, market: string, interval: Interval): StoredCandles | undefined {
  const months = readMonthHeads(intervalFolder(folder, market, interval), interval)
  const whole = sumUp(months, interval)
  return whole === undefined ? undefined : { market, interval, ...whole, stretches: stretchesOf(months, interval) }
}

/** A market may not mix synthetic and recorded candles: results on such a mixture would be misleading. */
function refuseOtherOrigin(folder: string, market: string, synthetic: boolean): void {
  for (const interval of INTERVAL_NAMES) {
    const stored = findStored(folder, market, interval)
    if (stored === undefined || stored.synthetic === synthetic) continue
    const [held, offered] = synthetic ? ['recorded', 'synthetic'] : ['synthetic', 'recorded']
    throw new Failure('candlesInvalid', `${market} holds ${held} candles; it cannot take ${offered} ones as well`, {
      hint: `give the ${offered} candles a market of their own, or delete ${join(folder, market)}`,
    })
  }
}
