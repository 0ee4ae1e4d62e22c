/** Whether an engine obeys a convention or a field: two values of it that never change a result are one value to that engine. */
import fc from 'fast-check'
import { CONFIG, CONFIG_FIELDS, type ConfigField } from '../../src/contract/bot.ts'
import { CHOICE_NAMES, CONVENTION_VALUES, type Conventions } from '../../src/engine/conventions.ts'
import type { BacktestInput } from '../../src/engine/deal.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { createSweep } from '../../src/engine/jump/sweep.ts'
import { replayBot } from '../../src/engine/live.ts'
import { runReference } from '../../src/engine/reference.ts'
import { someInput } from './arbitraries.ts'
import { findDifferences, findDisagreements } from './jump/agreement.ts'
import { findSweepDifferences, rowsOf } from './jump/sweep-cases.ts'

/** Everything of ours that trades on candles; each says all it knows of a run. */
export const ENGINES = {
  reference: runReference,
  jump: (input: BacktestInput) => runJump(input),
  sweep: ({ candles, config, ...market }: BacktestInput) =>
    createSweep(prepareCandles(candles), { ...market, want: 'full' }).run(rowsOf([config])),
  live: ({ config, ...market }: BacktestInput) =>
    replayBot({ ...market, commands: [{ kind: 'start', at: market.candles.openTime[0], config }] }),
}

/** Of every convention its values; of the size some. A size goes with explicit sizing only. */
export const ALL_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(CHOICE_NAMES.map((name) => [name, CONVENTION_VALUES[name]])),
  safetyOrderSize: [15, 50, 110],
}

/** Of every field the values to try. */
export const ALL_TRIES: readonly (readonly [ConfigField, readonly number[]])[] = CONFIG_FIELDS.map((field) => [
  field,
  CONFIG[field].tries,
])

/** Enough for every pair that can differ; the loop ends at the first difference. */
const INPUTS: readonly BacktestInput[] = fc.sample(someInput, { numRuns: 600, seed: 11 })

/** The pairs of values that no input tells apart. */
export function findIdleValues(
  run: (input: BacktestInput) => unknown,
  name: string,
  values: readonly unknown[],
): (readonly [unknown, unknown])[] {
  const pairs = values.flatMap((one, i) => values.slice(i + 1).map((other): [unknown, unknown] => [one, other]))
  const said = (input: BacktestInput, value: unknown) => JSON.stringify(run(withValue(input, name, value)))
  return pairs.filter(([one, other]) => INPUTS.every((input) => said(input, one) === said(input, other)))
}

function withValue(input: BacktestInput, name: string, value: unknown): BacktestInput {
  if (name in CONFIG) return { ...input, config: { ...input.config, [name]: value } }
  return { ...input, conventions: withChoice(input.conventions, name, value) }
}

function withChoice(conventions: Conventions, name: string, value: unknown): Conventions {
  const sized = name === 'safetyOrderSize' ? { safetyOrderSizing: 'explicit' as const } : {}
  const changed = { ...conventions, ...sized, [name]: value }
  const safetyOrderSize = changed.safetyOrderSizing === 'explicit' ? (changed.safetyOrderSize ?? 50) : null
  return { ...changed, safetyOrderSize }
}

const AGREED = 40

/** What differs between the reference and the others with each of these values in turn; a sweep has all of them at once. */
export function findFieldDisagreements(field: ConfigField, values: readonly number[]): string[] {
  return INPUTS.slice(0, AGREED).flatMap((input, at) => {
    const { candles, config, ...market } = input
    const forced = values.map((value) => withValue(input, field, value))
    const configs = forced.map((each) => each.config)
    const options = { ...market, want: 'full' } as const
    const swept = createSweep(prepareCandles(candles), options).run(rowsOf(configs))
    const found = [
      ...forced.flatMap((each) => findDisagreements(each).map((difference) => `jump ${difference}`)),
      ...forced.flatMap((each) => findLiveDifferences(each).map((difference) => `live ${difference}`)),
      ...findSweepDifferences({ candles, options, configs }, swept).map((difference) => `sweep ${difference}`),
    ]
    return found.map((difference) => `input ${at}: ${difference}`)
  })
}

function findLiveDifferences(input: BacktestInput): string[] {
  const { metrics, openDeal } = runReference(input)
  const live = ENGINES.live(input)
  const { closedDeals, stopLosses, ambiguousCandles, unaffordableOrders, unplacedOrders, maxDrawdownPercent } = metrics
  const told = { closedDeals, stopLosses, ambiguousCandles, unaffordableOrders, unplacedOrders, maxDrawdownPercent }
  const equity = input.config.investment + metrics.netProfit
  const expected = { ...told, equity, openDeal }
  const found = Object.fromEntries(Object.keys(expected).map((name) => [name, Reflect.get(live, name)]))
  return findDifferences(expected, found, metrics.volume)
}
