/**
 * What a job is computed with beside its own fields: conventions, costs, the exchange's rules for the symbol. Each is what the job's
 * body asks in `settings`, or else the service's own; all are fixed when the job is accepted.
 */
import type { FieldProblem, JobSettingsBody } from '../contract/bodies.ts'
import {
  type Conventions,
  type Costs,
  DEFAULT_COSTS,
  NO_SYMBOL_RULES,
  type SymbolRules,
} from '../engine/conventions.ts'
import { CONVENTION_NAMES, readStatedConventions } from '../engine/read-conventions.ts'
import { COST_BELOW, isCostPercent, isSymbolRule } from '../engine/read-settings.ts'

// Reads a JSON object field by field and collects every problem with its field. A field nobody reads is a problem too, because a
// misspelt field would silently change what is simulated or created.

export type Decoded<T> = { readonly value: T } | { readonly problems: readonly FieldProblem[] }

export interface Form {
  has(field: string): boolean
  value(field: string): unknown
  /** A text of 1–200 characters without control characters; for anything else it records the problem and returns ''. */
  text(field: string): string
  /** The object in a field; for anything else it records the problem and returns undefined. */
  within(field: string, known: readonly string[]): Form | undefined
  refuse(field: string, message: string): void
  /** Returns what `build` makes, or every problem found. */
  close<T>(build: () => T): Decoded<T>
}

export function openForm(body: unknown, known: readonly string[]): Form {
  const problems: FieldProblem[] = []
  const refuse = (field: string, message: string) => void problems.push({ field, message })
  if (isObject(body)) return formOf(body, known, { problems, refuse })
  refuse('', `expected a JSON object, found ${spell(body)}`)
  return formOf({}, known, { problems, refuse })
}

interface Findings {
  /** Of the whole body. */
  readonly problems: readonly FieldProblem[]
  refuse(field: string, message: string): void
}

function formOf(body: object, known: readonly string[], { problems, refuse }: Findings): Form {
  // A Map, so that a field may be named like a member of Object.prototype.
  const fields = new Map<string, unknown>(Object.entries(body))
  for (const field of fields.keys())
    if (!known.includes(field)) refuse(field.slice(0, 100), 'is not a field of this body')
  return {
    has: (field) => fields.has(field),
    value: (field) => fields.get(field),
    text(field) {
      const value = fields.get(field)
      const usable = typeof value === 'string' && value.length >= 1 && value.length <= 200
      if (usable && !/[\p{Cc}\p{Cs}]/u.test(value)) return value
      refuse(field, `expected a text of 1–200 characters, found ${spell(value)}`)
      return ''
    },
    within(field, knownWithin) {
      const value = fields.get(field)
      if (!isObject(value)) {
        refuse(field, `expected a JSON object, found ${spell(value)}`)
        return undefined
      }
      return formOf(value, knownWithin, {
        problems,
        refuse: (inner, message) => refuse(`${field}.${inner}`, message),
      })
    },
    refuse,
    close: (build) => (problems.length > 0 ? { problems } : { value: build() }),
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A value as JSON, shortened for a message. */
export function spell(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

/** What this service computes with where a job asks nothing else; symbol rules are those of its candle folder. */
export interface ServiceTerms {
  readonly conventions: Conventions
  readonly costs: Costs
}

export interface JobTerms extends ServiceTerms {
  readonly symbol: SymbolRules
}

/** The terms as they are stored. A job that was accepted before its symbol rules were kept has none. */
export type KeptTerms = ServiceTerms & Partial<JobTerms>

/** The parts that a body asks for. */
export type AskedTerms = Partial<JobTerms>

const PARTS = ['conventions', 'costs', 'symbol'] as const satisfies readonly (keyof JobSettingsBody)[]
const COST_NAMES = Object.keys(DEFAULT_COSTS) as (keyof Costs)[] // keys of a const literal
const RULE_NAMES = Object.keys(NO_SYMBOL_RULES) as (keyof SymbolRules)[] // keys of a const literal

/** Reads the field `settings` of a job's body; a part that is given must state all that belongs to it. */
export function readSettings(body: Form): AskedTerms {
  const form = body.has('settings') ? body.within('settings', PARTS) : undefined
  if (form === undefined) return {}
  const conventions = readPart(form, 'conventions', CONVENTION_NAMES, readConventions)
  const costs = readPart(form, 'costs', COST_NAMES, readCosts)
  const symbol = readPart(form, 'symbol', RULE_NAMES, readRules)
  return {
    ...(conventions === undefined ? {} : { conventions }),
    ...(costs === undefined ? {} : { costs }),
    ...(symbol === undefined ? {} : { symbol }),
  }
}

function readPart<Part>(
  form: Form,
  name: keyof JobTerms,
  known: readonly string[],
  read: (part: Form) => Part | undefined,
): Part | undefined {
  const part = form.has(name) ? form.within(name, known) : undefined
  return part === undefined ? undefined : read(part)
}

function readConventions(form: Form): Conventions | undefined {
  const stated = readStatedConventions((name) => form.value(name))
  if ('conventions' in stated) return stated.conventions
  for (const { path, message } of stated.problems) form.refuse(path, message)
  return undefined
}

function readCosts(form: Form): Costs {
  const percent = (name: keyof Costs) => {
    const value = form.value(name)
    if (isCostPercent(value)) return value
    form.refuse(name, `expected a percentage from 0 to below ${COST_BELOW}, found ${spell(value)}`)
    return Number.NaN // the body is refused
  }
  return { feePercent: percent('feePercent'), slippagePercent: percent('slippagePercent') }
}

function readRules(form: Form): SymbolRules {
  const rule = (name: keyof SymbolRules) => {
    const value = form.value(name)
    if (isSymbolRule(name, value)) return value
    form.refuse(name, `expected a number above 0, or null where there is no such rule; found ${spell(value)}`)
    return null // the body is refused
  }
  return { tick: rule('tick'), lot: rule('lot'), minNotional: rule('minNotional') }
}
