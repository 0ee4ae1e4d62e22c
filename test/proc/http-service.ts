/** The simulated service on a real port: its book is in the test's hands, and it may be slow or silent. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createCounter } from '../sim/counters.ts'
import { createRandom } from '../sim/random.ts'
import { type Answer, createService, type SimService } from '../sim/service.ts'
import { STUDY_BASE } from '../support/study-base.ts'

export interface HttpService {
  readonly url: string
  readonly service: SimService
  /** When each POST arrived, by the clock of `performance.now()`. */
  readonly posts: { readonly at: number; readonly headers: IncomingMessage['headers']; readonly body: string }[]
  close(): Promise<void>
}

export interface HttpTraits {
  /** ms until the answer to a request leaves; Infinity = never. */
  readonly delayMs?: (method: string) => number
  /** Something else than the service's own answer. */
  readonly instead?: (request: IncomingMessage, body: string, answer: () => Answer) => Answer | undefined
  readonly jobMs?: number
}

export async function httpService({ delayMs = () => 0, instead, jobMs = 50 }: HttpTraits = {}): Promise<HttpService> {
  const unlimited = () => createCounter('sliding', { count: 1e6, windowMs: 60_000, phase: 0 })
  const service = createService(
    {
      allowance: unlimited(),
      minute: unlimited(),
      windowType: 'sliding',
      allowanceCount: 1e6,
      echoes: 'all',
      pageSize: 1000,
      bareList: false,
      sendsDate: true,
      skewMs: 0,
      shortestJobMs: jobMs,
      longestJobMs: jobMs,
      failingShare: 0,
      rejects: () => false,
      tellsLimits: true,
    },
    createRandom(1),
  )
  const posts: HttpService['posts'] = []
  let sends = 0
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('error', () => {})
    response.on('error', () => {})
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const method = request.method ?? 'GET'
      if (method === 'POST') posts.push({ at: performance.now(), headers: request.headers, body })
      const own = () =>
        service.handle(
          { method, url: `http://service${request.url ?? '/'}`, body, send: ++sends },
          Math.floor(performance.timeOrigin + performance.now()),
        )
      const answer = instead?.(request, body, own) ?? own()
      const wait = delayMs(method)
      if (!Number.isFinite(wait)) return
      setTimeout(() => {
        response.writeHead(answer.status, { ...answer.headers })
        response.end(answer.body)
      }, wait)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    service,
    posts,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** A study of n trials on a market whose candles nobody needs here. */
export function studyOf(n: number): string {
  return JSON.stringify({
    name: 'proc',
    market: { exchange: 'binance', baseAsset: 'BTC', quoteAsset: 'USDT' },
    period: { from: '2024-01-01', to: '2024-01-21' },
    base: STUDY_BASE,
    objective: { maximize: 'netProfit' },
    grid: { dcaPriceScalePercent: { from: 0.5, to: 0.5 + (n - 1) / 10, step: 0.1 } },
  })
}
