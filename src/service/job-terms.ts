/**
 * What a job is computed with beside its own fields: conventions, costs, the exchange's rules for the symbol. Each is what the job's
 * body asks in `settings`, or else the service's own; all are fixed when the job is accepted.
 */
import type { JobSettingsBody } from '../contract/bodies.ts'
import {
  type Conventions,
  type Costs,
  DEFAULT_COSTS,
  NO_SYMBOL_RULES,
  type SymbolRules,
} from '../engine/conventions.ts'
import { CONVENTION_NAMES, readStatedConventions } from '../engine/read-conventions.ts'
import { COST_BELOW, isCostPercent, isSymbolRule } from '../engine/read-settings.ts'
import { type Form, spell } from './form.ts'

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
