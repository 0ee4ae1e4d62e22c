/**
 * What runs beside a dialect inside its interpreter (`dialect-machine.ts`): it gives the globals, turns a line of JSON into a call of the
 * dialect's functions, and what they answer into a line of JSON. It is loaded before the dialect and keeps what it uses of the language, so
 * that a dialect that changes it harms nobody but itself.
 *
 * Not part of the program: `dialect-texts.ts` holds it as text, and a test keeps the two equal. Nothing but texts crosses to the program.
 */
import { type AskAddress, globalsFor } from './dialect-globals.ts'

/** What the program gives. */
interface Host {
  readonly address: AskAddress
  /** One line of `console`. */
  readonly log: (line: string) => void
}

const { parse, stringify } = JSON
const { isArray } = Array
const { entries, fromEntries, is } = Object
const isFiniteNumber = Number.isFinite
const settled = Promise.resolve.bind(Promise)

/** A value as `console` shows it. */
function shown(value: unknown): string {
  if (typeof value === 'string') return value
  if (value instanceof Error) return describeError(value)
  try {
    return stringify(value, spell) ?? String(value)
  } catch {
    return textOf(value)
  }
}

const LONGEST_LINE = 1_000

function consoleOf(log: Host['log']): Record<string, (...values: unknown[]) => void> {
  const say = (...values: unknown[]) => log(values.map(shown).join(' ').slice(0, LONGEST_LINE))
  return fromEntries(['debug', 'dir', 'error', 'info', 'log', 'table', 'trace', 'warn'].map((name) => [name, say]))
}

// The caller -----------------------------------------------------------------------------------------------------------------------

/** JSON has no NaN: what is no number must not become null, which would be an answer. */
function spell(_key: string, value: unknown): unknown {
  if (typeof value === 'number') return isFiniteNumber(value) ? value : { '\u0000number': String(value) }
  return typeof value === 'bigint' ? String(value) : value
}

/** The keys that lead from a body to one of its lists: its items then keep their text. */
function placeOf(body: unknown, list: unknown, depth = 0): string[] | undefined {
  if (is(body, list)) return []
  if (typeof body !== 'object' || body === null || isArray(body) || depth === 5) return undefined
  for (const [key, value] of entries(body)) {
    const rest = placeOf(value, list, depth + 1)
    if (rest !== undefined) return [key, ...rest]
  }
  return undefined
}

function textOf(value: unknown): string {
  try {
    return String(value)
  } catch {
    return 'what was thrown has no text'
  }
}

let moduleName = ''

/** What was thrown, with the place in the module that it comes from: `TypeError: … (my-service.mjs:3:21)`. */
function describeError(error: unknown): string {
  if (!(error instanceof Error)) return `it threw ${textOf(error).slice(0, LONGEST_LINE)}`
  try {
    const name = String(error.name)
    const words = `${name === 'Error' ? '' : `${name}: `}${String(error.message)}`.slice(0, LONGEST_LINE)
    const frame = String(error.stack)
      .split('\n')
      .find((line) => line.includes(`${moduleName}:`))
    const place = frame === undefined ? undefined : /:(\d+:\d+)\)?$/.exec(frame)?.[1]
    return place === undefined ? words : `${words} (${moduleName}:${place})`
  } catch {
    return 'what was thrown has no text'
  }
}

interface Call {
  readonly name: string
  readonly values: readonly unknown[]
  /** The only value is a list, and the function is called with each of its items. */
  readonly each: boolean
}

type Functions = Readonly<Record<string, (...values: unknown[]) => unknown>>

/** What one call leads to. Promises count when they have settled once nothing is left to do. */
class Caller {
  #dialect: Functions = {}
  #call: Call = { name: '', values: [], each: false }
  #answers: unknown[] = []
  #waiting = 0
  #error: string | undefined

  /** The members of the export named dialect, each with its `typeof` and, of a function, its line. */
  take(namespace: { readonly dialect?: unknown }): string {
    const given = namespace.dialect
    if (typeof given !== 'object' || given === null || isArray(given)) return 'null'
    this.#dialect = given as Functions // each member is checked by its `typeof` before it is called
    const members = entries(given).map(([name, value]) => [name, { type: typeof value, line: lineOf(value) }])
    return stringify(fromEntries(members))
  }

  begin(line: string): void {
    this.#answers = []
    this.#waiting = 0
    this.#error = undefined
    this.#call = parse(line)
    const { values, each } = this.#call
    const calls = each ? (values[0] as readonly unknown[]).map((item) => [item]) : [values] // a list, as the program sends it
    for (let at = 0; at < calls.length && this.#error === undefined; at++) this.#ask(at, calls[at])
  }

  #ask(at: number, values: readonly unknown[]): void {
    try {
      const value = this.#dialect[this.#call.name](...values)
      if (!(value instanceof Promise)) {
        this.#answers[at] = value
        return
      }
      this.#waiting++
      settled(value).then(
        (answer: unknown) => {
          this.#waiting--
          this.#answers[at] = answer
        },
        (error: unknown) => {
          this.#waiting--
          this.#fail(at, describeError(error))
        },
      )
    } catch (error) {
      this.#fail(at, describeError(error))
    }
  }

  #fail(at: number, words: string): void {
    const { each, values } = this.#call
    const where = each && isArray(values[0]) ? ` on item ${at + 1} of ${values[0].length}` : ''
    this.#error ??= `failed${where}: ${words}`
  }

  /** The answer as JSON. */
  end(): string {
    if (this.#error === undefined && this.#waiting > 0) {
      this.#error = 'answers a promise that does not settle: nothing here comes later'
    }
    if (this.#error !== undefined) return stringify({ error: this.#error })
    try {
      const { each, values } = this.#call
      if (each) return stringify({ value: this.#answers }, spell)
      const [value] = this.#answers
      const items = typeof value === 'object' && value !== null ? Reflect.get(value, 'items') : undefined
      const at = isArray(items) ? placeOf(values[0], items) : undefined
      return stringify(
        at === undefined ? { value } : { value: { next: Reflect.get(Object(value), 'next') }, at },
        spell,
      )
    } catch (error) {
      return stringify({ error: `answers what JSON cannot hold: ${describeError(error)}` })
    }
  }
}

/** QuickJS tells where a function begins. */
function lineOf(value: unknown): number | null {
  const line: unknown = typeof value === 'function' ? Reflect.get(value, 'lineNumber') : undefined
  return typeof line === 'number' ? line : null
}

/** Gives the globals, and takes those away that are of no use here. `name`: the file of the module that comes next. */
export function prepare(name: string, host: Host): Record<'take' | 'begin' | 'end' | 'describe', unknown> {
  moduleName = name
  const given = { ...globalsFor(host.address), console: consoleOf(host.log) }
  for (const [global, value] of entries(given)) {
    Object.defineProperty(globalThis, global, { value, writable: true, configurable: true })
  }
  for (const global of ['SharedArrayBuffer', 'Atomics']) Reflect.deleteProperty(globalThis, global)
  const caller = new Caller()
  return {
    take: (namespace: { readonly dialect?: unknown }) => caller.take(namespace),
    begin: (line: string) => caller.begin(line),
    end: () => caller.end(),
    describe: describeError,
  }
}
