/**
 * The programs that a dialect module is run by, as texts of plain JavaScript: the child may read no file, not even its own, and the thread
 * beside us belongs to it. `dialect-child.ts` says how they hang together.
 */

/** A call that takes longer ends the process; the next one starts another. */
export const DIALECT_LIMITS = { callMs: 2_000, startMs: 20_000, memoryMb: 256, answerBytes: 64 * 1024 * 1024 } as const

/** Runs in the bare context, before the module does: takes a line, calls the function, writes what it gives. */
const CALLER = `(() => {
  const { parse, stringify } = JSON
  const { isArray } = Array
  const { isFinite } = Number
  const entries = Object.entries
  let dialect
  let asked = ''
  const spell = (key, value) =>
    typeof value === 'number' && !isFinite(value) ? { '\\u0000number': String(value) }
    : typeof value === 'bigint' ? String(value)
    : value
  // A list that stands in the body is named by its place: its items then keep their text.
  const placeOf = (body, list, depth) => {
    if (body === list) return []
    if (typeof body !== 'object' || body === null || isArray(body) || depth === 5) return undefined
    for (const [key, value] of entries(body)) {
      const rest = placeOf(value, list, depth + 1)
      if (rest !== undefined) return [key, ...rest]
    }
    return undefined
  }
  const answer = () => {
    try {
      const { name, values } = parse(asked)
      const value = dialect[name](...values)
      const at = isArray(value?.items) ? placeOf(values[0], value.items, 0) : undefined
      return stringify(at === undefined ? { value } : { value: { next: value.next }, at }, spell)
    } catch (error) {
      return stringify({ error: String(error?.message ?? error) })
    }
  }
  Object.defineProperty(globalThis, 'answerDcalab', { value: answer })
  return {
    take: (given) => {
      if (typeof given !== 'object' || given === null || isArray(given)) return 'null'
      dialect = given
      return stringify(Object.fromEntries(entries(given).map(([name, value]) => [name, typeof value])))
    },
    ask: (line) => { asked = line },
  }
})()`

/** The child. Its first line is the module's text; then one line is a call. Every line is answered by one line. */
export const RUNNER = `
const vm = require('node:vm')
const timeout = ${DIALECT_LIMITS.callMs}
const say = (text) => process.stdout.write(text + '\\n')
const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: false } })
const caller = vm.runInContext(${JSON.stringify(CALLER)}, context)
const run = new vm.Script('answerDcalab()')
let isLoaded = false
async function load(text) {
  const module = new vm.SourceTextModule(text, { context, identifier: 'dialect' })
  await module.link((name) => { throw new Error('a dialect imports nothing, and this one imports ' + name) })
  await module.evaluate({ timeout })
  return caller.take(module.namespace.dialect)
}
async function take(line) {
  if (isLoaded) {
    caller.ask(line)
    return run.runInContext(context, { timeout })
  }
  isLoaded = true
  return '{"value":' + (await load(JSON.parse(line))) + '}'
}
let rest = ''
process.stdin.setEncoding('utf8')
process.stdin.on('data', (part) => {
  rest += part
  const end = rest.indexOf('\\n')
  if (end === -1) return
  const line = rest.slice(0, end)
  rest = ''
  take(line).then(say, (error) => say(JSON.stringify({ error: String(error?.message ?? error) })))
})
process.stdin.on('end', () => process.exit())
`

/** The thread between. It starts the child, again after each end, and ends it when it takes too long. */
export const BRIDGE = `
const { workerData: { port, flag, args, text, limits } } = require('node:worker_threads')
const { spawn } = require('node:child_process')
let child
let rest = ''
let onLine
let timer
const reply = (message) => {
  port.postMessage(message)
  Atomics.store(flag, 0, 1)
  Atomics.notify(flag, 0)
}
const settle = (message) => {
  if (onLine === undefined) return
  clearTimeout(timer)
  const take = onLine
  onLine = undefined
  take(message)
}
const end = (problem) => {
  child?.kill('SIGKILL')
  child = undefined
  settle({ problem })
}
function begin() {
  const own = spawn(process.execPath, args, { env: {}, cwd: '/', stdio: ['pipe', 'pipe', 'ignore'] })
  const lost = (problem) => { if (child === own) end(problem) }
  child = own
  rest = ''
  own.on('error', (error) => lost('its process cannot be started: ' + error.message))
  own.on('exit', (code, signal) => lost('its process ended (' + (signal ?? 'exit code ' + code) + ')'))
  own.stdin.on('error', () => {})
  own.stdout.setEncoding('utf8').on('data', (part) => {
    if (child !== own) return
    rest += part
    if (rest.length > limits.answerBytes) return end('its answer is too large')
    const at = rest.indexOf('\\n')
    if (at === -1) return
    const line = rest.slice(0, at)
    rest = rest.slice(at + 1)
    settle({ line })
  })
}
function ask(line, ms, take) {
  onLine = take
  timer = setTimeout(() => end('it gave no answer within ' + ms / 1000 + ' s'), ms)
  child.stdin.write(line + '\\n')
}
port.on('message', (line) => {
  if (child !== undefined) return ask(line, limits.callMs, reply)
  begin()
  ask(JSON.stringify(text), limits.startMs, (message) => {
    if (line === null || message.problem !== undefined) return reply(message)
    ask(line, limits.callMs, reply)
  })
})
`
