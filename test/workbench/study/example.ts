/** A valid study as plain data, and ways to write it down. JSON is YAML, so an object can stand for a file. */
import fc from 'fast-check'
import {
  CONFIG_DEFAULTS,
  CONFIG_FIELDS,
  type ConfigField,
  type DcaSpotConfig,
  forEachField,
} from '../../../src/contract/bot.ts'
import { Failure, type Problem } from '../../../src/errors.ts'
import { parseStudy } from '../../../src/workbench/study/parse.ts'
import type { Study } from '../../../src/workbench/study/study.ts'

export type Data = null | boolean | number | string | readonly Data[] | { readonly [key: string]: Data }

export const exampleConfig: DcaSpotConfig = {
  investment: 1000,
  ...CONFIG_DEFAULTS,
  dcaTotalBudget: 1000,
  dcaInitialOrderSize: 20,
  dcaMaxSafetyOrders: 5,
  dcaPriceScalePercent: 1,
  dcaVolumeScale: 1.4,
  dcaPriceStepMultiplier: 1.2,
  takeProfit: 1.5,
  stopLoss: 0,
}

/** A study whose grid is `grid`; every field not in it is constant, as in `exampleConfig`. */
export function exampleStudy(
  grid: { readonly [Field in ConfigField]?: Data },
  changes: { readonly [key: string]: Data } = {},
): { readonly [key: string]: Data } {
  const constants = CONFIG_FIELDS.filter((field) => !Object.hasOwn(grid, field))
  return {
    name: 'example',
    market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
    period: { from: '2021-04-21', to: '2021-05-19' },
    base: Object.fromEntries(constants.map((field) => [field, exampleConfig[field]])),
    grid,
    ...changes,
  }
}

export function parseData(data: Data): Study {
  return parseStudy(JSON.stringify(data), { file: 'study.json' })
}

/** The problems of what must be refused. */
export function problemsOf(parse: () => unknown): readonly Problem[] {
  try {
    parse()
  } catch (failure) {
    if (failure instanceof Failure) return failure.problems
    throw failure
  }
  throw new Error('expected a refusal, and nothing was refused')
}

/** One of the many ways to write the same data in YAML 1.2: any order of keys, block or flow, 1 or 1.0 or 10e-1, with or without quotes. */
export function writeYaml(data: Data, random: fc.GeneratorValue, indent = ''): string {
  if (typeof data === 'number') return writeNumber(data, random)
  if (typeof data === 'string') return random(fc.constantFrom, data, JSON.stringify(data), `'${data}'`)
  if (data === null || typeof data === 'boolean') return String(data)
  if (isList(data)) return `[${data.map((item) => writeYaml(item, random, indent)).join(', ')}]`
  const keys = random(fc.shuffledSubarray, Object.keys(data), { minLength: Object.keys(data).length })
  if (keys.length > 0 && random(fc.boolean)) {
    return keys.map((key) => `\n${indent}${key}: ${writeYaml(data[key], random, `${indent}  `)}`).join('')
  }
  return `{${keys.map((key) => ` ${key}: ${writeFlow(data[key], random)}`).join(',')} }`
}

/** Inside braces only braces may follow. */
function writeFlow(data: Data, random: fc.GeneratorValue): string {
  if (typeof data !== 'object' || data === null) return writeYaml(data, random)
  if (isList(data)) return `[${data.map((item) => writeFlow(item, random)).join(', ')}]`
  const keys = random(fc.shuffledSubarray, Object.keys(data), { minLength: Object.keys(data).length })
  return `{${keys.map((key) => ` ${key}: ${writeFlow(data[key], random)}`).join(',')} }`
}

function writeNumber(value: number, random: fc.GeneratorValue): string {
  const text = String(value)
  if (value === 0) return random(fc.constantFrom, '0', '0.0', '-0', '-0.00', '0e5')
  const [, whole, fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) return text
  const zeros = '0'.repeat(random(fc.integer, { min: 0, max: 3 }))
  return random(
    fc.constantFrom,
    text,
    `+${text}`,
    `${whole}.${fraction}${zeros}0`,
    `${whole}${fraction}e-${fraction.length}`,
    `${whole}${fraction}${zeros}e-${fraction.length + zeros.length}`,
  )
}

function isList(data: Data): data is readonly Data[] {
  return Array.isArray(data)
}

/** Any valid configuration, with few safety orders half of the time. */
export const anyConfig: fc.Arbitrary<DcaSpotConfig> = fc.record({
  ...forEachField((_, { tries }) => fc.constantFrom<number[]>(...tries)),
  investment: fc.integer({ min: 1, max: 100_000 }),
  dcaTotalBudget: fc.integer({ min: 1, max: 100_000 }),
  dcaInitialOrderSize: hundredths(1, 50_000),
  dcaMaxSafetyOrders: fc.oneof(fc.constantFrom(0, 1, 2), fc.integer({ min: 0, max: 100 })),
  dcaPriceScalePercent: hundredths(1, 1000),
  dcaVolumeScale: hundredths(50, 300),
  dcaPriceStepMultiplier: hundredths(50, 300),
  takeProfit: hundredths(1, 1000),
  stopLoss: hundredths(0, 9000),
})

function hundredths(min: number, max: number): fc.Arbitrary<number> {
  return fc.integer({ min, max }).map((n) => n / 100)
}
