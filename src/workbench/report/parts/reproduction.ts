/** How to get to the same numbers again, and how exactly this file keeps them. */
import type { Revision } from '../../store/revisions.ts'
import type { Facts } from '../facts.ts'
import { shortFingerprint } from '../facts.ts'
import { formatCount, formatInstant, formatNumber, formatPercent, NOTHING } from '../format.ts'
import { type Html, type HtmlValue, html } from '../html.ts'
import type { PageSection } from '../model/document.ts'
import { UNITS_PER_INVESTMENT } from '../model/equity-block.ts'

type Row = readonly [label: string, value: HtmlValue]

/** `page`: what the page carries; undefined where a part is made without one. */
export function reproductionRows(facts: Facts, page: PageSection | undefined): Row[] {
  const { input, study, best } = facts
  return [
    ['Engine', input.best?.engineVersion ?? 'not stated by the service'],
    ['Revisions', revisions(input.revisions)],
    ['Again', commands(study.name, best)],
    ...(page === undefined ? [] : [['In this file', reduction(page)] as const]),
  ]
}

function commands(study: string, best: Facts['best']): Html {
  const lines = [
    ...(best === undefined
      ? []
      : [
          [
            `dcalab service verify ${shortFingerprint(best)}`,
            'computes the best again on local candles and compares to the bit',
          ],
          [`dcalab show ${shortFingerprint(best)}`, 'everything the store has about it'],
        ]),
    [`dcalab leaderboard ${study}`, 'the ranking'],
    [`dcalab report ${study}`, 'this report'],
  ]
  return html`<ul class="commands">${lines.map(([command, what]) => html`<li><code>${command}</code> ${what}</li>`)}</ul>`
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
