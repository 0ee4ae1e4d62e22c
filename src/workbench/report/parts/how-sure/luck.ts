/** How much of the result may be chance: noise, looks, and the statistics that can only say no. */
import type { VetoCheck } from '../../../analysis/certainty/checks.ts'
import type { KeptExamination } from '../../../store/examinations.ts'
import type { Facts } from '../../facts.ts'
import { formatCount, formatNumber } from '../../format.ts'
import { html } from '../../html.ts'
import { type CheckGroup, checkCard, money, sentences } from './check.ts'
import { intervals } from './pictures.ts'
import { readCheck } from './read-checks.ts'

export function chanceOfIt(examination: KeptExamination, facts: Facts): CheckGroup {
  return {
    id: 'chance',
    title: 'Is it more than chance?',
    cards: [noise(examination, facts), sharpe(examination), looks(examination), vetoes(examination)],
  }
}

function noise(examination: KeptExamination, facts: Facts) {
  return checkCard({
    question: 'How large is the profit, and the lead, against its own ups and downs?',
    answer: readCheck(examination, 'noise'),
    say: ({ netProfit, standardError, lead, leadStandardError, leadReason }) => {
      const within = (value: number, error: number) => ({
        low: value - error,
        at: value,
        high: value + error,
        text: `${money(value, facts)} ± ${formatNumber(error, facts.quote.decimals)}`,
      })
      const rows = [
        { label: 'net profit', ...within(netProfit, standardError) },
        ...(lead === null || leadStandardError === null
          ? []
          : [{ label: 'lead over the next', ...within(lead, leadStandardError) }]),
      ]
      const isTie = lead !== null && leadStandardError !== null && lead < leadStandardError
      return html`<p>${sentences(
        'The lines reach one standard error to each side.',
        lead === null && `Its lead is not known: ${leadReason ?? 'no reason was kept'}.`,
        isTie && 'The lead is smaller than its error: take the two as a tie.',
      )}</p>${intervals('Net profit and lead with one standard error', rows)}`
    },
  })
}

function sharpe(examination: KeptExamination) {
  return checkCard({
    question: 'How uncertain is the Sharpe ratio?',
    answer: readCheck(examination, 'sharpe'),
    say: ({ value, standardError, days }) =>
      html`<p>From ${formatCount(days, 'day')}; 90 % of chance lies within 1.65 standard errors.</p>${intervals(
        'Sharpe ratio with one standard error',
        [
          {
            label: 'Sharpe',
            low: value - standardError,
            at: value,
            high: value + standardError,
            text: `${formatNumber(value, 2)} ± ${formatNumber(standardError, 2)}`,
          },
        ],
      )}`,
  })
}

function looks(examination: KeptExamination) {
  return checkCard({
    question: 'The best of how many?',
    answer: readCheck(examination, 'looks'),
    say: ({ shown, scanned, total }) =>
      html`<p>When it was examined, it was the best of ${scanned > 0 && 'at most '}${formatCount(total, 'configuration')} tried on this market and time: ${formatNumber(shown, 0)} on the service, ${formatNumber(scanned, 0)} here. The best of many looks better than it is.</p>`,
  })
}

function vetoes(examination: KeptExamination) {
  return checkCard({
    question: 'Is it more than the luck of so many looks?',
    answer: readCheck(examination, 'veto'),
    say: (found) => {
      const rows = PROBABILITIES.flatMap(({ name, label }) => {
        const value = found[name]
        return value === null ? [] : [{ label, low: value, at: value, high: value, text: formatNumber(value, 3) }]
      })
      const refused = PROBABILITIES.filter(({ name }) => found[name] === null).map(
        ({ label, reason }) => `No ${label}: ${found[reason] ?? 'no reason was kept'}.`,
      )
      return html`<p>${sentences(
        'PSR: probability that the true Sharpe ratio is above 0. DSR: the same above what the best of all looks reaches by chance; below 0.95 is a bad sign. PBO: how often the best of one half of the days is below the middle in the other. High values prove nothing.',
        ...(found.dsrEffective === null
          ? []
          : [
              `Where alike configurations count once (${formatNumber(found.dsrEffective.count, 1)} of them), DSR is ${formatNumber(found.dsrEffective.dsr, 3)}.`,
            ]),
        ...refused,
      )}</p>${intervals(`Probabilities from ${formatCount(found.dailyReturns, 'daily return')}`, rows, [0, 1])}`
    },
  })
}

const PROBABILITIES = [
  { name: 'psr', label: 'PSR', reason: 'psrReason' },
  { name: 'dsr', label: 'DSR', reason: 'dsrReason' },
  { name: 'pbo', label: 'PBO', reason: 'pboReason' },
] as const satisfies readonly {
  readonly name: keyof VetoCheck
  readonly label: string
  readonly reason: keyof VetoCheck
}[]
