/**
 * A second service that obeys the same API document and spells everything the document does not show differently: an envelope, other
 * names, other states, percent strings, cursors. Real HTTP on a free port. Its books are what the tests judge by; a start or an update of
 * a bot that is not a demo, or a body that does not say demo, is written down as a breach.
 */
import { createServer, type IncomingMessage } from 'node:http'

export const OTHER_API_KEY = 'oThErCaNaRyKeY0123456789'
export const OTHER_SECRET_KEY = 'oThErSeCrEtCaNaRy9876543210'
export const OTHER_OWNER = 'you@example.com'

type Fields = Record<string, unknown>

/** `body`: JSON text, or a value to be written as JSON. */
interface Reply {
  readonly status: number
  readonly body: unknown
}

interface Job {
  readonly jobId: number | string
  readonly task: Fields
  readonly created: number
  tried: number
  /** What it says from now on that the job made; absent = as it was computed. */
  gain?: number
}

export interface OtherBot extends Fields {
  botId: string
  isDemo: unknown
  phase: string
}

export interface OtherService {
  readonly url: string
  readonly jobs: readonly Job[]
  readonly bots: OtherBot[]
  readonly breaches: string[]
  /** `METHOD path?query` of every request. */
  readonly requests: string[]
  close(): Promise<void>
}

/** How often a job is looked at before it is done: once queued, then in a state that nobody has heard of. */
const looksUntilDone = 3
const largestPage = 5

export async function otherDialectService(): Promise<OtherService> {
  const jobs: Job[] = []
  const bots: OtherBot[] = []
  const breaches: string[] = []
  const requests: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      requests.push(`${request.method} ${request.url}`)
      const { status, body } = answer(request, Buffer.concat(chunks).toString())
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(status === 204 ? undefined : typeof body === 'string' ? body : JSON.stringify(body))
    })
  })

  function answer(request: IncomingMessage, text: string): Reply {
    const { 'x-api-key': apiKey, 'x-secret-key': secretKey } = request.headers
    if (apiKey !== OTHER_API_KEY || secretKey !== OTHER_SECRET_KEY) {
      return reply(401, { problem: { title: 'ApiKeyInvalid', youSent: [apiKey, secretKey] } })
    }
    const url = new URL(request.url ?? '', 'http://localhost')
    const body: Fields = text === '' ? {} : JSON.parse(text)
    const parts = url.pathname.split('/').slice(2)
    if (parts[0] === 'backtest') return answerBacktests(request.method ?? '', url, parts, body)
    if (parts[0] === 'markets') {
      const entries = [{ venue: parts[1], pair: 'BTC/USDT', step: '0.01' }]
      return reply(200, envelope({ entries }))
    }
    return answerBots(request.method ?? '', url, parts, body)
  }

  function answerBacktests(method: string, url: URL, parts: string[], body: Fields): Reply {
    if (parts[1] === 'limits') {
      return reply(200, envelope({ quota: { total: 100, left: 100 - jobs.length, hours: 24 } }))
    }
    if (method === 'POST') {
      const { label, venue, pair, range, strategy } = body
      if ([label, venue, pair, range, strategy].includes(undefined)) {
        return reply(400, { problem: { title: 'Malformed', text: 'label, venue, pair, range, strategy' } })
      }
      // Beyond 2^53 from the second on: only what reads ids losslessly finds its job again.
      const jobId = `${9_007_199_254_740_991n + 2n * BigInt(jobs.length)}`
      jobs.push({ jobId, task: body, created: Math.floor(Date.now() / 1000), tried: 0 })
      return reply(202, `{"data":{"jobId":${jobId},"label":${JSON.stringify(label)},"state":"QUEUED"}}`)
    }
    const id = parts[2]
    if (id !== undefined) {
      const at = jobs.findIndex(({ jobId }) => jobId === id)
      if (at === -1) return reply(404, { problem: { title: 'no such job' } })
      if (method === 'DELETE') jobs.splice(at, 1)
      return method === 'DELETE' ? reply(204, '') : reply(200, `{"data":${writeJob(jobs[at])}}`)
    }
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const size = Math.min(Number(url.searchParams.get('pageSize') ?? largestPage), largestPage)
    const newest = jobs.toReversed()
    const entries = newest.slice(from, from + size).map(writeJob)
    const after = from + size < newest.length ? `"${from + size}"` : 'null'
    return reply(200, `{"data":{"entries":[${entries.join(',')}],"page":{"after":${after}}}}`)
  }

  function answerBots(method: string, url: URL, parts: string[], body: Fields): Reply {
    const [, id, part] = parts
    if (id === 'validate') {
      if (body.isDemo !== true) breaches.push(`validate ${JSON.stringify(body)}`)
      const issues = typeof body.candidate === 'object' ? [] : [{ path: 'candidate', text: 'is missing' }]
      return reply(200, envelope({ ok: issues.length === 0, issues }))
    }
    if (id === undefined && method === 'POST') {
      const { name, userEmail, exchange, baseAsset, quoteAsset, ...rest } = body
      if (body.isDemo !== true) breaches.push(`create ${JSON.stringify(body)}`)
      bots.push({
        botId: `B-${bots.length + 1}`,
        label: name,
        owner: userEmail,
        venue: exchange,
        pair: `${baseAsset}/${quoteAsset}`,
        ...rest,
        isDemo: body.isDemo,
        phase: 'IDLE',
      })
      return reply(200, envelope(bots.at(-1)))
    }
    if (id === undefined) {
      const owned = bots.filter(({ owner }) => owner === url.searchParams.get('userEmail'))
      return reply(200, envelope({ entries: owned, page: { after: null } }))
    }
    const bot = bots.find(({ botId }) => botId === id)
    if (bot === undefined) return reply(404, { problem: { title: 'no such bot' } })
    if (part === 'start' || method === 'PUT') {
      if (bot.isDemo !== true) breaches.push(`${method} ${url.pathname}`)
      if (method === 'PUT' && body.isDemo !== true) breaches.push(`update ${JSON.stringify(body)}`)
      if (method === 'PUT') Object.assign(bot, { takeProfit: Reflect.get(Object(body.changes), 'takeProfit') })
      else bot.phase = 'TRADING'
      return reply(202, { data: { accepted: true } })
    }
    if (part === 'stop') {
      bot.phase = 'HALTED'
      return reply(202, { data: { accepted: true, closing: url.searchParams.get('closePosition') } })
    }
    if (part === 'executions') {
      const trade = {
        tradeId: 't-1',
        action: 'BUY',
        rate: '50000.5',
        amount: '0.0004',
        commission: '0.02',
        ts: 1_767_225_600,
      }
      return reply(200, envelope({ entries: [trade] }))
    }
    if (part === 'orders') {
      const order = { orderId: 'o-2', action: 'SELL', rate: '50500', amount: '0.0004', live: true, ts: 1_767_225_600 }
      return reply(200, envelope({ entries: [order] }))
    }
    if (part === 'pnl') {
      return reply(200, envelope({ booked: '1.25 USDT', floating: '-0.5 USDT', gain: '0.075 %' }))
    }
    return reply(200, envelope(bot))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    jobs,
    bots,
    breaches,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Every look at a job brings it on: QUEUED, then a state of its own, then DONE; those with the widest take profit break. */
function writeJob(job: Job): string {
  job.tried++
  const isDone = job.tried > looksUntilDone
  const takeProfit = Number(Reflect.get(Object(job.task.strategy), 'takeProfit'))
  const isBroken = isDone && takeProfit > 3
  const state = isBroken ? 'BROKEN' : isDone ? 'DONE' : job.tried === 1 ? 'QUEUED' : 'CRUNCHING'
  const report = {
    gain: `${job.gain ?? takeProfit * 10} USDT`,
    gainPercent: `${takeProfit} %`,
    worstDip: '-3.4 %',
    trades: 41,
    hitRate: '58.5 %',
    sharpe: 'n/a',
    fees: '1.5 USDT',
  }
  const rest = {
    label: job.task.label,
    state,
    created: job.created,
    task: job.task,
    ...(isDone ? { ended: job.created + 5 } : {}),
    ...(isDone && !isBroken ? { report } : {}),
    ...(isBroken ? { complaint: 'out of memory' } : {}),
  }
  return `{"jobId":${job.jobId},${JSON.stringify(rest).slice(1)}`
}

function envelope(data: unknown): unknown {
  return { data, served: 'by another dialect' }
}

function reply(status: number, body: unknown): Reply {
  return { status, body }
}
