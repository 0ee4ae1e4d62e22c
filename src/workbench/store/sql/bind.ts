/** `:name` parameters of a statement: which it has, and what each is bound to. */
import { Failure, type Problem } from '../../../errors.ts'
import { tokensOf } from './place.ts'

/** A value as it travels to the process that runs the statement; digits keep integers beyond 2^53 whole. */
export type ParameterValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly digits: string }

export type Parameters = Readonly<Record<string, ParameterValue>>

/** As JSON writes numbers, or as people do: `.5`, `5.`, `+5`. `007` and a fingerprint such as `0123456789` are texts. */
const number = /^[-+]?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/

/** Numbers are numbers, `null` is NULL, everything else is text; in single quotes everything is. */
export function readParameterValue(text: string): ParameterValue {
  if (text === 'null') return { kind: 'null' }
  if (/^'.*'$/s.test(text) && text.length > 1) return { kind: 'text', text: text.slice(1, -1) }
  return number.test(text) && Number.isFinite(Number(text)) ? { kind: 'number', digits: text } : { kind: 'text', text }
}

/**
 * The values to bind, by name.
 * @throws Failure sqlInvalid that names every missing, unused and nameless parameter
 */
export function bindParameters(sql: string, given: Parameters): Record<string, string | number | bigint | null> {
  const asked = [
    ...new Set(
      tokensOf(sql)
        .filter(({ kind }) => kind === 'parameter')
        .map(({ text }) => text),
    ),
  ]
  const names = asked.filter((text) => !text.startsWith('?')).map((text) => text.slice(1))
  const problems: Problem[] = [
    ...asked
      .filter((text) => text.startsWith('?'))
      .map((place) => ({ place, message: 'has no name; write it as :name' })),
    ...names
      .filter((name) => !Object.hasOwn(given, name))
      .map((name) => ({ place: `:${name}`, message: `has no value; give it by --param ${name}=…` })),
    ...Object.keys(given)
      .filter((name) => !names.includes(name))
      .map((name) => ({ place: `--param ${name}`, message: `the statement has no :${name}` })),
  ]
  if (problems.length > 0) {
    throw new Failure('sqlInvalid', 'the parameters do not fit the statement', {
      problems,
      hint: 'a parameter is written :name in the statement and given by --param name=value, once for each',
    })
  }
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, boundValue(value)]))
}

/** Whole numbers are bound as integers: better-sqlite3 binds every other number as a real one. */
function boundValue(value: ParameterValue): string | number | bigint | null {
  if (value.kind === 'null') return null
  if (value.kind === 'text') return value.text
  if (!/^[-+]?\d+$/.test(value.digits)) return Number(value.digits)
  const whole = BigInt(value.digits)
  return BigInt.asIntN(64, whole) === whole ? whole : Number(value.digits)
}
