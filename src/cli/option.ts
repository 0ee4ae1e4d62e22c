/**
 * One declaration per option: what it means, its bounds, and what it is when it is not given. Parsing, `--help` and COMMANDS.md follow from it,
 * so no description says a default or a minimum by hand. And how a word is typed in a command that is suggested.
 */
import { Option } from 'commander'
import { Failure } from '../errors.ts'

/** The group of a command's help that most people never need. */
export const ADVANCED = 'Advanced:'

/** How rows are printed. */
export const FORMATS = ['table', 'csv', 'json', 'ndjson', 'md'] as const
export type Format = (typeof FORMATS)[number]

export interface FormatOptions {
  readonly format?: Format
  /** Short for `format: 'json'`. */
  readonly json?: boolean
}

export function formatOption(): DeclaredOption {
  const declared = option('--format <format>', `${FORMATS.join(', ')}; --json is short for json`, {
    otherwise: 'table',
  })
  declared.choices([...FORMATS])
  return declared
}

/** @throws Failure usage where the two name different ones */
export function chooseFormat({ format, json }: FormatOptions): Format {
  if (json && format !== undefined && format !== 'json') {
    throw new Failure('usage', `--json and --format ${format} exclude each other`)
  }
  return json ? 'json' : (format ?? 'table')
}

interface Absent<Value> {
  /** What an absent option is, where the room that is asked decides it: "110 of 120". */
  readonly otherwise?: string
  /** The value of an absent option, where the command line itself decides it. */
  readonly default?: Value
  /** The setting that says it too. */
  readonly variable?: string
}

interface Bounds extends Absent<number> {
  readonly minimum: number
  readonly maximum?: number
}

export class DeclaredOption extends Option {
  readonly minimum: number | undefined
  readonly maximum: number | undefined
  readonly otherwise: string | undefined
  readonly variable: string | undefined

  constructor(
    flags: string,
    says: string,
    row: Absent<number | string> & Partial<Pick<Bounds, 'minimum' | 'maximum'>>,
  ) {
    super(flags, says)
    this.minimum = row.minimum
    this.maximum = row.maximum
    this.otherwise = row.otherwise
    this.variable = row.variable
    if (row.default !== undefined) this.default(row.default)
  }
}

/** An option that is text, or merely given. */
export function option(flags: string, says: string, absent: Absent<string> = {}): DeclaredOption {
  return new DeclaredOption(flags, says, absent)
}

/** A whole number. @throws Failure usage while parsing */
export function whole(flags: string, says: string, bounds: Bounds): DeclaredOption {
  const declared = new DeclaredOption(flags, says, bounds)
  declared.argParser(wholeNumber(declared.long ?? flags, bounds.minimum, bounds.maximum))
  return declared
}

/** A whole number flag. @throws Failure usage */
function wholeNumber(flag: string, minimum: number, maximum = Number.MAX_SAFE_INTEGER): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+$/.test(text) && value >= minimum && value <= maximum) return value
    const most = maximum === Number.MAX_SAFE_INTEGER ? '' : ` and at most ${maximum}`
    throw new Failure('usage', `${flag} expects a whole number of at least ${minimum}${most}, found "${text}"`)
  }
}

/** A number that may have decimals. @throws Failure usage while parsing */
export function decimal(flags: string, says: string, bounds: Omit<Bounds, 'maximum'>): DeclaredOption {
  const declared = new DeclaredOption(flags, says, bounds)
  declared.argParser(decimalNumber(declared.long ?? flags, bounds.minimum))
  return declared
}

/** A number flag that may have decimals. @throws Failure usage */
function decimalNumber(flag: string, minimum: number): (text: string) => number {
  return (text) => {
    const value = Number(text)
    if (/^\d+(\.\d+)?$/.test(text) && value >= minimum) return value
    throw new Failure('usage', `${flag} expects a number of at least ${minimum}, found "${text}"`)
  }
}
