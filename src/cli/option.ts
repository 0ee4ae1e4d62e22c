/**
 * One declaration per option: what it means, its bounds, and what it is when it is not given. Parsing, `--help` and COMMANDS.md follow from it,
 * so no description says a default or a minimum by hand.
 */
import { Option } from 'commander'
import { decimalNumber, wholeNumber } from './output.ts'

interface Absent {
  /** What an absent option is, where the room that is asked decides it: "110 of 120". */
  readonly otherwise?: string
}

interface Bounds<Default> extends Absent {
  readonly minimum: number
  readonly maximum?: number
  /** The value of an absent option. */
  readonly default?: Default
}

export class DeclaredOption extends Option {
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  /** In words; undefined: an absent option changes nothing. */
  readonly otherwise: string | undefined

  constructor(flags: string, says: string, { minimum, maximum, otherwise }: Partial<Bounds<number>> = {}) {
    super(flags, says)
    this.minimum = minimum
    this.maximum = maximum
    this.otherwise = otherwise
  }

  get takesNumber(): boolean {
    return this.minimum !== undefined
  }
}

/** An option that is text, or merely given. */
export function option(flags: string, says: string, absent: Absent & { readonly default?: string } = {}): DeclaredOption {
  return withDefault(new DeclaredOption(flags, says, absent), absent.default)
}

/** A whole number. @throws Failure usage while parsing */
export function whole(flags: string, says: string, bounds: Bounds<number>): DeclaredOption {
  const declared = new DeclaredOption(flags, says, bounds)
  declared.argParser(wholeNumber(nameOf(declared), bounds.minimum, bounds.maximum))
  return withDefault(declared, bounds.default)
}

/** A number that may have decimals. @throws Failure usage while parsing */
export function decimal(flags: string, says: string, bounds: Omit<Bounds<number>, 'maximum'>): DeclaredOption {
  const declared = new DeclaredOption(flags, says, bounds)
  declared.argParser(decimalNumber(nameOf(declared), bounds.minimum))
  return withDefault(declared, bounds.default)
}

/** As `--help` shows it: "at most so many (at least 1; default 100)". */
export function describeOption(shown: Option): string {
  if (!(shown instanceof DeclaredOption)) return shown.description
  const facts = [boundsOf(shown), defaultOf(shown)].filter((text) => text !== '')
  return facts.length === 0 ? shown.description : `${shown.description} (${facts.join('; ')})`
}

export function boundsOf({ minimum, maximum }: DeclaredOption): string {
  if (minimum === undefined) return ''
  return maximum === undefined ? `at least ${minimum}` : `${minimum} to ${maximum}`
}

export function defaultOf({ defaultValue, otherwise }: DeclaredOption): string {
  const text = defaultValue === undefined ? otherwise : String(defaultValue)
  return text === undefined ? '' : `default ${text}`
}

function withDefault(declared: DeclaredOption, value: number | string | undefined): DeclaredOption {
  if (value !== undefined) declared.default(value)
  return declared
}

function nameOf(declared: Option): string {
  return declared.long ?? declared.flags
}
