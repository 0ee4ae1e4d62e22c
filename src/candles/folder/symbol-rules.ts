/** `symbols.json` of a candle folder: `{ "binance/BTC-USDT": { "tick": 0.01, "lot": 0.00001, "minNotional": 10 } }`. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findMarket } from '../../contract/market.ts'
import { NO_SYMBOL_RULES, type SymbolRules } from '../../engine/conventions.ts'
import { isSymbolRule } from '../../engine/read-settings.ts'
import { Failure, type Problem } from '../../errors.ts'
import { renameOver } from '../../system.ts'

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
    writeFileSync(`${path}.${process.pid}.tmp`, text)
    renameOver(`${path}.${process.pid}.tmp`, path)
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
