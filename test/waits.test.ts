/**
 * H73: no wait lasts longer than a minute without a word, on a terminal or off it. Every place of the program that waits stands in the table
 * below; what waits for long there is then waited for, on a clock that leaps.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { fetchCandles } from '../src/candles/fetch.ts'
import { createCoinbase } from '../src/candles/sources/choose.ts'
import { withHeartbeat, withProgress, withProgressLine } from '../src/cli/long-work.ts'
import { say } from '../src/cli/output.ts'
import { watchProgress } from '../src/cli/run-study-file.ts'
import { createClient } from '../src/workbench/api/client.ts'
import { builtInDialect } from '../src/workbench/api/reading/dialect.ts'
import { Keys } from '../src/workbench/api/wire/keys.ts'
import { listAllBots } from '../src/workbench/bots/promote/make-bot.ts'
import { runStudy } from '../src/workbench/run/run.ts'
import { openStore } from '../src/workbench/store/store.ts'
import { folderInMemory, temporaryFolder } from './support/folder.ts'
import { testSystem } from './support/system.ts'
import { scriptedService } from './workbench/run/scripted-service.ts'
import { hour, makeStudy, makeTrials, minute } from './workbench/run/setup.ts'

/** Where the program waits, how often in that file, and why nobody is left without a word there. */
const PLACES: Readonly<Record<string, readonly [count: number, why: string]>> = {
  'candles/fetch.ts': [3, 'why and how long is said; the command tells every minute'],
  'cli/commands/run.ts': [2, 'what tells every minute, and a time limit beside which the command tells so'],
  'cli/commands/sql/sql.ts': [1, 'a time limit, beside which the command tells every minute'],
  'cli/commands/watch-status.ts': [1, 'the next look is announced every minute'],
  'cli/long-work.ts': [1, 'it is what tells every minute'],
  'cli/run-study-file.ts': [1, 'it is what tells every minute'],
  'main.ts': [1, 'a second, for last words'],
  'service/http/chaos.ts': [1, 'the service plays a slow one'],
  'service/jobs/job-runner.ts': [1, 'the service waits for its store'],
  'service/start.ts': [1, 'a closing service waits two seconds'],
  'system.ts': [2, 'the clock itself; at most two seconds for a file that is in use'],
  'workbench/agents/agent-server.ts': [2, 'a time limit, and what tells the client every 20 s beside it'],
  'workbench/api/wire/gate.ts': [2, 'told at once, and again every minute, as slow replies are'],
  'workbench/api/wire/send.ts': [1, 'a time limit of 30 s'],
  'workbench/bots/promote/make-bot.ts': [1, 'at most a minute, told before'],
  'workbench/run/run.ts': [2, 'runs tell every minute'],
  'workbench/store/store.ts': [1, 'at most a minute for a store that is held'],
}

it('every place that waits is one of these', () => {
  const root = fileURLToPath(new URL('../src', import.meta.url))
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.startsWith('workbench/report/page/'))
  const found = files.flatMap((file) => {
    // Sleeps of no time only give others their turn.
    const places = readFileSync(join(root, file), 'utf8').match(
      /(?:\.sleep|\bsetTimeout|\bsetInterval|\bdelay|Atomics\.wait)\((?!0\b)/g,
    )
    return places === null ? [] : [[file, places.length]]
  })
  expect(found.sort()).toEqual(Object.entries(PLACES).map(([file, [count]]) => [file, count]))
})

/** A world that leaps, and when a word was said in it; a line that is drawn anew on a terminal is a word. */
function listener(errIsTerminal: boolean, fetch?: typeof globalThis.fetch) {
  const world = testSystem({ sleep: 'jump', ...(fetch === undefined ? {} : { fetch }) })
  const { clock } = world
  const words: { readonly at: number; readonly text: string }[] = []
  const err = (text: string) => void words.push({ at: clock.monotonic(), text })
  const { terminal, line } = withProgressLine({ ...world.terminal, errIsTerminal, err })
  const begun = clock.monotonic()
  return {
    context: { system: { ...world, terminal }, line },
    clock,
    words: () => words.map(({ text }) => text).join(''),
    passedMs: () => clock.monotonic() - begun,
    longestSilence: () => {
      const times = [begun, ...words.map(({ at }) => at), clock.monotonic()]
      return Math.max(...times.slice(1).map((at, n) => at - times[n]))
    },
  }
}

type Heard = ReturnType<typeof listener>

function clientOf({ context: { system } }: Heard) {
  return createClient({
    baseUrl: 'https://bots.example',
    keys: new Keys('key', 'secret'),
    system,
    dialect: builtInDialect,
    rateLog: { tryStart: () => ({ slot: 1 }), finish: () => {} },
    onWait: (reason) => say(system.terminal, reason),
    onSilence: (reason) => say(system.terminal, reason),
  })
}

function answer(status: number, body: object, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } })
}

const WAITS: Readonly<Record<string, (errIsTerminal: boolean) => Promise<Heard>>> = {
  'a service that asks for a pause of thirty years': async (errIsTerminal) => {
    let asked = 0
    const heard = listener(errIsTerminal, async () =>
      asked++ === 0 ? answer(503, {}, { 'retry-after': '1000000000' }) : answer(200, { limit: 100 }),
    )
    expect((await clientOf(heard).identify()).kind).toBe('ok')
    expect(heard.words()).toContain('waiting 3600 s: the service asked for a pause')
    expect(heard.words()).toContain('still waiting, 60 s more: the service asked for a pause')
    expect(heard.words()).not.toContain('did not answer')
    return heard
  },
  'a service that refuses the request rate for as long': async (errIsTerminal) => {
    let asked = 0
    const refusal = { error: { code: 'ApiKeyRateLimit', message: 'slower' } }
    const heard = listener(errIsTerminal, async () =>
      asked++ === 0 ? answer(429, refusal, { 'retry-after': '1000000000' }) : answer(200, { limit: 100 }),
    )
    expect((await clientOf(heard).identify()).kind).toBe('ok')
    return heard
  },
  'forty pages that take twenty seconds each': async (errIsTerminal) => {
    let page = 0
    const heard: Heard = listener(errIsTerminal, async () => {
      await heard.clock.sleep(20_000)
      page++
      return answer(200, { bots: [], next: page === 40 ? null : `cursor=${page}` })
    })
    expect(await listAllBots(clientOf(heard), 'you@example.com')).toEqual([])
    expect(heard.words()).toContain('still asking the service: listBots is request 4')
    return heard
  },
  'a job that never ends': async (errIsTerminal) => {
    const heard = listener(errIsTerminal)
    const { system } = heard.context
    const watch = watchProgress(heard.context)
    const store = openStore(join(folderInMemory(), 'workbench.sqlite'), { system })
    const state = ({ id }: { readonly id: string }) => (id === 'job-2' ? ('pending' as const) : undefined)
    const client = scriptedService({ system, state })
    const summary = await runStudy({
      ...{ system, store, client, study: makeStudy(), trials: makeTrials(3) },
      options: { onProgress: watch.emit },
    })
    watch.end()
    store.close()
    expect(summary.stoppedBy).toBe('unresolved')
    const told = /1 running · oldest job: 30 min[ \ds]* so far, skipped at 2026-01-01T01:00:\d\dZ \(usual/
    expect(told.test(heard.words())).toBe(true)
    expect(/job job-2 has not ended after 6[1-4] min/.test(heard.words())).toBe(true)
    return heard
  },
  'an exchange that asks for five minutes': async (errIsTerminal) => {
    let asked = 0
    const heard = listener(errIsTerminal, async () =>
      asked++ < 4 ? answer(429, {}, { 'retry-after': '300' }) : answer(404, {}),
    )
    const { system } = heard.context
    const market = { exchange: 'coinbase', baseAsset: 'BTC', quoteAsset: 'USD' }
    const from = Date.UTC(2025, 0, 1)
    const source = createCoinbase('https://exchange.example')
    const request = { market, interval: '1h', from, to: from + 24 * hour } as const
    const onWait = (reason: string) => say(system.terminal, reason)
    await withProgress(heard.context, (tell) =>
      fetchCandles(system, temporaryFolder(), {
        ...{ source, request, onWait },
        onProgress: ({ name }) => tell(name),
      }),
    ).catch(() => {})
    expect(heard.words()).toContain('waiting 300 s: https://exchange.example')
    return heard
  },
  'a long statement, or a look in an hour': async (errIsTerminal) => {
    const heard = listener(errIsTerminal)
    await withHeartbeat(
      heard.context,
      (ms) => `for ${ms / minute} min`,
      () => heard.clock.sleep(hour),
    )
    return heard
  },
}

for (const [what, wait] of Object.entries(WAITS)) {
  it.each([
    ['off a terminal', false],
    ['on a terminal', true],
  ])(`${what}: %s no minute passes without a word`, async (_where, errIsTerminal) => {
    const heard = await wait(errIsTerminal)
    expect(heard.passedMs()).toBeGreaterThan(10 * minute)
    expect(heard.longestSilence()).toBeLessThanOrEqual(minute)
  })
}
