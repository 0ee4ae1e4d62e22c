/** How each number was made: data, costs, conventions, and what is uncertain. */
import { CONFIG, CONFIG_FIELDS } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { METRICS, metricValue } from '../../../contract/metrics.ts'
import { compareSettings } from '../../analysis/warnings/find-in-settings.ts'
import type { Revision } from '../../store/revisions.ts'
import { askedSettings } from '../../study/parse.ts'
import { type Facts, type FinishedTrial, triedOf } from '../facts.ts'
import {
  formatCount,
  formatDay,
  formatInstant,
  formatMetricWithUnit,
  formatNumber,
  formatPercent,
  formatValue,
  lowerTitle,
  NOTHING,
} from '../format.ts'
import { commandText, type Html, type HtmlValue, html } from '../html.ts'
import { UNITS_PER_INVESTMENT } from '../model/blocks.ts'
import type { PageSection } from '../model/document.ts'
import { fieldName, type Part, type Place, section } from './part.ts'

const mostFlagsShown = 50

/** Folded: whoever questions a number opens it. `page`: what the page carries. */
export function provenancePart(facts: Facts, place: Place, page?: PageSection): Part {
  return {
    body: section(
      place,
      html`<details class="provenance"><summary>How each number was made: candles, costs, conventions, commands</summary>
      ${factList([...askedRows(facts), ...dataRows(facts), ...methodRows(facts), ...warningRows(facts), ...reproductionRows(facts, page)])}${unreadable(facts)}</details>`,
    ),
    charts: [],
  }
}

/** Label and value pairs. */
function factList(rows: readonly (readonly [label: HtmlValue, value: HtmlValue])[]): Html {
  return html`<dl class="facts">${rows.map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`
}

type Row = readonly [label: HtmlValue, value: HtmlValue]

/** What the study asked for. */
function askedRows({ study, varied, input: { warnings } }: Facts): Row[] {
  const { objective, markets } = study
  const across =
    markets.length === 1 ? '' : `, ${objective.across ?? 'median'} of ${markets.map(marketName).join(', ')}`
  const held = CONFIG_FIELDS.filter((field) => study.base[field] !== undefined && !varied.includes(field))
  return [
    ['Objective', `${objective.direction} ${lowerTitle(objective.metric)}${across}`],
    ...objective.where.map(
      ({ metric, bounds }): Row => [
        'Only with',
        `${METRICS[metric].title} ${inWords(bounds)}${METRICS[metric].unit === 'percent' ? ' %' : ''}`,
      ],
    ),
    ...study.where.map(({ measure, bounds }): Row => ['Only ladders with', `${measure} ${inWords(bounds)}`]),
    ...study.axes.map(
      ({ field, values }): Row => [fieldName(field), html`<span class="values">${listValues(values)}</span>`],
    ),
    [
      'Fixed',
      held.map((field) => `${CONFIG[field].title} ${formatValue(study.base[field] ?? 0)}`).join(' · ') || NOTHING,
    ],
    ...(warnings.length === 0
      ? []
      : [['About this study', html`<ul>${warnings.map((message) => html`<li>${message}</li>`)}</ul>`] as const]),
  ]
}

function inWords({ min, max }: { readonly min?: number; readonly max?: number }): string {
  const parts = [min !== undefined && `at least ${min}`, max !== undefined && `at most ${max}`]
  return parts.filter((part) => part !== false).join(', ')
}

const mostValuesShown = 16

function listValues(values: readonly number[]): string {
  if (values.length <= mostValuesShown) return values.map(formatValue).join(', ')
  const ends = [...values.slice(0, 6).map(formatValue), '…', ...values.slice(-2).map(formatValue)]
  return `${ends.join(', ')} (${values.length} values)`
}

function dataRows({ study, market, finished }: Facts): Row[] {
  const candles = finished.map((trial) => trial.candles)
  const missing = variants(candles.map((used) => used?.missing ?? null))
  return [
    ['Market', market],
    ['Period', `${formatDay(study.period.from)} ≤ open time < ${formatDay(study.period.to)}`],
    ['Candles', listed(variants(candles.map((used) => (used === null ? null : candleText(used)))))],
    ['Data hash', listed(variants(candles.map((used) => used?.hash ?? null)), (hash) => html`<code>${hash}</code>`)],
    ['Gaps', listed(missing, (count) => (count === 0 ? 'none' : `${formatCount(Number(count), 'candle')} missing`))],
    [
      'Origin',
      listed(variants(candles.map((used) => used?.synthetic ?? null)), (synthetic) =>
        synthetic ? 'synthetic (generated)' : 'not marked as synthetic',
      ),
    ],
  ]
}

function candleText({ interval, count }: NonNullable<FinishedTrial['candles']>): string {
  return count === null ? interval : `${formatNumber(count, 0)} of ${interval}`
}

const DIFFER = { costs: 'Costs differ', conventions: 'Conventions differ', interval: 'Candles differ' } as const

function methodRows({ finished, input, study }: Facts): Row[] {
  const warnings = compareSettings(askedSettings(study), { results: finished })
  const costs = variants(finished.map((trial) => trial.costs))
  const conventions = variants(finished.map((trial) => trial.conventions))
  return [
    ['Service', input.identity ?? NOTHING],
    ['Costs', listed(costs, ({ feePercent, slippagePercent }) => `fee ${feePercent} %, slippage ${slippagePercent} %`)],
    ['Symbol rules', listed(variants(finished.map(({ symbol }) => symbol)), (rules) => describe(rules) || 'none')],
    ['Conventions', listed(conventions, (values) => html`<span class="values">${describe(values)}</span>`)],
    ...warnings.map(
      ({ code, path, message }): Row => [code === 'coarseCandles' ? 'Coarse candles' : DIFFER[path], message],
    ),
  ]
}

function describe(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(' · ')
}

function warningRows(facts: Facts): Row[] {
  const { finished, best, quote } = facts
  const open = finished.filter(({ metrics }) => metricValue(metrics, 'openDeal') === 1)
  const ambiguous = finished.flatMap(({ metrics }) => metricValue(metrics, 'ambiguousCandles') ?? [])
  const missing = finished.flatMap(({ metrics }) => metricValue(metrics, 'missingInDeals') ?? [])
  const unrealized = best === undefined ? null : metricValue(best.metrics, 'unrealizedProfit')
  return [
    ['Tried', triedOf(facts)?.words ?? NOTHING],
    [
      'Open deals',
      `${formatNumber(open.length, 0)} of ${formatCount(finished.length, 'trial')} end with a deal still open. Net profit includes what selling would bring${unrealized === null ? '' : `: for the best trial ${formatMetricWithUnit('unrealizedProfit', unrealized, quote)}`}.`,
    ],
    ['Candles with unknown fill order', ambiguousSentence(ambiguous)],
    ['Missing in deals', missingSentence(missing)],
  ]
}

function ambiguousSentence(counts: readonly number[]): string {
  if (counts.length === 0) return NOTHING
  if (counts.every((count) => count === 0))
    return 'none: no result depends on the order of highs and lows inside a candle'
  return `${rangeOf(counts)} per trial. A candle does not show whether its high or its low came first. On these candles the result may depend on it.`
}

function missingSentence(counts: readonly number[]): string {
  if (counts.length === 0) return 'not stated by the service'
  if (counts.every((count) => count === 0)) return 'none: while a deal was open, every candle was there'
  return `Candles per trial, while a deal was open: ${rangeOf(counts)}. What the price did meanwhile is not in the result: no order fills in a gap.`
}

function rangeOf(counts: readonly number[]): string {
  const [low, high] = [Math.min(...counts), Math.max(...counts)]
  return low === high ? formatNumber(low, 0) : `${formatNumber(low, 0)} to ${formatNumber(high, 0)}`
}

/** Distinct values with how many trials have each, the commonest first. */
function variants<T>(values: readonly T[]): { readonly value: T; readonly count: number }[] {
  const groups = new Map<string, { value: T; count: number }>()
  for (const value of values) {
    const key = JSON.stringify(value)
    const known = groups.get(key)
    if (known === undefined) groups.set(key, { value, count: 1 })
    else known.count++
  }
  return [...groups.values()].sort((a, b) => b.count - a.count)
}

/** One variant as it is; several each with its number of trials. */
function listed<T>(
  groups: readonly { readonly value: T; readonly count: number }[],
  write: (value: NonNullable<T>) => HtmlValue = String,
): HtmlValue {
  if (groups.length === 0) return NOTHING
  const text = (value: T) => (value === null || value === undefined ? 'not stated by the service' : write(value))
  if (groups.length === 1) return text(groups[0].value)
  return html`<ul>${groups.map(({ value, count }) => html`<li>${text(value)} (${formatCount(count, 'trial')})</li>`)}</ul>`
}

function unreadable({ finished, idOf }: Facts): Html | false {
  const flags = finished.flatMap((trial) =>
    Object.entries(trial.metricFlags).map(([metric, reason]) => ({ trial, metric, reason })),
  )
  if (flags.length === 0) return false
  return html`<details class="numbers"><summary>${formatCount(flags.length, 'number')} could not be read</summary><ul>${flags
    .slice(0, mostFlagsShown)
    .map(
      ({ trial, metric, reason }) =>
        html`<li><code>${idOf(trial)}</code> <bdi>${metric}</bdi>: <bdi>${reason}</bdi></li>`,
    )}</ul></details>`
}

// How to get to the same numbers again, and how exactly this file keeps them.

/** `page`: what the page carries; undefined where a part is made without one. */
function reproductionRows(facts: Facts, page: PageSection | undefined): Row[] {
  const { input } = facts
  return [
    ['Engine', input.best?.engineVersion ?? 'not stated by the service'],
    ['Revisions', revisions(input.revisions)],
    ['Again', commands(facts)],
    ...(page === undefined ? [] : [['In this file', reduction(page)] as const]),
  ]
}

function commands({ study, best, idOf, isOneOfSeveral, market }: Facts): Html {
  const where = `${isOneOfSeveral ? `@${market}` : ''} --study ${study.name}` // which another may share
  const lines = [
    ...(best === undefined
      ? []
      : [
          [
            `dcalab service verify ${idOf(best)}${where}`,
            'computes the best trial again on local candles and compares every bit',
          ],
          [`dcalab show ${idOf(best)}${where}`, 'everything the store has about it'],
        ]),
    [`dcalab leaderboard ${study.name}`, 'the ranking'],
    [`dcalab report ${study.name}`, 'this report'],
  ]
  return html`<ul class="commands">${lines.map(([command, what]) => html`<li>${commandText(command)} ${what}</li>`)}</ul>`
}

function revisions(all: readonly Revision[]): HtmlValue {
  if (all.length === 0) return NOTHING
  return html`<ul>${all.map(
    ({ number, fingerprint, savedAt, trials, results, isCurrent, changed, rerun }) =>
      html`<li>${formatNumber(number, 0)}${isCurrent && ' (current)'}${rerun !== null && ' (a rerun)'}: <code>${fingerprint.slice(0, 12)}</code>, ${formatInstant(savedAt)}, ${formatNumber(results, 0)} of ${formatCount(trials, 'trial')} with a result${changed.length > 0 && html`; changed ${changed.map(({ key }) => key).join(', ')}`}</li>`,
  )}</ul>`
}

/** What was rounded on the way into the page, and what was left out. */
function reduction({ trials, equity, candles }: PageSection): string {
  const rounded = trials.columns.filter(({ bits }) => bits < 64).length
  const numbers =
    rounded === 0
      ? `Every number of ${formatCount(trials.count, 'trial')} to the last bit`
      : `Of ${formatCount(trials.count, 'trial')}, configurations and net profit to the last bit, ${formatCount(rounded, 'other metric')} to seven digits`
  const days =
    'reason' in equity
      ? `no daily equity: ${equity.reason}`
      : `daily equity to ${formatPercent(100 / UNITS_PER_INVESTMENT, 3)} of the investment`
  return `${numbers}; ${days}; ${candlesInWords(candles)}.`
}

function candlesInWords(candles: PageSection['candles']): string {
  if (candles.kind === 'full') return `all ${candles.interval} candles with their exact prices`
  if (candles.kind === 'thinned') return candles.reason
  return `no candles: ${candles.reason}`
}
