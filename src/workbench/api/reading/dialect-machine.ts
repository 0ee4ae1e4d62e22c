/**
 * A dialect module runs in an interpreter of its own: QuickJS, compiled to WebAssembly, in this process and with nothing of this process. It
 * is another JavaScript altogether, in a memory of its own: there is no object of ours that it could climb up by, no file, no network, no
 * clock to wait for, no other module. Texts go in and texts come out (`decisions/0021`).
 *
 *     this process ── V8's time limit ── WebAssembly with its own memory ── QuickJS with its own limits ── dialect-caller.ts ── the module
 */

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { createContext, runInNewContext, Script } from 'node:vm'
import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSSyncVariant,
  QuickJSWASMModule,
} from 'quickjs-emscripten-core'
import { Failure } from '../../../errors.ts'
import { DIALECT_CALLER, DIALECT_LIBRARY } from './dialect-texts.ts'
import { fieldsOf, own, textOf } from './shape.ts'

/**
 * One call, a list of a thousand items included. `callMs` is kept by QuickJS itself, which does not ask inside some of its own loops; then
 * V8 ends the call at `watchdogMs`. The heap is what QuickJS allots, the memory is what WebAssembly can ever have.
 */
export const DIALECT_LIMITS = {
  callMs: 2_000,
  watchdogMs: 4_000,
  heapBytes: 48 * 1024 * 1024,
  memoryBytes: 128 * 1024 * 1024,
  /** At 192 kB V8's own stack is full first. */
  stackBytes: 64 * 1024,
  answerCharacters: 32 * 1024 * 1024,
  /** Values of an answer: each is an object of ours in the end. */
  answerValues: 1_000_000,
  addressCharacters: 64 * 1024,
  logLines: 200,
} as const

/** A member of the export named dialect. */
interface DialectMember {
  /** Its `typeof`. */
  readonly type: string
  /** Where a function begins. */
  readonly line: number | null
}

export interface DialectModule {
  /** null when there is no such object. */
  readonly members: Readonly<Record<string, DialectMember>> | null
  /** @throws Failure settingInvalid with the function, what went wrong in it and the line */
  call(name: string, values: readonly unknown[]): unknown
  /** The function's answer for each of `items`, in one call. @throws Failure settingInvalid, which names the item too */
  callEach(name: string, items: readonly unknown[]): readonly unknown[]
  /** What it wrote to its console, oldest first. */
  readonly log: readonly string[]
}

/** An answer that is none: `words` follow the name of the function. */
class Broken extends Error {}

const pageBytes = 64 * 1024

/** As QuickJS was compiled for: 16 MB, of which it touches what it needs. */
const firstPages = 256

/** Interpreters take a few ms to make, and are made while nothing waits: one is always ready in the place of one that was thrown away. */
class Interpreters {
  readonly #ready: QuickJSWASMModule[] = []

  async prepare(): Promise<void> {
    this.#ready.push(await newInterpreter())
  }

  take(): QuickJSWASMModule | undefined {
    const taken = this.#ready.shift()
    // Where none can be made, the next call that wants one says so.
    if (taken !== undefined) this.prepare().catch(() => {})
    return taken
  }
}

let compiled: Promise<WebAssembly.Module> | undefined

async function compile(): Promise<WebAssembly.Module> {
  const file = createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
  return WebAssembly.compile(await readFile(file))
}

/** QuickJS gives up in the middle: that is ours to report, and nothing is printed. */
const emscriptenModule: object = {
  onAbort: (why: unknown) => {
    throw new Error(String(why))
  },
}

async function newInterpreter(): Promise<QuickJSWASMModule> {
  compiled ??= compile()
  const [{ newQuickJSWASMModuleFromVariant, newVariant }, { default: variant }, wasmModule] = await Promise.all([
    import('quickjs-emscripten-core'),
    import('@jitl/quickjs-wasmfile-release-sync'),
    compiled,
  ])
  const maximum = DIALECT_LIMITS.memoryBytes / pageBytes
  const wasmMemory = new WebAssembly.Memory({ initial: firstPages, maximum, shared: false })
  const sync = variant as unknown as QuickJSSyncVariant // its types describe its CommonJS form
  return newQuickJSWASMModuleFromVariant(newVariant(sync, { wasmModule, wasmMemory, emscriptenModule }))
}

/** The module's text, the name of its file, and where its console goes. */
interface Source {
  readonly text: string
  readonly name: string
  readonly log: string[]
}

const notEnded = `did not come to an end within ${DIALECT_LIMITS.callMs / 1000} s`

/** For finding the words of what was interrupted. */
const graceMs = 100

const waitsForEver = 'it waits at its top level for what does not come: nothing here comes later'

/** One interpreter with the module in it. Everything here runs inside `watched`. */
class Machine {
  readonly members: DialectModule['members']
  readonly #interpreter: QuickJSWASMModule
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  #caller: QuickJSHandle
  #interruptAt = 0
  #isInterrupted = false

  /** @throws Broken with why the module does not load */
  constructor(interpreter: QuickJSWASMModule, source: Source) {
    this.#interpreter = interpreter
    this.#runtime = interpreter.newRuntime({
      memoryLimitBytes: DIALECT_LIMITS.heapBytes,
      maxStackSizeBytes: DIALECT_LIMITS.stackBytes,
      moduleLoader: (name) => (name === 'dcalab' ? DIALECT_LIBRARY : { error: new Error(importsOnly(name)) }),
    })
    this.#runtime.setInterruptHandler(() => performance.now() > this.#interruptAt)
    this.#context = this.#runtime.newContext()
    this.#begin()
    this.#caller = this.#prepare(source)
    try {
      const namespace = this.#settled(
        this.#run(() => this.#context.evalCode(source.text, source.name, { type: 'module' })),
      )
      this.members = membersIn(this.#ask('take', namespace))
    } catch (error) {
      throw error instanceof Broken ? new Broken(withPlace(error.message, source)) : error
    }
  }

  /** A line of JSON as `Caller` of dialect-caller.ts takes it, and its answer. @throws Broken */
  answer(line: string): string {
    this.#begin()
    const asked = this.#context.newString(line)
    this.#call('begin', asked).dispose()
    asked.dispose()
    this.#runJobs()
    if (performance.now() > this.#interruptAt) {
      this.#isInterrupted = true // inside a promise, which takes it for a rejection
      throw new Broken(notEnded)
    }
    return this.#ask('end')
  }

  /** It was interrupted, so that jobs of that call may be left, or what it keeps leaves too little for the next call. */
  get isWorn(): boolean {
    return this.#isInterrupted || this.#isFull()
  }

  #isFull(): boolean {
    if (this.#interpreter.getWasmMemory().buffer.byteLength <= DIALECT_LIMITS.heapBytes / 2) return false
    const usage = this.#runtime.computeMemoryUsage()
    const size = this.#context.getProp(usage, 'malloc_size')
    const isFull = !(this.#context.getNumber(size) <= DIALECT_LIMITS.heapBytes / 2) // no number where even the figures found no place
    size.dispose()
    usage.dispose()
    return isFull
  }

  /** The globals, and the functions that call the module's. */
  #prepare({ name, log }: Source): QuickJSHandle {
    const context = this.#context
    const globals = this.#run(() => context.evalCode(DIALECT_CALLER, 'dcalab-caller', { type: 'module' }))
    const host = context.newObject()
    const address = context.newFunction('address', (asked) =>
      context.newString(partsOfAddress(context.getString(asked))),
    )
    const write = context.newFunction('log', (line) => {
      if (log.length < DIALECT_LIMITS.logLines) log.push(context.getString(line))
    })
    context.setProp(host, 'address', address)
    context.setProp(host, 'log', write)
    const [prepare, file] = [context.getProp(globals, 'prepare'), context.newString(name)]
    const caller = this.#run(() => context.callFunction(prepare, context.undefined, file, host))
    for (const handle of [globals, host, address, write, prepare, file]) handle.dispose()
    return caller
  }

  /** Gives the interpreter back for another machine. @throws Error when what was interrupted left it in disorder: it is then of no use. */
  close(): QuickJSWASMModule {
    this.#caller.dispose()
    this.#context.dispose()
    this.#runtime.dispose()
    return this.#interpreter
  }

  #begin(): void {
    this.#interruptAt = performance.now() + DIALECT_LIMITS.callMs
  }

  #call(name: 'take' | 'begin' | 'end' | 'describe', ...values: QuickJSHandle[]): QuickJSHandle {
    const run = this.#context.getProp(this.#caller, name)
    const result = this.#run(() => this.#context.callFunction(run, this.#context.undefined, ...values))
    run.dispose()
    return result
  }

  #ask(name: 'take' | 'end' | 'describe', ...values: QuickJSHandle[]): string {
    const answer = this.#call(name, ...values)
    const length = this.#context.getProp(answer, 'length')
    const isTooLong = this.#context.getNumber(length) > DIALECT_LIMITS.answerCharacters
    length.dispose()
    const text = isTooLong ? '' : this.#context.getString(answer)
    answer.dispose()
    if (isTooLong) throw new Broken(`answers more than ${inMegabytes(DIALECT_LIMITS.answerCharacters)} of text`)
    return text
  }

  /** A module with an `await` outside of its functions is a promise of itself. */
  #settled(module: QuickJSHandle): QuickJSHandle {
    this.#runJobs()
    const state = this.#context.getPromiseState(module)
    if (state.type === 'fulfilled') return state.value
    throw new Broken(state.type === 'rejected' ? this.#describe(state.error) : waitsForEver)
  }

  #runJobs(): void {
    const { error } = this.#runtime.executePendingJobs()
    if (error !== undefined) throw new Broken(this.#describe(error))
  }

  #run(work: () => ReturnType<QuickJSContext['evalCode']>): QuickJSHandle {
    const result = work()
    if (result.error !== undefined) throw new Broken(this.#describe(result.error))
    return result.value
  }

  /** What QuickJS ended the work by. The dialect's own errors are caught beside it. */
  #describe(error: QuickJSHandle): string {
    const isLate = performance.now() > this.#interruptAt
    this.#isInterrupted ||= isLate
    this.#interruptAt = performance.now() + graceMs
    const words = this.#ask('describe', error)
    error.dispose()
    const place = / \([^()]*:\d+:\d+\)$/.exec(words)?.[0] ?? ''
    return isLate ? notEnded + place : words
  }
}

function importsOnly(name: string): string {
  return `a dialect imports from 'dcalab' only, and this one imports '${name.slice(0, 100)}'`
}

/** QuickJS gives an import, and a promise of a module, no place: the first line that names it has it. */
function withPlace(words: string, { text, name }: Source): string {
  const asked = /this one imports '(.+)'$|Could not find export '(.+?)'/.exec(words)
  const named = words === waitsForEver ? 'await' : (asked?.[1] ?? asked?.[2])
  const at = named === undefined ? -1 : text.indexOf(named)
  if (at === -1) return words
  const before = text.slice(0, at).split('\n')
  return `${words} (${name}:${before.length}:${(before.at(-1) ?? '').length + 1})`
}

/** The answer to `address` of dialect-globals.ts, by this process's own URL; '' for what is none. */
function partsOfAddress(asked: string): string {
  if (asked.length > DIALECT_LIMITS.addressCharacters) return ''
  try {
    const given: unknown = JSON.parse(asked)
    const [address, base, part, value] = Array.isArray(given) ? given.map(textOf) : []
    const url = new URL(address ?? '', base ?? undefined)
    if (part && value !== null && Object.hasOwn(URL.prototype, part) && !Reflect.set(url, part, value)) return ''
    const { href, origin, protocol, username, password, host, hostname, port, pathname, search, hash } = url
    return JSON.stringify({ href, origin, protocol, username, password, host, hostname, port, pathname, search, hash })
  } catch {
    return ''
  }
}

// Answers ------------------------------------------------------------------------------------------------------------------------

interface Answer {
  readonly value?: unknown
  /** The keys that lead to a list in the body. */
  readonly at?: unknown
}

const notANumber = '\\u0000number'

const deepestAnswer = 200

/** @throws Broken with what the module threw, or for an answer that is too large */
function readAnswer(text: string): Answer {
  const { values, depth } = sizeOf(text)
  if (values > DIALECT_LIMITS.answerValues) throw new Broken(`answers more than ${DIALECT_LIMITS.answerValues} values`)
  if (depth > deepestAnswer) throw new Broken(`answers values that are nested more than ${deepestAnswer} deep`)
  const answer = fieldsOf(text.includes(notANumber) ? JSON.parse(text, revive) : JSON.parse(text))
  const error = own(answer, 'error')
  if (answer === null || error !== undefined) throw new Broken(textOf(error) ?? 'gave no answer')
  return { value: own(answer, 'value'), at: own(answer, 'at') }
}

/** An upper bound of how many values a JSON text holds, and how deep they are nested, without making one of them. */
function sizeOf(text: string): { readonly values: number; readonly depth: number } {
  let [values, open, depth] = [1, 0, 0]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      for (at++; at < text.length && text.charCodeAt(at) !== QUOTE; at++) if (text.charCodeAt(at) === BACKSLASH) at++
    } else if (code === BRACKET || code === BRACE) {
      values++
      depth = Math.max(depth, ++open)
    } else if (code === COMMA) values++
    else if (code === BRACKET + 2 || code === BRACE + 2) open--
  }
  return { values, depth }
}

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = [0x22, 0x5c, 0x2c, 0x5b, 0x7b]

/** JSON has no NaN: what is no number must not come back as null, which would be an answer. */
function revive(_key: string, value: unknown): unknown {
  const spelled = own(fieldsOf(value), '\u0000number')
  return spelled === undefined ? value : Number(spelled)
}

function membersIn(text: string): DialectModule['members'] {
  const fields = fieldsOf(JSON.parse(text))
  if (fields === null) return null
  const members = Object.entries(fields).map(([name, member]) => {
    const line = own(fieldsOf(member), 'line')
    return [name, { type: String(own(fieldsOf(member), 'type')), line: typeof line === 'number' ? line : null }]
  })
  return Object.fromEntries(members)
}

function inMegabytes(size: number): string {
  return `${size / 1024 / 1024} MB`
}

// The module -----------------------------------------------------------------------------------------------------------------------

const box: { work: () => void } = { work: () => {} }
const room = createContext(box)
const RUN = new Script('work()')

/** @throws what `work` throws, or V8's own error when it takes longer than `watchdogMs`; what it worked with is then in no known state */
function watched<T>(work: () => T): T {
  const results: T[] = []
  box.work = () => {
    results.push(work())
  }
  RUN.runInContext(room, { timeout: DIALECT_LIMITS.watchdogMs })
  return results[0]
}

class RunningDialect implements DialectModule {
  readonly members: DialectModule['members']
  readonly #source: Source
  readonly #path: string
  readonly #interpreters: Interpreters
  #machine: Machine | undefined

  /** @throws Broken when the module does not load */
  constructor(interpreters: Interpreters, source: Source, path: string) {
    this.#interpreters = interpreters
    this.#source = source
    this.#path = path
    this.members = this.#guarded(() => this.#ready().members)
  }

  get log(): readonly string[] {
    return this.#source.log
  }

  call(name: string, values: readonly unknown[]): unknown {
    return this.#named(name, () => {
      const { value, at } = this.#ask({ name, values, each: false })
      if (!Array.isArray(at)) return value
      // The very list of the body, so that the exact text of its items is found again.
      return { ...fieldsOf(value), items: at.reduce((inner, key) => own(fieldsOf(inner), String(key)), values[0]) }
    })
  }

  callEach(name: string, items: readonly unknown[]): readonly unknown[] {
    return this.#named(name, () => {
      const { value } = this.#ask({ name, values: [items], each: true })
      if (!Array.isArray(value) || value.length !== items.length) throw new Broken('did not answer for each item')
      return value
    })
  }

  #named<T>(name: string, work: () => T): T {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof Broken)) throw error
      throw new Failure('settingInvalid', `DCALAB_DIALECT (${this.#path}): dialect.${name} ${error.message}`, {
        hint: 'correct the dialect; `dcalab service check` shows what it makes of each reply, and what it writes to its console',
      })
    }
  }

  #ask(call: { readonly name: string; readonly values: readonly unknown[]; readonly each: boolean }): Answer {
    const line = JSON.stringify(call)
    return readAnswer(this.#guarded(() => this.#ready().answer(line), this.members?.[call.name]))
  }

  /** A new machine where the last one is of no use any more, in the same memory where that can be. */
  #ready(): Machine {
    const last = this.#machine
    if (last !== undefined && !last.isWorn) return last
    this.#machine = undefined
    const kept = last && closed(last)
    if (kept === undefined && this.members !== undefined) collectGarbage()
    const interpreter = kept ?? this.#interpreters.take()
    if (interpreter === undefined)
      throw new Broken('has no interpreter: the last was ended, and a new one is not ready yet')
    this.#machine = new Machine(interpreter, this.#source)
    return this.#machine
  }

  /** @throws Broken */
  #guarded<T>(work: () => T, member?: DialectMember): T {
    try {
      return watched(work)
    } catch (error) {
      if (error instanceof Broken) throw error
      this.#machine = undefined // ended in the middle
      const begins = member?.line == null ? '' : ` (it begins at ${this.#source.name}:${member.line})`
      const isLate = own(fieldsOf(error), 'code') === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
      const words = error instanceof Error ? error.message : String(error)
      throw new Broken(
        isLate
          ? `did not come to an end within ${DIALECT_LIMITS.watchdogMs / 1000} s${begins}`
          : `broke its interpreter: ${words}${begins}`,
      )
    }
  }
}

/**
 * V8 does not see how much memory hangs on an interpreter that was thrown away, and would leave several of them lying. This takes some ten
 * ms, after a call that took seconds.
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof collect === 'function') collect()
}

function closed(machine: Machine): QuickJSWASMModule | undefined {
  try {
    return machine.close()
  } catch {
    return undefined
  }
}

/** @throws Error when the module does not load; its words are the module's, or the interpreter's, with the place */
export async function startDialect(text: string, path: string, log: string[] = []): Promise<DialectModule> {
  const interpreters = new Interpreters()
  await Promise.all([interpreters.prepare(), interpreters.prepare()])
  return new RunningDialect(interpreters, { text, name: path.replace(/^.*[\\/]/, ''), log }, path)
}
