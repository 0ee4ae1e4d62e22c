/** What a study asked, and what it has cost. */

import { CONFIG_FIELDS } from '../../../contract/bot.ts'
import { marketName } from '../../../contract/market.ts'
import { METRICS } from '../../../contract/metrics.ts'
import { mostConfigs } from '../../study/study.ts'
import type { Facts } from '../facts.ts'
import { formatInstant, formatNumber, formatValue, NOTHING } from '../format.ts'
import { type Html, html } from '../html.ts'
import { bestSoFar, timeline } from './cost-over-time.ts'
import { fieldName } from './field-name.ts'
import { facts as factList, type Part, type Place, section } from './part.ts'

export function spendingPart(facts: Facts, place: Place): Part {
  const found = bestSoFar(facts, place)
  return {
    body: section(
      place,
      html`<div class="columns">${asked(facts)}${spent(facts)}</div>${timeline(facts)}${found?.body}`,
    ),
    charts: found?.charts ?? [],
  }
}

function asked({ study, varied }: Facts): Html {
  const { objective, markets } = study
  const across =
    markets.length === 1 ? '' : `, ${objective.across ?? 'median'} of ${markets.map(marketName).join(', ')}`
  const held = CONFIG_FIELDS.filter((field) => study.base[field] !== undefined && !varied.includes(field))
  return html`<div>${factList([
    ['Objective', `${objective.direction} ${METRICS[objective.metric].title.toLowerCase()}${across}`],
    ...objective.where.map(
      ({ metric, bounds }) =>
        [
          'Only with',
          `${METRICS[metric].title} ${inWords(bounds)}${METRICS[metric].unit === 'percent' ? ' %' : ''}`,
        ] as const,
    ),
    ...study.where.map(({ measure, bounds }) => ['Only ladders with', `${measure} ${inWords(bounds)}`] as const),
    ...study.axes.map(
      ({ field, values }) => [fieldName(field), html`<span class="values">${listValues(values)}</span>`] as const,
    ),
    ['Held', held.map((field) => `${field} ${formatValue(study.base[field] ?? 0)}`).join(' · ') || NOTHING],
  ])}</div>`
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

function spent(facts: Facts): Html {
  const { input, finished, failed, pending, isOneOfSeveral } = facts
  const { plan, spending } = input
  const of = isOneOfSeveral ? ', all markets' : '' // what a study spent is not told apart by market
  const count = (value: number) => formatNumber(value, 0)
  const left = [
    plan !== null && plan.infeasible > 0 && `${count(plan.infeasible)} infeasible`,
    plan !== null && plan.duplicates > 0 && `${count(plan.duplicates)} duplicate`,
  ].filter((text) => text !== false)
  return html`<div>${progressBar(facts)}${factList([
    plan === null
      ? ['Search', searchInWords(facts)]
      : ['Grid', html`${count(plan.grid)} points${left.length > 0 && `, ${left.join(', ')}`}`],
    ['Done', count(finished.length)],
    [
      'Reused',
      spending === null
        ? NOTHING
        : html`${count(reusedCount(facts))} of these, from before this study’s first submission`,
    ],
    ['Kept', keptInWords(facts)],
    ['Failed', count(failed.length)],
    ['Pending', count(pending.length)],
    ...(spending === null
      ? [['Spent', 'this study was never submitted'] as const]
      : ([
          [
            `Submissions${of}`,
            html`${count(spending.attempts)}${spending.refused > 0 && `, ${count(spending.refused)} refused`}`,
          ],
          [`Requests${of}`, count(spending.requests)],
          [
            `First submitted${of}`,
            spending.firstSubmittedAt === null ? NOTHING : formatInstant(spending.firstSubmittedAt),
          ],
          [`Last finished${of}`, spending.lastFinishedAt === null ? NOTHING : formatInstant(spending.lastFinishedAt)],
        ] as const)),
  ])}</div>`
}

/** Units that were not spent: what was there already, and what is not sent. */
function keptInWords(facts: Facts): string {
  const reused = reusedCount(facts)
  const unsent = facts.pending.filter(({ submittedAt }) => submittedAt === null).length
  const duplicates = facts.input.plan?.duplicates ?? 0
  return `${formatNumber(reused + duplicates, 0)} units by not paying twice${unsent > 0 ? `; ${formatNumber(unsent, 0)} not sent yet` : ''}`
}

function searchInWords({ study: { search } }: Facts): string {
  const most = mostConfigs(search)
  return most === null ? search.method : `${search.method}, at most ${most} configurations`
}

/** Results that were in the store before this study submitted anything. */
export function reusedCount({ finished, input }: Facts): number {
  const first = input.spending?.firstSubmittedAt ?? null
  return finished.filter(({ submittedAt }) => first === null || (submittedAt !== null && submittedAt < first)).length
}

/** Done, failed and pending as parts of one bar; widths are SVG attributes because the page allows no inline style. */
function progressBar({ finished, failed, pending }: Facts): Html | false {
  const total = finished.length + failed.length + pending.length
  if (total === 0) return false
  const parts = [
    ['done', finished.length],
    ['failed', failed.length],
    ['pending', pending.length],
  ] as const
  let x = 0
  const bars = parts.map(([name, count]) => {
    const width = (100 * count) / total
    const bar = count > 0 && html`<rect class="${name}" x="${x}" y="0" width="${width}" height="6"></rect>`
    x += width
    return bar
  })
  const summary = parts.map(([name, count]) => `${count} ${name}`).join(', ')
  return html`<svg class="progress" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${summary}">${bars}</svg>`
}
