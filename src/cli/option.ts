/**
 * One declaration per option: what it means, its bounds, and what it is when it is not given. Parsing, `--help` and COMMANDS.md follow from it,
 * so no description says a default or a minimum by hand.
 */
import { Option } from 'commander'
import { Failure } from '../errors.ts'
import { decimalNumber, wholeNumber } from './output.ts'

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

/** A number that may have decimals. @throws Failure usage while parsing */
export function decimal(flags: string, says: string, bounds: Omit<Bounds, 'maximum'>): DeclaredOption {
  const declared = new DeclaredOption(flags, says, bounds)
  declared.argParser(decimalNumber(declared.long ?? flags, bounds.minimum))
  return declared
}

/** As `--help` shows it: "at most so many (at least 1; default 100)". */
export function describeOption(shown: Option): string {
  if (!(shown instanceof DeclaredOption)) return shown.description
  const facts = [shown.variable ?? '', boundsOf(shown), defaultOf(shown)].filter((text) => text !== '')
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
