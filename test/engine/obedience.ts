/** Whether an engine obeys a convention: two values of it that never change a result are one value to that engine. */
import fc from 'fast-check'
import { CHOICE_NAMES, CONVENTION_VALUES, type Conventions } from '../../src/engine/conventions.ts'
import type { BacktestInput } from '../../src/engine/deal.ts'
import { runJump } from '../../src/engine/jump/jump.ts'
import { prepareCandles } from '../../src/engine/jump/prepared.ts'
import { createSweep } from '../../src/engine/jump/sweep.ts'
import { replayBot } from '../../src/engine/live.ts'
import { runReference } from '../../src/engine/reference.ts'
import { someInput } from './arbitraries.ts'
import { rowsOf } from './jump/sweep-cases.ts'

/** Everything of ours that trades on candles; each says all it knows of a run. */
export const ENGINES: Readonly<Record<string, (input: BacktestInput) => unknown>> = {
  reference: runReference,
  jump: (input) => runJump(input),
  sweep: ({ candles, config, ...market }) =>
    createSweep(prepareCandles(candles), { ...market, want: 'full' }).run(rowsOf([config])),
  live: ({ config, ...market }) =>
    replayBot({ ...market, commands: [{ kind: 'start', at: market.candles.openTime[0], config }] }),
}

/** Of every convention its values; of the size some. A size goes with explicit sizing only. */
export const ALL_VALUES: Readonly<Record<string, readonly unknown[]>> = {
  ...Object.fromEntries(CHOICE_NAMES.map((name) => [name, CONVENTION_VALUES[name]])),
  safetyOrderSize: [15, 50, 110],
}

/** Enough for every pair that can differ; the loop ends at the first difference. */
const INPUTS: readonly BacktestInput[] = fc.sample(someInput, { numRuns: 600, seed: 11 })

/** The pairs of values that no input tells apart. */
export function findIdleValues(
  run: (input: BacktestInput) => unknown,
  name: string,
  values: readonly unknown[],
): (readonly [unknown, unknown])[] {
  const pairs = values.flatMap((one, i) => values.slice(i + 1).map((other): [unknown, unknown] => [one, other]))
  return pairs.filter(([one, other]) =>
    INPUTS.every((input) => saidBy(run, input, name, one) === saidBy(run, input, name, other)),
  )
}

function saidBy(run: (input: BacktestInput) => unknown, input: BacktestInput, name: string, value: unknown): string {
  return JSON.stringify(run({ ...input, conventions: withValue(input.conventions, name, value) }))
}

function withValue(conventions: Conventions, name: string, value: unknown): Conventions {
  const sized = name === 'safetyOrderSize' ? { safetyOrderSizing: 'explicit' as const } : {}
  const changed = { ...conventions, ...sized, [name]: value }
  const safetyOrderSize = changed.safetyOrderSizing === 'explicit' ? (changed.safetyOrderSize ?? 50) : null
  return { ...changed, safetyOrderSize }
}
