/** Which seen field is probably which of ours, and why. A guess takes a field away from later ones, so that none is used twice. */
import { money, percent } from '../reading/dialect-library.ts'
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

function conversionOf({ kind }: Sought, name: string, value: unknown): Conversion {
  const isText = typeof value === 'string'
  switch (kind) {
    case 'number':
      return isText ? { convert: calling('money'), why: 'a number as text' } : AS_IT_IS
    case 'amount':
      return isText ? amountConversion(value) : AS_IT_IS
    case 'percent':
    case 'depth':
      return percentConversion(name, value, kind === 'depth')
    case 'seconds':
      return { convert: (text) => `${text} / 3600`, why: 'taken for seconds' }
    case 'time': {
      const ms = timeOf(value)
      if (ms === null) return { convert: calling('time'), why: 'a time that does not say all of itself' }
      return { ...AS_IT_IS, why: new Date(ms).toISOString().slice(0, 16) }
    }
    default:
      return AS_IT_IS
  }
}

const AS_IT_IS: Conversion = { convert: (expression) => expression, why: '' }

/** A call of a helper of 'dcalab', with what only this value needs. */
function calling(helper: string, more = '') {
  return (expression: string): string => `${helper}(${expression}${more})`
}

/** A currency that the helper does not know is named. */
function amountConversion(value: string): Conversion {
  const isKnown = (['.', ','] as const).some((decimal) => typeof money(value, { decimal }) === 'number')
  const unit = isKnown ? undefined : /[a-z][a-z0-9]*/i.exec(value)?.[0]
  const more = unit === undefined ? '' : `, { unit: ${JSON.stringify(unit)} }`
  return { convert: calling('money', more), why: 'a text that is read whole' }
}

/** `isDepth`: with us it is never negative. */
function percentConversion(name: string, value: unknown, isDepth: boolean): Conversion {
  const text = typeof value === 'string' ? value : undefined
  const [number = Number.NaN] = (['.', ','] as const)
    .map((decimal) => percent(value, { decimal }))
    .filter((read) => typeof read === 'number')
  const isBelow = isDepth && number < 0
  const below = isBelow ? ', below zero' : ''
  const more = isBelow ? ', { absolute: true }' : ''
  const saysPercent = text !== undefined && /[^\d\s.,+−-]/.test(text)
  if (saysPercent || /percent|pct|perc/.test(name) || Math.abs(number) > 1) {
    if (text !== undefined) return { convert: calling('percent', more), why: `a text in percent${below}` }
    return { convert: isBelow ? calling('Math.abs') : AS_IT_IS.convert, why: `taken for percent${below}` }
  }
  return { convert: calling('share', more), why: `taken for a fraction, as it is 1 or less${below}` }
}
