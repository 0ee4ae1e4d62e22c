/** Where fetching is tried: servers that answer as the real ones do, layouts recorded from their documentation, candles made up. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { fetchCandles } from '../../src/candles/fetch.ts'
import type { CandleSource } from '../../src/candles/sources/source.ts'
import { findMarket, type Interval } from '../../src/contract/market.ts'
import { type Candles, sliceCandles } from '../../src/engine/candles.ts'
import { temporaryFolder } from '../support/folder.ts'
import { type TestSystem, testSystem } from '../support/system.ts'
import { plainCandles } from './arbitrary-candles.ts'

export const hour = 3_600_000
export const day = 24 * hour
export const january = Date.UTC(2025, 0, 1)
/** What the exchange has: every hour from December 2024 on, one of them missing. */
export const held = withoutHour(plainCandles(Date.UTC(2024, 11, 1), 100 * 24, hour), january + 30 * hour)

export type Route = (
  url: URL,
  visit: number,
) => { readonly status?: number; readonly body?: string | Uint8Array; readonly retryAfter?: string }

/** A server whose every answer is `route`'s; `asked` is what was requested, in order. */
export async function serve(route: Route): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    const visit = asked.filter((earlier) => earlier === path).length
    asked.push(path)
    const { status = 200, body = '', retryAfter } = route(new URL(path, 'http://local'), visit)
    response.writeHead(status, retryAfter === undefined ? {} : { 'retry-after': retryAfter }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo // a TCP server's address is an object
  return { url: `http://127.0.0.1:${port}`, asked }
}

export async function setup(
  route: Route,
  create: (baseUrl: string) => CandleSource,
  wall: number | string = '2025-02-03T12:00Z',
) {
  const { url, asked } = await serve(route)
  const source = { ...create(url), pauseMs: 0 }
  const system = patientSystem(wall)
  const folder = temporaryFolder()
  const fetch = (market: string, interval: Interval, from: number, to: number) => {
    const found = findMarket(market)
    if (found === undefined) throw new Error(`${market} is no market`)
    return fetchCandles(system, folder, { source, request: { market: found, interval, from, to } })
  }
  return { fetch, asked, folder, system, source }
}

/** A held clock that runs on by itself through pauses, and not through the deadline of a request in flight. */
function patientSystem(wall: number | string): TestSystem {
  const system = testSystem({ wall })
  const sleep: TestSystem['clock']['sleep'] = (ms, signal) =>
    ms < 60_000 ? system.advance(ms) : system.clock.sleep(ms, signal)
  return { ...system, clock: { ...system.clock, sleep } }
}

function withoutHour(candles: Candles, time: number): Candles {
  const cut = (column: Float64Array) => column.filter((_, i) => candles.openTime[i] !== time)
  return {
    intervalMs: candles.intervalMs,
    openTime: cut(candles.openTime),
    open: cut(candles.open),
    high: cut(candles.high),
    low: cut(candles.low),
    close: cut(candles.close),
    volume: cut(candles.volume),
  }
}

export function rowsOf(candles: Candles): number[][] {
  const { openTime, open, high, low, close, volume } = candles
  return Array.from(openTime, (time, i) => [time, open[i], high[i], low[i], close[i], volume[i]])
}

/** A day of Coinbase's answer: newest last, which it does not mind, low before high. */
export function coinbaseDay(): string {
  const rows = rowsOf(sliceCandles(held, january, january + day))
  return JSON.stringify(
    rows.map(([time, open, high, low, close, volume]) => [time / 1000, low, high, open, close, volume]),
  )
}
