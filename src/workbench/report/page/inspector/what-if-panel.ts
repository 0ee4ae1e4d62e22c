/** What if: a slider for every field, and beside the stored numbers those that the engine makes of the changes. */
import { CONFIG, CONFIG_FIELDS, type ConfigField, type DcaSpotConfig } from '../../../../contract/bot.ts'
import { type MetricName, metricValue } from '../../../../contract/metrics.ts'
import {
  formatCount,
  formatMetricWithUnit,
  formatValue,
  lowerTitle,
  shownDifference,
  titleWithUnit,
} from '../../format.ts'
import { backtestFile, triedStudy } from '../../model/backtest-file.ts'
import { whyNoChange } from '../../model/local-gate.ts'
import {
  beyondSlider,
  changeOf,
  readTyped,
  refusalInWords,
  type SliderRange,
  sliderRange,
} from '../../model/what-if.ts'
import { whenRested } from '../idle.ts'
import { copyButton, makeButton, makeElement, plainTable } from '../make-element.ts'
import type { SectionView } from '../section-view.ts'
import { profitCurve } from './chance-figures.ts'
import type { Exhibit, ExhibitPart } from './exhibit.ts'
import { metricData } from './exhibit-tables.ts'

type ConfigChange = Readonly<Partial<DcaSpotConfig>>

interface WhatIfActs {
  /** Shown at once, kept nowhere. */
  readonly attempt: (change: ConfigChange) => void
  readonly keep: (change: ConfigChange) => void
}

export function whatIfPanel(read: SectionView['chart'], acts: WhatIfActs): ExhibitPart {
  const fields = makeElement('div', { class: 'fields' })
  const result = makeElement('div', {
    class: 'what-if-result',
    is: { role: 'group', 'aria-label': 'Stored, and what if' },
  })
  // the table follows every move; this says once what came of it
  const spoken = makeElement('p', { class: 'spoken', is: { role: 'status' } })
  const warnings = makeElement('ul', { class: 'warnings' })
  const refusal = makeElement('p', { class: 'empty' })
  const back = makeButton('Back to the trial', () => acts.keep({}))
  const file = makeElement('details', {
    class: 'numbers',
    children: [makeElement('summary', { text: 'The same with dcalab backtest' })],
  })
  const tried = makeElement('details', { class: 'numbers tried', is: { hidden: '' } })
  const curve = profitCurve(read)
  const work = makeElement('div', {
    children: [
      result,
      spoken,
      warnings,
      fields,
      makeElement('div', { class: 'toolbar', children: [back] }),
      curve.element,
      file,
      tried,
    ],
  })
  let sliders: ReadonlyMap<ConfigField, FieldSlider> = new Map()
  let exhibit: Exhibit | undefined
  let touched: ConfigField | undefined
  let stopSaying = (): void => undefined
  const changed = (field: ConfigField, value: number): ConfigChange => {
    touched = field
    if (exhibit === undefined) return {}
    return changeOf(exhibit.stored, { ...exhibit.config, [field]: value }, field)
  }
  const makeSliders = (now: Exhibit): ReadonlyMap<ConfigField, FieldSlider> => {
    const { varied, prefix } = now.sectionView.section
    const order = [...new Set([...varied, ...CONFIG_FIELDS])]
    return new Map(
      order.map((field) => {
        const stored = now.stored[field]
        const range = sliderRange(now.sectionView.table, field, stored)
        const made = fieldSlider(
          field,
          { id: `${prefix}if-${field}`, stored, range },
          {
            attempt: (value) => acts.attempt(changed(field, value)),
            keep: (value) => acts.keep(changed(field, value)),
          },
        )
        return [field, made]
      }),
    )
  }
  return {
    element: makeElement('div', { children: [refusal, work] }),
    show(next) {
      const why = whyNoChange(next.sectionView.section.candles)
      refusal.hidden = why === null
      refusal.textContent = why === null ? '' : `No what-if: ${why}.`
      work.hidden = why !== null
      if (why !== null) return curve.stop()
      if (exhibit?.trial !== next.trial) {
        touched = undefined
        spoken.textContent = ''
        sliders = makeSliders(next)
        fields.replaceChildren(...Array.from(sliders.values(), ({ element }) => element))
      }
      stopSaying()
      if (exhibit?.trial === next.trial && (next.isChanged || spoken.textContent !== ''))
        stopSaying = whenRested(() => {
          const words = resultInWords(next)
          if (spoken.textContent !== words) spoken.textContent = words
        })
      exhibit = next
      for (const [field, slider] of sliders) slider.show(next.config[field], next.findings.refused.get(field))
      back.disabled = !next.isChanged
      result.replaceChildren(...resultOf(next))
      warnings.replaceChildren(...next.findings.warnings.map((text) => makeElement('li', { text })))
      curve.stop()
      if (next.isDraft) return
      file.replaceChildren(file.children[0], ...fileOf(next))
      showTried(tried, next)
      curve.show(next, touched ?? lastChanged(next) ?? 'takeProfit')
    },
  }
}

/** As the address has it, of a page that was loaded anew. */
function lastChanged({ sectionView: { state } }: Exhibit): ConfigField | undefined {
  const { change } = state()
  return CONFIG_FIELDS.findLast((field) => field === Object.keys(change).at(-1))
}

/** Profit with what it took; the rest stands in the table of all metrics. */
const COMPARED: readonly MetricName[] = [
  'netProfit',
  'usedCapital.average',
  'maxDrawdownPercent',
  'closedDeals',
  'unrealizedProfit',
]

function resultOf({ sectionView: { table, section }, trial, run, isChanged, findings, label }: Exhibit): HTMLElement[] {
  const { quote } = section
  const refusal = refusalInWords(findings)
  const heads = ['Number', 'Stored', 'What if', 'Difference']
  const lines = COMPARED.map((name) => {
    const stored = table.number(trial, name)
    const value = run === null ? null : metricValue(run.metrics as Parameters<typeof metricValue>[0], name) // the ambiguity pair, which it lacks, is not compared
    return makeElement('tr', {
      children: [
        makeElement('th', { text: titleWithUnit(name, quote), is: { scope: 'row' } }),
        makeElement('td', { children: [metricData(name, stored, quote)] }),
        makeElement('td', {
          class: 'what-if',
          is: { 'data-metric': name },
          children: [metricData(name, value, quote)],
        }),
        makeElement('td', { text: isChanged ? shownDifference(name, [stored, value], quote) : 'as stored' }),
      ],
    })
  })
  const caption =
    refusal !== null
      ? `Nothing is computed: ${refusal}.`
      : isChanged
        ? `Computed in this page${label === '' ? '' : `; ${label}`}.`
        : 'Move a slider or type a number: the engine in this page computes what would have become of it.'
  return [makeElement('table', { children: plainTable(caption, heads, lines) })]
}

/** For those who hear the page: what the change made of profit and drawdown. */
function resultInWords({
  sectionView: { table, section },
  trial,
  run,
  stored,
  config,
  isChanged,
  findings,
}: Exhibit): string {
  const refusal = refusalInWords(findings)
  if (refusal !== null) return `Nothing is computed: ${refusal}.`
  const changes = CONFIG_FIELDS.filter((field) => stored[field] !== config[field]).map(
    (field) => `${CONFIG[field].title} ${formatValue(config[field])}`,
  )
  const results = (['netProfit', 'maxDrawdownPercent'] as const).map((name) => {
    const [now, before] = [run?.metrics[name] ?? null, table.number(trial, name)].map((value) =>
      formatMetricWithUnit(name, value, section.quote),
    )
    return isChanged ? `${lowerTitle(name)} ${now}, stored ${before}` : `${lowerTitle(name)} ${before}`
  })
  return `${isChanged ? `What if ${changes.join(', ')}` : 'As stored'}: ${results.join('; ')}.`
}

/** How many were tried here, and the study that adds those that were kept. */
function showTried(place: HTMLDetailsElement, { sectionView, trial, stored, terms }: Exhibit): void {
  const { shown, kept } = sectionView.tried
  const own = kept.get(trial) ?? []
  place.hidden = own.length === 0
  if (own.length === 0) return
  const { name, text, backtests } = triedStudy({ stored, kept: own, tried: shown.size }, sectionView.section, terms)
  place.replaceChildren(
    makeElement('summary', {
      text: `Tried in this page: ${formatCount(shown.size, 'configuration')}. Add to the study`,
    }),
    makeElement('p', {
      class: 'small',
      text: `${formatCount(backtests, 'backtest')} at most. The lab adds the number tried here to its own count. Save it as ${name}.yaml, then: dcalab study check ${name}.yaml`,
    }),
    copyableBlock(text, `${name}.yaml`),
  )
}

function copyableBlock(text: string, what: string): HTMLElement {
  const block = makeElement('pre', { text, is: { tabindex: 0 } })
  return makeElement('div', { class: 'copyable', children: [block, copyButton(block, `Copy ${what}`)] })
}

function fileOf({ config, sectionView: { section }, terms, findings }: Exhibit): HTMLElement[] {
  if (findings.refused.size > 0) return []
  return [
    makeElement('p', { class: 'small', text: 'Save it as config.yaml, then: dcalab backtest config.yaml' }),
    copyableBlock(backtestFile(config, section, terms), 'config.yaml'),
  ]
}

// One field of a configuration as a slider and a number.

interface FieldSlider {
  readonly element: HTMLElement
  /** Shows a value, and why it is refused; leaves alone what the reader is typing. */
  readonly show: (value: number, problem: string | undefined) => void
}

/** After so long a pause a number is typed, and whoever moves the slider by keys is where he wants to be. */
const RESTED_MS = 400

interface FieldActs {
  /** While the reader moves or types. */
  readonly attempt: (value: number) => void
  /** When the reader lets go, or has typed. */
  readonly keep: (value: number) => void
}

/** @param range null = the field cannot be changed */
function fieldSlider(
  field: ConfigField,
  { id, stored, range }: { readonly id: string; readonly stored: number; readonly range: SliderRange | null },
  acts: FieldActs,
): FieldSlider {
  const { title } = CONFIG[field]
  const label = makeElement('label', { text: title, is: { for: `${id}-number`, title: field } })
  const problemLine = makeElement('p', { class: 'problem', is: { id: `${id}-problem` } })
  const beyondLine = makeElement('p', { class: 'beyond', is: { id: `${id}-beyond` } })
  if (range === null) {
    const value = makeElement('output', { text: `${formatValue(stored)} (fixed)`, is: { id: `${id}-number` } })
    return { element: makeElement('div', { class: 'field', children: [label, value] }), show: () => undefined }
  }
  const { min, max, step } = range
  const slider = makeElement('input', { is: { type: 'range', min, max, step, 'aria-label': `${title}, slider` } })
  const keep = (input: HTMLInputElement) => () => {
    const { value } = readTyped(input.value)
    // whoever typed may have gone to another trial meanwhile
    if (input.isConnected && !Number.isNaN(value)) acts.keep(value)
  }
  // not of the type number: a browser drops the comma of 2,5 there and says nothing
  const number = makeElement('input', {
    is: {
      type: 'text',
      id: `${id}-number`,
      'aria-describedby': `${id}-problem ${id}-beyond`,
      inputmode: 'decimal',
      autocomplete: 'off',
    },
  })
  let changedAt = 0
  let asked = 0
  const keepWhenRested = (input: HTMLInputElement): void => {
    changedAt = performance.now()
    cancelAnimationFrame(asked)
    const wait = (): void => {
      if (performance.now() - changedAt >= RESTED_MS) keep(input)()
      else asked = requestAnimationFrame(wait)
    }
    wait()
  }
  for (const input of [slider, number]) {
    const other = input === slider ? number : slider
    input.addEventListener('input', () => {
      const { value } = readTyped(input.value)
      if (!Number.isNaN(value)) other.value = String(value)
      acts.attempt(value)
    })
  }
  number.addEventListener('input', () => keepWhenRested(number))
  number.addEventListener('change', keep(number))
  // each key is a whole change for the browser; a hand that holds one is still on its way
  let isByKey = false
  for (const begun of ['keydown', 'pointerdown']) {
    slider.addEventListener(begun, () => {
      isByKey = begun === 'keydown'
    })
  }
  slider.addEventListener('change', () => {
    if (isByKey) keepWhenRested(slider)
    else keep(slider)()
    isByKey = false
  })
  // as the arrows of a field of numbers do
  number.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowUp') slider.stepUp()
    else if (event.key === 'ArrowDown') slider.stepDown()
    else return
    event.preventDefault()
    number.value = slider.value
    number.dispatchEvent(new Event('input'))
  })
  return {
    element: makeElement('div', { class: 'field', children: [label, slider, number, problemLine, beyondLine] }),
    show(value, problem) {
      if (!Number.isNaN(value) && readTyped(number.value).value !== value) number.value = String(value)
      if (!Number.isNaN(value)) {
        // a typed value may lie beyond the slider
        slider.min = String(Math.min(min, value))
        slider.max = String(Math.max(max, value))
        slider.value = String(value)
      }
      slider.setAttribute('aria-valuetext', formatValue(value))
      const said = Number.isNaN(value) ? (readTyped(number.value).problem ?? problem) : problem
      number.setAttribute('aria-invalid', String(said !== undefined))
      problemLine.textContent = said === undefined ? '' : `${title}: ${said}`
      beyondLine.textContent = said === undefined ? beyondSlider(range, value) : ''
      label.classList.toggle('changed', value !== stored)
    },
  }
}
