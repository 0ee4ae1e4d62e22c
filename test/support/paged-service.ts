/**
 * A service that obeys the same API document and is spelled unlike ours and unlike the other one: two envelopes around everything, pages
 * by number, times in seconds, shares as fractions, words of its own for states, and a reason of a failure only where a job is read by its id.
 * Its books are what the tests judge by.
 */
import { createServer, type IncomingMessage } from 'node:http'

export const PAGED_API_KEY = 'pAgEdCaNaRyKeY0123456789'
export const PAGED_SECRET_KEY = 'pAgEdSeCrEtCaNaRy9876543210'

type Fields = Record<string, unknown>

interface PagedJob {
  readonly uid: string
  readonly order: Fields
  readonly queued: number
  tried: number
}

export interface PagedService {
  readonly url: string
  readonly jobs: readonly PagedJob[]
  /** `METHOD path?query` of every request. */
  readonly requests: string[]
  close(): Promise<void>
}

const pageSize = 7
const looksUntilRipe = 2

export async function pagedService(): Promise<PagedService> {
  const jobs: PagedJob[] = []
  const requests: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`)
      const { status, body } = answer(request, Buffer.concat(chunks).toString())
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  })

  function answer(request: IncomingMessage, text: string): { readonly status: number; readonly body: unknown } {
    const { 'x-api-key': apiKey, 'x-secret-key': secretKey } = request.headers
    if (apiKey !== PAGED_API_KEY || secretKey !== PAGED_SECRET_KEY) return no(401, 'ApiKeyInvalid')
    const url = new URL(request.url ?? '', 'http://localhost')
    const [, , room, part, id] = url.pathname.split('/')
    if (room === 'markets') return yes({ instruments: [{ market: 'BTC-USDT', tick: 0.01, lot: 0.00001 }] })
    if (room !== 'backtest') return yes({ robots: [], page: 1, pages: 1 })
    if (part === 'limits') return yes({ quota: { perDay: 100, left: 100 - jobs.length, windowSeconds: 86_400 } })
    if (request.method === 'POST') {
      const order: Fields = JSON.parse(text)
      const wanted = ['tag', 'venue', 'market', 'since', 'until', 'bot']
      const missing = wanted.filter((name) => order[name] === undefined)
      if (missing.length > 0 || typeof order.since !== 'number') {
        return no(400, `wanted: ${wanted.join(', ')}; since and until in seconds; bot: the fields of a bot`)
      }
      jobs.push({ uid: `run-${1000 + jobs.length}`, order, queued: Math.floor(Date.now() / 1000), tried: 0 })
      return yes({ run: { uid: jobs.at(-1)?.uid, tag: order.tag, phase: 'LINED_UP' } })
    }
    if (id !== undefined) {
      const job = jobs.find(({ uid }) => uid === id)
      return job === undefined ? no(404, 'no such run') : yes({ run: writeJob(job, true) })
    }
    const page = Number(url.searchParams.get('page') ?? 1)
    const runs = jobs.toReversed().slice((page - 1) * pageSize, page * pageSize)
    return yes({
      runs: runs.map((job) => writeJob(job, false)),
      page,
      pages: Math.max(1, Math.ceil(jobs.length / pageSize)),
    })
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    jobs,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Every look brings a job on: LINED_UP, SIMMERING, then RIPE; one whose take profit is above 4 goes ROTTEN. */
function writeJob(job: PagedJob, isSingle: boolean): Fields {
  job.tried++
  const isOver = job.tried > looksUntilRipe
  const { takeProfit } = Object(job.order.bot)
  const isRotten = isOver && takeProfit > 4
  const phase = isRotten ? 'ROTTEN' : isOver ? 'RIPE' : job.tried === 1 ? 'LINED_UP' : 'SIMMERING'
  return {
    uid: job.uid,
    tag: job.order.tag,
    phase,
    queuedAt: job.queued,
    order: job.order,
    ...(isOver ? { endedAt: job.queued + 4 } : {}),
    ...(isOver && !isRotten
      ? {
          harvest: {
            profit: takeProfit * 7.5,
            return: takeProfit * 0.0075,
            drawdown: -0.034,
            trades: 41,
            winRate: 0.585,
            fees: 1.5,
          },
        }
      : {}),
    ...(isRotten && isSingle ? { trouble: 'the candles end too early' } : {}),
  }
}

function yes(payload: unknown) {
  return { status: 200, body: { response: { code: 0, payload } } }
}

function no(status: number, message: string) {
  return { status, body: { response: { code: status, message } } }
}
