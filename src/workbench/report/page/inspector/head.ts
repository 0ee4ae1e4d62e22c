/** The top of the inspector: which trial, what it made, and what to do with it. */
import { CONFIG, CONFIG_FIELDS } from '../../../../contract/bot.ts'
import { type MetricName, sampleInWords } from '../../../../contract/metrics.ts'
import { formatCount, formatMetricWithUnit, formatNumber, formatValue, lowerTitle } from '../../format.ts'
import { compareHere, computedFrom, whyNoChange, whyNotHere } from '../../model/local-gate.ts'
import { STANDING_WORDS } from '../../model/trial-words.ts'
import { copyButton, makeButton, makeElement } from '../make-element.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'

export function head(): ExhibitPart {
  const element = makeElement('div', { class: 'inspector-head' })
  return {
    element,
    show: (exhibit) =>
      element.replaceChildren(
        standing(exhibit),
        ...changed(exhibit),
        fields(exhibit),
        sentence(exhibit),
        localRun(exhibit),
        pinning(exhibit),
        commands(exhibit),
      ),
  }
}

function standing({ sectionView: { table, section }, trial }: Exhibit): HTMLElement {
  const rank = table.rank(trial)
  const ranked = Array.from({ length: table.count }, (_, at) => table.rank(at)).filter((each) => each !== null)
  const place =
    rank === null
      ? STANDING_WORDS[table.standing(trial)]
      : `rank ${formatNumber(rank, 0)} of ${formatNumber(ranked.length, 0)} by ${lowerTitle(section.objective.metric)}`
  return makeElement('p', { class: 'small', text: `${section.study} on ${section.market}: ${place}` })
}

/** Says that what follows is of another configuration, and of which. */
function changed({ isChanged, stored, config }: Exhibit): HTMLElement[] {
  if (!isChanged) return []
  const changes = CONFIG_FIELDS.filter((field) => stored[field] !== config[field]).map(
    (field) => `${CONFIG[field].title} ${formatValue(config[field])} instead of ${formatValue(stored[field])}`,
  )
  const text = `What if: ${changes.join(', ')}. These figures are of the stored trial; everything below is of the change.`
  return [makeElement('p', { class: 'banner', text })]
}

/** What the study varies. */
function fields({ sectionView: { section }, stored }: Exhibit): HTMLElement {
  const items = section.varied.map((field) =>
    makeElement('div', {
      class: 'varied',
      children: [
        makeElement('dt', { text: CONFIG[field].title, is: { title: field } }),
        makeElement('dd', { text: formatValue(stored[field]) }),
      ],
    }),
  )
  return makeElement('dl', { class: 'config', children: items })
}

function sentence({ sectionView: { table, section }, trial }: Exhibit): HTMLElement {
  const number = (name: MetricName) => formatMetricWithUnit(name, table.number(trial, name), section.quote)
  const strong = makeElement('strong', {
    text: `${number('netProfit')} (${number('roiPercent')} of the investment, ${number('netProfitPerUsedPercent')} of what was invested on average)`,
  })
  return makeElement('p', {
    children: [
      strong,
      ` with ${number('usedCapital.average')} invested on average, ${number('usedCapital.max')} at most; max drawdown ${number('maxDrawdownPercent')}; ` +
        `${formatCount(table.number(trial, 'closedDeals'), 'closed deal')} (${sampleInWords(table.sampleSize(trial))}), unrealized ${number('unrealizedProfit')}.`,
    ],
  })
}

/** What is computed here against what is stored. */
function localRun(exhibit: Exhibit): HTMLElement {
  const { sectionView, trial, storedRun, terms, stored } = exhibit
  const { candles, quote } = sectionView.section
  const why = whyNotHere(candles, trial)
  if (why !== null) {
    const text = `Not recomputed here, and neither deals nor a what-if can be shown: ${why}.`
    return makeElement('p', { class: 'local-run', text, is: { 'data-local': 'refused' } })
  }
  if (storedRun === null) {
    const text = 'Not recomputed here: the stored configuration cannot be run.'
    return makeElement('p', { class: 'local-run', text, is: { 'data-local': 'refused' } })
  }
  const whyNot = whyNoChange(candles)
  const { netProfit, closedDeals, volume } = storedRun.metrics
  const localRuns = compareHere(
    {
      netProfit: sectionView.table.number(trial, 'netProfit'),
      closedDeals: sectionView.table.number(trial, 'closedDeals'),
    },
    { netProfit, closedDeals, volume },
    { quote, investment: stored.investment },
  )
  return makeElement('div', {
    class: `local-run ${localRuns.isExact ? 'exact' : 'differs'}`,
    is: { 'data-local': localRuns.isExact ? 'exact' : 'differs' },
    children: [
      makeElement('p', {
        children: [
          makeElement('span', { text: localRuns.isExact ? '✓ ' : '≠ ', is: { 'aria-hidden': 'true' } }),
          localRuns.words,
        ],
      }),
      makeElement('p', { class: 'small', text: computedFrom(terms, candles) }),
      ...(whyNot === null
        ? []
        : [
            makeElement('p', {
              class: 'small',
              text: `Its deals are computed; equity, drawdown and a what-if are not: ${whyNot}.`,
            }),
          ]),
    ],
  })
}

function pinning({ sectionView, trial }: Exhibit): HTMLElement {
  const isPinned = () => sectionView.state().pins.includes(sectionView.table.id(trial))
  const name = () => (isPinned() ? 'Pinned to compare' : 'Pin to compare')
  const button = makeButton(name(), () => {
    sectionView.pin(trial, !isPinned())
    button.textContent = name()
    button.setAttribute('aria-pressed', String(isPinned()))
  })
  button.setAttribute('aria-pressed', String(isPinned()))
  return makeElement('p', { children: [button] })
}

function commands({ sectionView: { table, section }, trial }: Exhibit): HTMLElement {
  const name = `${table.id(trial)}${section.prefix === '' ? '' : `@${section.market}`}` // beside others
  const lines = ['show', 'examine', 'promote'].map((command) => copyableLine(`dcalab ${command} ${name}`))
  return makeElement('div', { class: 'commands', children: lines })
}

/** A line with a button that copies it; where the browser does not let us, the text is selected for the reader to copy. */
function copyableLine(text: string): HTMLElement {
  const words = text.split(' ').map((word) => makeElement('span', { class: 'word', text: word }))
  const code = makeElement('code', { children: words.flatMap((word, at) => (at > 0 ? [' ', word] : [word])) }) // breaks between them alone
  return makeElement('div', { class: 'copyable', children: [code, copyButton(code, `Copy ${text}`)] })
}
