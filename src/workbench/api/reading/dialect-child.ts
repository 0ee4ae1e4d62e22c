/**
 * A dialect module runs where no key is: in a process of its own with an empty environment, no grant of Node's permission model (no
 * files, no processes, no threads), memory and time of its own. It is handed bodies and gives bodies back, as JSON lines.
 *
 *     this thread ── waits ── a thread of ours (BRIDGE) ── pipes ── the child (RUNNER) ── a bare context with the module's text
 *
 * The calls stay synchronous, as readers are: the thread in between speaks with the child while this one waits.
 */

import { MessageChannel, receiveMessageOnPort, Worker } from 'node:worker_threads'
import { BRIDGE, DIALECT_LIMITS, RUNNER } from './dialect-programs.ts'
import { fieldsOf, own } from './single-values.ts'

export interface DialectChild {
  /** The members of the export named dialect, each with its `typeof`; null when there is no such object. */
  readonly names: Readonly<Record<string, string>> | null
  /** @throws Error with the module's own words, or why it gave no answer */
  call(name: string, values: readonly unknown[]): unknown
}

/** @throws Error when the module does not load; its words are the module's, or Node's */
export function startDialect(text: string): DialectChild {
  const { port1: port, port2 } = new MessageChannel()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  // `--permission` without a grant: no file, no process, no thread, no add-on; on newer versions of Node no network either. It does not
  // hold `node:sqlite`, which opens any file by itself.
  const flags = ['--permission', '--no-experimental-sqlite', '--experimental-vm-modules', '--no-warnings']
  const args = [...flags, `--max-old-space-size=${DIALECT_LIMITS.memoryMb}`, '-e', RUNNER]
  const bridge = new Worker(BRIDGE, {
    eval: true,
    env: {},
    execArgv: [],
    workerData: { port: port2, flag, args, text, limits: DIALECT_LIMITS },
    transferList: [port2],
  })
  bridge.unref()
  const ask = (line: string | null): AnswerLine => {
    Atomics.store(flag, 0, 0)
    port.postMessage(line)
    const { callMs, startMs } = DIALECT_LIMITS
    Atomics.wait(flag, 0, 0, 2 * (callMs + startMs)) // the thread has its own, shorter limits
    const received: { message: { line?: string; problem?: string } } | undefined = receiveMessageOnPort(port)
    const { line: answer, problem } = received?.message ?? {}
    if (answer === undefined) throw new Error(problem ?? 'the thread that asks it gave no answer')
    return readAnswerLine(answer)
  }
  const names = fieldsOf(ask(null).value)
  return {
    names:
      names === null ? null : Object.fromEntries(Object.entries(names).map(([name, type]) => [name, String(type)])),
    call: (name, values) => {
      const { value, at } = ask(JSON.stringify({ name, values }))
      if (!Array.isArray(at)) return value
      // The very list of the body, so that the exact text of its items is found again.
      return { ...fieldsOf(value), items: at.reduce((inner, key) => own(fieldsOf(inner), String(key)), values[0]) }
    },
  }
}

interface AnswerLine {
  readonly value?: unknown
  /** The keys that lead to a list in the body. */
  readonly at?: unknown
}

/** @throws Error with what the module threw */
function readAnswerLine(line: string): AnswerLine {
  const answer = fieldsOf(JSON.parse(line, revive))
  const error = own(answer, 'error')
  if (answer === null || error !== undefined) throw new Error(typeof error === 'string' ? error : 'no answer')
  return { value: own(answer, 'value'), at: own(answer, 'at') }
}

/** JSON has no NaN: what is no number must not come back as null, which would be an answer. */
function revive(_key: string, value: unknown): unknown {
  const spelled = own(fieldsOf(value), '\u0000number')
  return spelled === undefined ? value : Number(spelled)
}
