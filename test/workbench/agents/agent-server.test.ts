/** H73 for agents: a client that asks how its call goes hears it, however long that takes, and one that goes away leaves nothing at work. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { ProgressCallback } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { expect, it } from 'vitest'
import { createAgentServer, loadSdk } from '../../../src/workbench/agents/agent-server.ts'
import type { AskCommand } from '../../../src/workbench/agents/asked.ts'
import { type TestSystem, testSystem } from '../../support/system.ts'

const minute = 60_000
const hour = 60 * minute
/** As a command that failed: what it says is not what these tests are about. */
const nothing = { exitCode: 2, out: '', err: '' }

interface World {
  readonly client: Client
  readonly clock: TestSystem['clock']
  readonly idle: () => Promise<void>
}

async function serve(ask: (clock: TestSystem['clock']) => AskCommand, sleep: 'held' | 'jump' = 'jump'): Promise<World> {
  const { clock } = testSystem({ sleep })
  const { server, idle } = createAgentServer(await loadSdk(), {
    ...{ clock, version: '1', ask: ask(clock), readBudget: null },
    signal: new AbortController().signal,
  })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const client = new Client({ name: 'test', version: '1' })
  await Promise.all([server.connect(far), client.connect(near)])
  return { client, clock, idle }
}

interface Word {
  readonly at: number
  readonly progress: number
  readonly message: string | undefined
}

const screen = { name: 'screen_study', arguments: { study: 'long', seconds: 3600 } }

it('a call of an hour, and one that waits for it: no minute passes without a word, and the words count up', async () => {
  const { client, clock } = await serve((clock) => async (_line, { showProgress }) => {
    showProgress('10 of 100 (10 %)')
    await clock.sleep(hour - 1)
    return nothing
  })
  const heard = (words: Word[]): { readonly onprogress: ProgressCallback } => ({
    onprogress: ({ progress, message }) => void words.push({ at: clock.monotonic(), progress, message }),
  })
  const begun = clock.monotonic()
  const first: Word[] = []
  const second: Word[] = []
  await Promise.all([
    client.callTool(screen, undefined, heard(first)),
    client.callTool({ name: 'list_candles', arguments: {} }, undefined, heard(second)),
  ])
  expect(clock.monotonic() - begun).toBeGreaterThan(1.9 * hour)
  expect(first.map(({ message }) => message)).toContain('10 of 100 (10 %)')
  expect(second[0].message).toBe('list_candles waits for its turn')
  expect(second.map(({ message }) => message)).toContain('list_candles is at work')
  for (const [words, until] of [
    [first, begun + hour],
    [second, begun + 2 * hour],
  ] as const) {
    const times = [begun, ...words.map(({ at }) => at), until]
    expect(Math.max(...times.slice(1).map((at, n) => at - times[n]))).toBeLessThan(minute)
    for (const [n, { progress }] of words.entries()) if (n > 0) expect(progress).toBeGreaterThan(words[n - 1].progress)
  }
})

it('a call that was cancelled ends its work, and one that had not begun never begins', async () => {
  const begun: string[] = []
  let ended = 0
  const { client, idle } = await serve(
    () =>
      async ({ words }, { signal, showProgress }) => {
        begun.push(words[0])
        showProgress('1 of 100')
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
        ended++
        return { ...nothing, exitCode: 130 }
      },
    'held', // no time passes, so that nothing but the client ends it
  )
  /** Calls, and hands over how to cancel once the server has said a word. */
  const cancellable = async (call: Parameters<Client['callTool']>[0]) => {
    const over = new AbortController()
    let answer: Promise<unknown> = Promise.resolve()
    await new Promise<void>((resolve) => {
      answer = client
        .callTool(call, undefined, { signal: over.signal, onprogress: () => resolve() })
        .catch((error: unknown) => error)
    })
    return { over, answer }
  }
  const underway = await cancellable(screen)
  const waiting = await cancellable({ name: 'list_candles', arguments: {} })
  waiting.over.abort('enough')
  underway.over.abort('enough')
  expect(String(await waiting.answer)).toContain('enough')
  await client.listTools() // what was sent before has come in
  await idle()
  expect({ begun, ended }).toEqual({ begun: ['screen'], ended: 1 })
})

it('a client that does not ask is sent no word', async () => {
  const { client } = await serve((clock) => async (_line, { showProgress }) => {
    showProgress('1 of 100')
    await clock.sleep(10 * minute)
    return nothing
  })
  const errors: Error[] = []
  client.onerror = (error) => void errors.push(error) // of a word about a call that it does not know
  await client.callTool(screen)
  expect(errors).toEqual([])
})
