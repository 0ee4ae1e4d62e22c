/** The writes that need a bot's proof keep the rules of all writes: sent once, and no spoilt answer is taken for success (H4, H30). */
import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Client } from '../../../src/workbench/api/calls.ts'
import type { ProvenDemoBot } from '../../../src/workbench/api/wire/send.ts'
import { BODIES } from './bad-bodies.ts'
import { BOT_PAYLOAD, clientOf, json, scriptedService } from './world.ts'
import { WRITE_OUTCOMES } from './write-outcomes.ts'

const ACTIONS: Readonly<Record<string, (client: Client, proof: ProvenDemoBot) => ReturnType<Client['startBot']>>> = {
  start: (client, proof) => client.startBot(proof),
  update: (client, proof) => client.updateBot(proof, BOT_PAYLOAD),
  close: (client, proof) => client.closeBot(proof),
}

/** A 404 says that there is no such bot: nothing was done. */
const STATUSES: Readonly<Record<number, string>> = { ...WRITE_OUTCOMES, 404: 'rejected' }

/** The bot reads back as a demo; `answer` is what the write gets. Answers its outcome and how often it was sent. */
async function act(action: string, answer: (response: ServerResponse) => void, strikes = false) {
  const service = await scriptedService((hit, response) => {
    if (hit.method === 'GET') return json(response, 200, { id: 'bot-1', ...BOT_PAYLOAD, state: 'created' })
    answer(response)
  })
  const writes = () => service.hits.filter(({ method }) => method !== 'GET').length
  try {
    const { client, strikeDeadline } = clientOf(service.url)
    const check = await client.proveDemo('bot-1')
    if (check.kind !== 'ok' || check.value.proof === null) throw new Error('no proof')
    const pending = ACTIONS[action](client, check.value.proof)
    if (strikes) {
      while (writes() === 0) await new Promise(setImmediate)
      await strikeDeadline()
    }
    const outcome = await pending
    return { kind: outcome.kind, writes: writes() }
  } finally {
    await service.close()
  }
}

describe.each(Object.keys(ACTIONS))('%s', (action) => {
  it('is sent once, whatever status it gets', async () => {
    for (const [status, kind] of Object.entries(STATUSES)) {
      const outcome = await act(action, (response) => json(response, Number(status), { error: { message: 'no' } }))
      expect([status, outcome]).toEqual([status, { kind, writes: 1 }])
    }
  })

  it('is sent once into a broken line, and into silence', async () => {
    const broken = { kind: 'ambiguous', writes: 1 }
    expect(await act(action, (response) => response.socket?.resetAndDestroy())).toEqual(broken)
    expect(await act(action, () => {}, true)).toEqual(broken)
  })

  it('takes no spoilt body for success', async () => {
    expect(Object.keys(BODIES).length).toBeGreaterThanOrEqual(25)
    for (const [name, answer] of Object.entries(BODIES)) {
      expect([name, await act(action, answer)]).toEqual([name, { kind: 'ambiguous', writes: 1 }])
    }
  })
})
