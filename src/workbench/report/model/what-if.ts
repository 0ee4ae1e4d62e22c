/** What if a field had another value: how far its slider goes, and what is wrong with a configuration. Pure. */
import {
  CONFIG,
  CONFIG_BOUNDS,
  CONFIG_FIELDS,
  type ConfigField,
  type DcaSpotConfig,
  findBoundProblem,
} from '../../../contract/bot.ts'
import { findConfigWarnings } from '../../analysis/warnings/find-in-config.ts'
import { formatValue } from '../format.ts'
import type { PageTerms } from './document.ts'
import type { TrialTable } from './trial-table.ts'

export interface SliderRange {
  readonly min: number
  readonly max: number
  readonly step: number
}

/** Above it a stop hardly ever acts. */
const WIDEST_STOP = 50

/** Of a step: what is so near to a whole number of steps is one. */
const ALMOST = 1e-9

/** As far as the trials of the study went, and half as far again; of a field that they share, half as much and half as much again. Null = it cannot be changed. */
export function sliderRange(table: Pick<TrialTable, 'values'>, field: ConfigField, stored: number): SliderRange | null {
  const bounds = CONFIG_BOUNDS[field]
  if (bounds.min === bounds.max) return null
  if (field === 'stopLoss') return { min: 0, max: Math.max(WIDEST_STOP, stored), step: 0.5 }
  const values = [...(table.values(field) ?? []), stored].filter(Number.isFinite)
  const [least, most] = [Math.min(...values), Math.max(...values)]
  const room = least === most ? stored / 2 : (most - least) / 2
  const step = bounds.integer ? 1 : niceStep((most - least + 2 * room) / 200)
  const further = Math.max(room, step)
  const onSteps = (value: number) => Number((value * step).toPrecision(12))
  const lowest = bounds.min ?? (bounds.above ?? 0) + Math.min(step, least)
  return {
    min: Math.max(lowest, onSteps(Math.floor((least - further) / step + ALMOST))),
    max: Math.min(bounds.max, onSteps(Math.ceil((most + further) / step - ALMOST))),
    step,
  }
}

/** What is said of a value that was typed beyond its slider; empty where it is within. */
export function beyondSlider({ min, max }: SliderRange, value: number): string {
  if (!(value < min || value > max)) return ''
  return `${formatValue(value)} is far from what the study tried: the slider goes from ${formatValue(min)} to ${formatValue(max)}`
}

/** 1, 2 or 5 times a power of ten, not above `about`. */
function niceStep(about: number): number {
  const power = Number(`1e${Math.floor(Math.log10(about))}`)
  const digit = [5, 2].find((each) => each * power <= about * (1 + 1e-9)) ?? 1
  return Number((digit * power).toPrecision(3))
}

export interface ConfigFindings {
  /** Why it cannot be run, by field. */
  readonly refused: ReadonlyMap<ConfigField, string>
  /** What it probably does not mean, though it can be run. */
  readonly warnings: readonly string[]
}

/** Why a configuration cannot be run, as it stands after "No months: "; null = it can. */
export function refusalInWords({ refused }: Pick<ConfigFindings, 'refused'>): string | null {
  if (refused.size === 0) return null
  const problems = Array.from(refused, ([field, problem]) => `${CONFIG[field].title}: ${problem}`)
  return `this configuration is refused (${problems.join('; ')})`
}

export function findConfigProblems(
  config: DcaSpotConfig,
  terms: Pick<PageTerms, 'conventions' | 'costs'>,
): ConfigFindings {
  const refused = new Map<ConfigField, string>()
  for (const field of CONFIG_FIELDS) {
    const problem = findBoundProblem(field, config[field])
    if (problem !== undefined) refused.set(field, problem)
  }
  return { refused, warnings: refused.size > 0 ? [] : findConfigWarnings(config, terms).map(({ message }) => message) }
}

/** Only what differs from the trial; `touched` comes last, so that an address says which field was moved last. */
export function changeOf(
  stored: DcaSpotConfig,
  config: Readonly<Partial<DcaSpotConfig>>,
  touched?: ConfigField,
): Partial<DcaSpotConfig> {
  const others = CONFIG_FIELDS.filter((field) => field !== touched)
  const fields = touched === undefined ? others : [...others, touched]
  return Object.fromEntries(
    fields.flatMap((field) =>
      config[field] === undefined || config[field] === stored[field] ? [] : [[field, config[field]]],
    ),
  )
}

// A number as a hand types it, with a decimal point or a decimal comma. Pure.

interface Typed {
  /** NaN where it cannot be read. */
  readonly value: number
  /** Why not. */
  readonly problem?: string
}

const MAYBE_THOUSANDS = /^[+-]?[1-9][0-9]{0,2},[0-9]{3}$/

/** `2,5` is 2.5; `1,500` is refused, because it may mean one and a half or fifteen hundred. */
export function readTyped(typed: string): Typed {
  const text = typed.trim().replace('\u2212', '-')
  if (MAYBE_THOUSANDS.test(text)) {
    const [whole, rest] = text.split(',')
    return {
      value: Number.NaN,
      problem: `${text} is ambiguous: ${whole}${rest} or ${whole}.${rest}?`,
    }
  }
  const plain = text.replace(',', '.')
  if (/^[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:e[+-]?[0-9]+)?$/i.test(plain)) return { value: Number(plain) }
  return { value: Number.NaN, problem: `expected a number, found ${text === '' ? 'nothing' : text}` }
}
