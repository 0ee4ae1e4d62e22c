/** Which seen field is probably which of ours, and why. A guess takes a field away from later ones, so that none is used twice. */
import { timeOf } from '../reading/single-values.ts'
import type { SeenField } from './seen-fields.ts'
import { plainName } from './seen-fields.ts'
import { fits, type Sought } from './sought-fields.ts'

export interface Guess {
  readonly field: string
  readonly path: readonly string[]
  /** What its value is, as an expression of the value as it stands in the body. */
  readonly convert: (expression: string) => string
  readonly reason: string
}

/** At most one guess for each field that is sought, in their order. */
export function guessFields(seen: readonly SeenField[], sought: readonly Sought[]): readonly Guess[] {
  const taken = new Set<SeenField>()
  const guesses = new Map<string, Guess>()
  for (const one of sought) {
    if (guesses.has(one.field)) continue
    const free = seen.filter((candidate) => !taken.has(candidate) && fits(one, candidate.value))
    const own = plainName(one.field)
    const found = free.find(({ name }) => name === own) ?? free.find(({ name }) => one.names.test(name))
    if (found === undefined) continue
    taken.add(found)
    guesses.set(one.field, toGuess(one, found))
  }
  return [...guesses.values()]
}

function toGuess(sought: Sought, { path, name, value }: SeenField): Guess {
  const shown = (JSON.stringify(value) ?? '').replaceAll('*/', '* /').slice(0, 60)
  const { convert, why } = conversionOf(sought, name, value)
  return { field: sought.field, path, convert, reason: why === '' ? shown : `${shown}: ${why}` }
}

interface Conversion {
  readonly convert: (expression: string) => string
  readonly why: string
}

const asItIs = (expression: string): string => expression

function conversionOf({ kind }: Sought, name: string, value: unknown): Conversion {
  const number = typeof value === 'number' ? value : Number.parseFloat(String(value))
  const isText = typeof value === 'string' && Number.isNaN(Number(value))
  switch (kind) {
    case 'amount':
      return isText ? { convert: parsed, why: 'a number with a unit' } : { convert: asItIs, why: '' }
    case 'percent':
    case 'depth': {
      const wrap = kind === 'depth' && number < 0 ? (text: string) => `Math.abs(${text})` : asItIs
      const below = kind === 'depth' && number < 0 ? ', below zero' : ''
      if (isText) return { convert: (text) => wrap(parsed(text)), why: `a text in percent${below}` }
      if (/percent|pct|perc/.test(name) || Math.abs(number) > 1)
        return { convert: wrap, why: `taken for percent${below}` }
      return { convert: (text) => wrap(`${text} * 100`), why: `taken for a fraction, as it is 1 or less${below}` }
    }
    case 'seconds':
      return { convert: (text) => `${text} / 3600`, why: 'taken for seconds' }
    case 'time': {
      const time = timeOf(value)
      return { convert: asItIs, why: time === null ? '' : new Date(time).toISOString().slice(0, 16) }
    }
    default:
      return { convert: asItIs, why: '' }
  }
}

function parsed(expression: string): string {
  return `Number.parseFloat(${expression})`
}
