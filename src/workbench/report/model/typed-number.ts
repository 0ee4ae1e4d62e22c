/** A number as a hand types it, with a decimal point or a decimal comma. Pure. */

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
      problem: `${text} can be read in two ways; write ${whole}${rest} or ${whole}.${rest}`,
    }
  }
  const plain = text.replace(',', '.')
  if (/^[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:e[+-]?[0-9]+)?$/i.test(plain)) return { value: Number(plain) }
  return { value: Number.NaN, problem: `expected a number, found ${text === '' ? 'nothing' : text}` }
}
