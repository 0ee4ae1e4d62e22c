/**
 * A study as the store keeps it beside its text, for those who rank its results: reading the text anew takes longer than ranking ten
 * thousand trials.
 */
import { CONFIG_FIELDS } from '../../contract/bot.ts'
import { isMetricName } from '../../contract/metrics.ts'
import { CONVENTION_PRESETS } from '../../engine/conventions.ts'
import type { StudyFor } from './fields.ts'
import { isMapping, valueAt } from './path.ts'

/** `markets`: only of a study that holds a part of its period out. */
export type StoredDefinition = Pick<
  StudyFor<'leaderboard'>,
  'axes' | 'objective' | 'costs' | 'conventions' | 'interval' | 'markets' | 'holdout'
>

/** `json`: the study without its text, as the program wrote it. undefined = an older program wrote it another way: then its text is to be read. */
export function readStoredDefinition(json: string): StoredDefinition | undefined {
  const value: unknown = JSON.parse(json)
  const parts = ['axes', 'objective', 'costs', 'conventions', 'interval']
  const [axes, objective, costs, conventions, interval] = parts.map((part) => valueAt(value, [part]))
  const isWhole = isListOf(axes, isAxis) && isObjective(objective) && isCosts(costs) && isMapping(conventions)
  // Definitions of before there were hold-outs name one market otherwise, and hold nothing out.
  const holdout = valueAt(value, ['holdout']) ?? null
  const markets = holdout === null ? [] : valueAt(value, ['markets'])
  if (!isListOf(markets, isMapping) || !(holdout === null || isSpan(holdout))) return undefined
  if (!isWhole || !(interval === null || typeof interval === 'string')) return undefined
  // A convention that came later was the default then.
  const definition = {
    axes,
    objective,
    costs,
    conventions: { ...CONVENTION_PRESETS.default, ...conventions },
    interval,
    markets,
    holdout,
  }
  return definition as unknown as StoredDefinition // as far as it is used: every part was checked
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}

function isAxis(value: unknown): boolean {
  return CONFIG_FIELDS.some((field) => field === valueAt(value, ['field']))
}

function isObjective(value: unknown): boolean {
  const direction = valueAt(value, ['direction'])
  const isKnown = (direction === 'maximize' || direction === 'minimize') && namesMetric(value)
  return isKnown && isListOf(valueAt(value, ['where']), isBound)
}

function isBound(value: unknown): boolean {
  return namesMetric(value) && isMapping(valueAt(value, ['bounds']))
}

function isSpan(value: unknown): boolean {
  return ['from', 'to'].every((part) => typeof valueAt(value, [part]) === 'number')
}

function isCosts(value: unknown): boolean {
  return ['feePercent', 'slippagePercent'].every((part) => typeof valueAt(value, [part]) === 'number')
}

function namesMetric(value: unknown): boolean {
  const metric = valueAt(value, ['metric'])
  return typeof metric === 'string' && isMetricName(metric)
}
