/**
 * The names of trials and studies: SHA-256 hex (`node:crypto`, pure) over canonical JSON. A fingerprint outlives the program: it
 * names what was paid for, so nothing here may change for configurations that exist (a test pins examples).
 */
import { hash as digest } from 'node:crypto'
import { CONFIG_FIELDS, type ConfigField, type DcaSpotConfig, ID_DIGITS } from '../../contract/bot.ts'
import { type Market, marketName } from '../../contract/market.ts'
import { decimalText } from './axis.ts'
import { type Definition, hashedConventions, hashedFields, isAsBefore, isoPeriod } from './fields.ts'
import { NOTHING_KNOWN, type Settings } from './settings.ts'
import type { Period } from './study.ts'

interface TrialParts {
  readonly market: Market
  readonly period: Period
  readonly config: DcaSpotConfig
}

/** SHA-256 hex over market, period and the fields that can matter. Interval, costs and conventions belong to a result, not to its trial. */
export function trialFingerprint({ market, period, config }: TrialParts): string {
  return digest('sha256', `{"config":${configText(config)},${spanText({ market, period })}}`, 'hex')
}

/** SHA-256 hex over the fields that can matter alone: the same configuration on every market and in every period. */
export function configFingerprint(config: DcaSpotConfig): string {
  return nameOfConfig(configText(config))
}

/**
 * The ids that people type: the first digits of each configuration's fingerprint, as many more as tell it from the others of the list.
 * @param others fingerprints that an id must not begin, too
 */
export function shortIds(fingerprints: readonly string[], others: readonly string[] = fingerprints): readonly string[] {
  return fingerprints.map((fingerprint) => {
    let digits = ID_DIGITS
    const isShared = (other: string) => other !== fingerprint && other.startsWith(fingerprint.slice(0, digits))
    while (digits < fingerprint.length && others.some(isShared)) digits++
    return fingerprint.slice(0, digits)
  })
}

interface TrialNames {
  readonly fingerprint: string
  readonly configFingerprint: string
}

/** Names many configurations on one market and period, each by its `trialFingerprint` and its `configFingerprint`. */
export function nameTrialsOn(span: Omit<TrialParts, 'config'>): (config: DcaSpotConfig) => TrialNames {
  const place = spanText(span)
  return (config) => {
    const text = configText(config)
    return {
      fingerprint: digest('sha256', `{"config":${text},${place}}`, 'hex'),
      configFingerprint: nameOfConfig(text),
    }
  }
}

function spanText({ market, period }: Omit<TrialParts, 'config'>): string {
  return `"market":${canonicalJson(marketName(market))},"period":${canonicalJson(isoPeriod(period))}`
}

function nameOfConfig(config: string): string {
  return digest('sha256', `{"config":${config}}`, 'hex')
}

const SORTED_FIELDS = CONFIG_FIELDS.toSorted((a, b) => (a < b ? -1 : 1))

/** `canonicalJson` of the fields that can matter, without sorting their names each time. */
function configText(config: DcaSpotConfig): string {
  const idle = idleFields(config)
  let text = ''
  for (const field of SORTED_FIELDS) {
    if (!idle.includes(field) && !isAsBefore(field, config[field]))
      text += `,"${field}":"${decimalText(config[field])}"`
  }
  return `{${text.slice(1)}}`
}

/** SHA-256 hex over what results are computed under; unknown parts count as such. */
export function settingsFingerprint({ interval, conventions, costs, symbol }: Settings): string {
  return hash({
    interval,
    conventions: conventions === null ? null : hashedConventions(conventions),
    costs,
    symbol,
  })
}

const LADDER_FIELDS = ['dcaPriceScalePercent', 'dcaPriceStepMultiplier', 'dcaVolumeScale'] as const
const LATER_STEPS = ['dcaPriceStepMultiplier'] as const

/** Fields without effect: without a safety order the whole ladder, with one the multiplier of further steps. No others. */
export function idleFields(config: Pick<DcaSpotConfig, 'dcaMaxSafetyOrders'>): readonly ConfigField[] {
  if (config.dcaMaxSafetyOrders === 0) return LADDER_FIELDS
  return config.dcaMaxSafetyOrders === 1 ? LATER_STEPS : []
}

/** What the study asks, apart from its name and its text: the order of keys and of listed values does not matter. */
export function studyFingerprint(definition: Definition): string {
  return hash(hashedDefinition(definition))
}

/** What is hashed of each field that is not left out, under its key. */
function hashedDefinition(study: Definition): Readonly<Record<string, unknown>> {
  return hashedFields(study)
}

/** The grid alone, whatever is computed on it: what is held constant, what is varied, and its bounds. */
export function gridFingerprint({ base, axes, where }: Pick<Definition, 'base' | 'axes' | 'where'>): string {
  return hash(hashedFields({ base, axes, where }))
}

function hash(value: object): string {
  return digest('sha256', canonicalJson(value), 'hex')
}

/** JSON with sorted keys, numbers as plain decimal strings (1.0 is "1", -0 is "0") and text in Unicode's composed form (NFC). */
function canonicalJson(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return `"${decimalText(value)}"`
  if (typeof value === 'string') return JSON.stringify(value.normalize('NFC'))
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object') throw new Error(`a ${typeof value} has no canonical form`)
  const entries = Object.entries(value)
    .map(([key, entry]) => [key.normalize('NFC'), entry] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, entry]) => `${JSON.stringify(key)}:${canonicalJson(entry)}`).join(',')}}`
}

// When two settings are the same as far as both are known.

const PARTS = Object.keys(NOTHING_KNOWN) as readonly (keyof Settings)[] // keys of a literal

/** Whether two settings agree in every part that both know. */
export function settingsAgree(a: Settings, b: Settings): boolean {
  return PARTS.every((part) => {
    const [x, y] = [a[part], b[part]]
    return (
      x === null ||
      y === null ||
      settingsFingerprint({ ...NOTHING_KNOWN, [part]: x }) === settingsFingerprint({ ...NOTHING_KNOWN, [part]: y })
    )
  })
}
