/** `:name` parameters of a statement: which it has, and what each is bound to. */

/** A value as it travels to the process that runs the statement; digits keep integers beyond 2^53 whole. */
type ParameterValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'number'; readonly digits: string }

export type Parameters = Readonly<Record<string, ParameterValue>>

/**
 * As JSON writes numbers, or as people do: `.5`, `5.`, `+5`. `007` and digits of a fingerprint such as `4633e061` are texts: an exponent has a sign,
 * or a point before it.
 */
const number = /^[-+]?(?:(?:0|[1-9]\d*)(?:[eE][+-]\d+)?|(?:(?:0|[1-9]\d*)\.\d*|\.\d+)(?:[eE][+-]?\d+)?)$/

/** Numbers are numbers, `null` is NULL, everything else is text; in single quotes everything is, which digits of a fingerprint may need: `'46330614'`. */
export function readParameterValue(text: string): ParameterValue {
  if (text === 'null') return { kind: 'null' }
  if (/^'.*'$/s.test(text) && text.length > 1) return { kind: 'text', text: text.slice(1, -1) }
  return number.test(text) && Number.isFinite(Number(text)) ? { kind: 'number', digits: text } : { kind: 'text', text }
}
